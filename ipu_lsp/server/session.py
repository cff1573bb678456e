"""One client's session: its documents, its settings, and what is known about both."""

from __future__ import annotations

import time
from typing import Iterable, NamedTuple

from lsprotocol import types as t

from ipu_asm.analysis import Analysis, Analyzer
from ipu_asm.isa import UnknownIsaError, load_isa
from ipu_asm.isa_choice import choose_isa
from ipu_lsp.server.client import Client
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.documents import Document
from ipu_lsp.server.languages import isa_of_language
from ipu_lsp.server.projects import Projects
from ipu_lsp.server.protocol import Protocol

LONGEST_WAIT_S = 0.1
"""How long findings may be held back while the client keeps sending edits."""


class View(NamedTuple):
    """What is known about a document's text, and where things stand in it for the client."""

    analysis: Analysis
    coordinates: Coordinates


class Session:
    """What handlers work on. `client` is known once it has introduced itself; `unpublished` has the
    documents whose findings are due, with the time since when.
    """

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.client = Client()
        self.documents: dict[str, Document] = {}
        self.unpublished: dict[str, float] = {}
        self.projects = Projects(self.warn)
        self.exit_status: int | None = None
        self._analyzers: dict[str, Analyzer] = {}
        self._warned: set[str] = set()

    def open(self, document: Document) -> None:
        """Take over a document; the client's text is the truth from now on."""
        self.documents[document.uri] = document
        self.look_again([document.uri])

    def close(self, uri: str) -> None:
        """Give a document back."""
        self.documents.pop(uri, None)
        self.unpublished.pop(uri, None)

    def look_again(self, uris: Iterable[str]) -> None:
        """The findings of these documents are due, unless the client asks for them itself."""
        if not self.client.pulls_diagnostics:
            now = time.monotonic()
            for uri in uris:
                self.unpublished.setdefault(uri, now)

    def is_publishing_overdue(self) -> bool:
        """Whether findings have been held back for too long."""
        oldest = next(iter(self.unpublished.values()))
        return time.monotonic() - oldest > LONGEST_WAIT_S

    def reconfigure(self) -> None:
        """Settings, or files with settings, have changed: any finding may have."""
        self.projects.forget()
        for document in self.documents.values():
            document.forget()
        self.look_again(self.documents)
        if self.client.pulls_diagnostics and self.client.refreshes_diagnostics:
            self.protocol.ask(t.WORKSPACE_DIAGNOSTIC_REFRESH, None)

    def view(self, uri: str) -> View | None:
        """What requests are answered from; None for a document that is not open or not known."""
        document = self.documents.get(uri)
        if document is None:
            return None
        analysis = document.analysis
        if analysis is None or analysis.text is not document.text:
            analyzer = self._analyzer(document)
            if analyzer is None:
                return None
            before = analysis if analysis is not None and analysis.isa is analyzer.isa else None
            analysis = analyzer.analyze(document.text, document.name, before)
            document.keep(analysis)
        return View(analysis, document.coordinates)

    def selected(self, uri: str) -> View | None:
        """The same with only those findings that the user and the project want to see."""
        view = self.view(uri)
        if view is None or not view.analysis.diagnostics:
            return view
        analysis, document = view.analysis, self.documents[uri]
        project = self.projects.of(document)
        wanted = tuple(f for f in analysis.diagnostics if project.wants(f, document.path))
        return view._replace(analysis=Analysis(analysis.source, analysis.program, wanted))

    def warn(self, message: str) -> None:
        """Show the user a mistake that they can mend, once."""
        if message not in self._warned:
            self._warned.add(message)
            params = {"type": t.MessageType.Warning.value, "message": message}
            self.protocol.notify(t.WINDOW_SHOW_MESSAGE, params)

    def _analyzer(self, document: Document) -> Analyzer | None:
        configuration = self.projects.of(document).configuration
        otherwise = isa_of_language(document.language)
        choice = choose_isa(document.text, document.name, None, configuration, otherwise)
        if choice.name not in self._analyzers:
            try:
                self._analyzers[choice.name] = Analyzer(load_isa(choice.name))
            except UnknownIsaError as error:
                self.warn(f"{choice.origin}: {error}")
                return None
        return self._analyzers[choice.name]
