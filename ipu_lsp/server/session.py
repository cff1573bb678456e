"""One client's session: its documents, its settings, and what is known about both."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Iterable, Iterator, NamedTuple

from lsprotocol import types as t

from ipu_asm.analysis.analyzer import Analysis, Analyzer
from ipu_asm.config.files import scanned_text, stamp_of
from ipu_asm.config.isa_choice import DEFAULT_ISA, UNCLAIMED, choose_isa
from ipu_asm.diagnostics.rendering import printable
from ipu_asm.isa import UnknownIsaError, load_isa
from ipu_lsp.server.client import LanguageClient
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.documents import Document
from ipu_lsp.server.languages import isa_of_language
from ipu_lsp.server.projects import Projects
from ipu_lsp.server.protocol import LspProtocol
from ipu_lsp.server.reports import EncodedFindings
from ipu_lsp.server.workspace import TimeSlice, Workspace, address_of

MOST_SHOWN = 10
"""Warnings that pop up until settings change the next time; all others are logged."""
LONGEST_WAIT_S = 0.1
"""How long findings may be held back while the client keeps sending edits."""
LONGEST_WAIT_FOR_SETTINGS_S = 2.0
"""How long a client that gives settings may take before its first findings come without them."""
# For so long an answer that waits for the settings may hold up others that are being worked on.
_GLANCE_S = 0.02


class View(NamedTuple):
    """What is known about a document's text, and where things stand in it for the client."""

    analysis: Analysis
    coordinates: Coordinates


class LspSession:
    """What handlers work on. `client` is known once it has introduced itself; `unpublished` has the
    documents whose findings are due, with the time since when, and `shown_listings` the address
    of the listing that the client has of a document and that is up to date.
    """

    def __init__(self, protocol: LspProtocol) -> None:
        self.protocol = protocol
        self.client = LanguageClient()
        self.documents: dict[str, Document] = {}
        self.unpublished: dict[str, float] = {}
        self.projects = Projects(self.warn)
        self.workspace = Workspace()
        self.first_settings: object = None
        """What the client has sent with `initialize`."""
        self.exit_status: int | None = None
        self.shown_listings: dict[str, str] = {}
        self.shown_mistakes: dict[str, str] = {}
        """What was pushed about files with settings, by their paths."""
        self.checked_settings: dict[str, tuple[object, EncodedFindings]] = {}
        """What is wrong in files with settings, by their paths, and when they were read."""
        self.asks_for_workspace = False
        self._settings_due: float | None = None
        self._open_files: set[str] = set()
        # By the name of the instruction set and of the memory that a project chooses.
        self._analyzers: dict[tuple[str, str], Analyzer] = {}
        self._warned: set[str] = set()
        self._shown = 0

    def open(self, document: Document) -> None:
        """Take over a document; the client's text is the truth from now on."""
        self.documents[document.uri] = document
        if document.path is not None:
            self._open_files.add(os.path.normpath(document.path))
        self.look_again([document.uri])

    def close(self, uri: str) -> None:
        """Give a document back."""
        document = self.documents.pop(uri, None)
        if document is not None and document.path is not None:
            self._open_files.discard(os.path.normpath(document.path))
        self.unpublished.pop(uri, None)
        self._outdate_listings([uri])

    def look_again(self, uris: Iterable[str]) -> None:
        """The findings of these documents are due, unless the client asks for them itself."""
        self._outdate_listings(uris)
        if not self.client.pulls_diagnostics:
            now = time.monotonic()
            for uri in uris:
                self.unpublished.setdefault(uri, now)

    def _outdate_listings(self, uris: Iterable[str]) -> None:
        """Tell that shown listings are out of date: once, until the client asks for them again."""
        for uri in uris:
            shown = self.shown_listings.pop(uri, None)
            if shown is not None:
                self.protocol.ask(t.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, {"uri": shown})

    def is_publishing_overdue(self) -> bool:
        """Whether findings have been held back for too long."""
        oldest = next(iter(self.unpublished.values()))
        return time.monotonic() - oldest > LONGEST_WAIT_S

    def expect_settings(self) -> None:
        """The client has been asked for the settings: until it answers, findings are held back."""
        self._settings_due = time.monotonic() + LONGEST_WAIT_FOR_SETTINGS_S

    def settle(self) -> None:
        """The settings are known, or nobody will give any."""
        self._settings_due = None

    def patience(self) -> float:
        """For how many seconds more the settings are waited for; 0 if they are not."""
        if self._settings_due is None:
            return 0
        left = self._settings_due - time.monotonic()
        if left <= 0:
            self.settle()
        return max(left, 0)

    def settled(self) -> Iterator[None]:
        """Steps of an answer that needs the settings: each waits a little for something to come."""
        while patience := self.patience():
            self.protocol.inbox.peek(min(patience, _GLANCE_S))
            yield

    def reconfigure(self) -> None:
        """Settings, or files with settings, have changed: any finding may have."""
        self.projects.forget()
        self._shown = 0
        for document in self.documents.values():
            document.forget()
        self.look_again(self.documents)
        self.refresh_diagnostics()
        self._refresh()

    def refresh_diagnostics(self) -> None:
        """Let a client that asks for findings ask again."""
        if self.client.pulls_diagnostics and self.client.refreshes_diagnostics:
            self.protocol.ask(t.WORKSPACE_DIAGNOSTIC_REFRESH, None)

    def _refresh(self) -> None:
        """Let the client ask again for what it shows besides findings."""
        client = self.client
        for is_able, method in (
            (client.refreshes_hints, t.WORKSPACE_INLAY_HINT_REFRESH),
            (client.refreshes_lenses, t.WORKSPACE_CODE_LENS_REFRESH),
            (client.refreshes_tokens, t.WORKSPACE_SEMANTIC_TOKENS_REFRESH),
        ):
            if is_able and self.documents:
                self.protocol.ask(method, None)

    def view(self, uri: str) -> View | None:
        """What requests are answered from; None for a document that is not open or not known."""
        document = self.documents.get(uri)
        return None if document is None else self._view(document)

    def selected(self, uri: str) -> View | None:
        """The same with only those findings that the user and the project want to see."""
        document = self.documents.get(uri)
        return None if document is None else self.selected_in(document)

    def answers(
        self, key: str, make: Callable[[str, View], Any], time_slice: TimeSlice
    ) -> Iterator[tuple[str, Any] | None]:
        """What `make` says of the address and the view of each open document and each file.

        For files that have not changed it is remembered by `key`. None comes wherever a request
        should let others have their turn.
        """
        for uri in list(self.documents):
            yield from time_slice.pause()
            view = self.view(uri)
            if view is not None:
                yield uri, make(uri, view)
        for path in self.workspace.sources(time_slice):
            yield from time_slice.pause()
            if path is None or self.is_open(path):
                continue

            def made(path: str = path) -> Any:
                document = self.file(path)
                view = self._view(document) if document else None
                return make(document.uri, view) if document and view else None

            found = self.workspace.answer(path, self.circumstances(path), key, made)
            if found is not None:
                yield address_of(path) or path, found

    def is_open(self, path: str) -> bool:
        """Whether the client has a file open: then its text counts, not the disk's."""
        return path in self._open_files

    def file(self, path: str) -> Document | None:
        """A file that is not open as if it were; None if it cannot be read or is no text."""
        uri = address_of(path)
        if uri is None or stamp_of(path) is None:
            return None
        text = scanned_text(path)
        return None if text is None else Document(uri, "", None, text, self.client.encoding)

    def circumstances(self, path: str) -> tuple[object, ...]:
        """All that findings of a file follow from besides its text."""
        project = self.projects.of_folder(os.path.dirname(path))
        return project.configuration, project.errors_only

    def read_ahead(self, document: Document, time_slice: TimeSlice) -> Iterator[None]:
        """Read the bundles of a document, with pauses, so that its view is there soon."""
        found = self._analyzer(document)
        if found is not None:
            for _ in found[0].read_ahead(document.text):
                yield from time_slice.pause()

    def selected_in(self, document: Document) -> View | None:
        """The view of a document, open or not, with the findings that are wanted."""
        view = self._view(document)
        if view is None or not view.analysis.diagnostics:
            return view
        analysis = view.analysis
        project = self.projects.of(document)
        wanted = tuple(f for f in analysis.diagnostics if project.wants(f, document.path))
        return view._replace(analysis=Analysis(analysis.source, analysis.program, wanted))

    def warn(self, message: str) -> None:
        """Show the user a mistake that they can mend, once; many of them go to the log."""
        if message in self._warned:
            return
        self._warned.add(message)
        method = t.WINDOW_LOG_MESSAGE if self._shown >= MOST_SHOWN else t.WINDOW_SHOW_MESSAGE
        self._shown += 1
        params = {"type": t.MessageType.Warning.value, "message": printable(message)}
        self.protocol.notify(method, params)

    def _view(self, document: Document) -> View | None:
        analysis = document.analysis
        if analysis is None or analysis.text is not document.text:
            found = self._analyzer(document)
            if found is None:
                return None
            analyzer, is_claimed = found
            before = analysis if analysis is not None and analysis.isa is analyzer.isa else None
            analyze = analyzer.analyze if is_claimed else analyzer.analyze_unclaimed
            analysis = analyze(document.text, document.name, before, change=document.edit)
            document.keep(analysis)
        return View(analysis, document.coordinates)

    def _analyzer(self, document: Document) -> tuple[Analyzer, bool] | None:
        """The analyzer for a document, and whether anything says that it is the right one."""
        configuration = self.projects.of(document).configuration
        language = isa_of_language(document.language)
        otherwise = UNCLAIMED if language == DEFAULT_ISA else language
        choice = choose_isa(document.text, document.name, None, configuration, otherwise)
        name = choice.name or DEFAULT_ISA
        memory = configuration.memory.get(name, "") if configuration else ""
        if (name, memory) not in self._analyzers:
            try:
                self._analyzers[name, memory] = Analyzer(load_isa(name, memory))
            except UnknownIsaError as error:
                self.warn(f"{choice.origin}: {error}")
                return None
        return self._analyzers[name, memory], choice.name != UNCLAIMED
