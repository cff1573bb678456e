"""The state of one client's session: its documents, their views, and what they depend on."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Iterable, Iterator

from lsprotocol import types as t

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.config.configuration_file import FILE_NAMES
from ipu_asm.config.files import scanned_text, stamp_of
from ipu_asm.ide.symbols.header_names import FileReading
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.server.client import LanguageClient, UserWarnings
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.documents import Document
from ipu_lsp.server.protocol import LspProtocol
from ipu_lsp.server.settings import Projects
from ipu_lsp.server.settings_files import SettingsFiles
from ipu_lsp.server.sources import Analyzers, Sources
from ipu_lsp.server.uris import uri_of
from ipu_lsp.server.workspace import Headers, TimeSlice, Workspace

MAX_WAIT_S = 0.1
"""Seconds that findings are held back while the client keeps sending edits."""

MAX_WAIT_FOR_SETTINGS_S = 2.0
"""Seconds that findings are held back for settings that were requested from the client."""


class PublishQueue:
    """The documents whose findings are to be pushed, oldest first."""

    def __init__(self) -> None:
        self._due_since: dict[str, float] = {}
        self._deferred: set[str] = set()
        self._settings_due: float | None = None

    def __bool__(self) -> bool:
        return bool(self._due_since)

    def add(self, uris: Iterable[str]) -> None:
        """Queue documents; one that is queued keeps its place."""
        now = time.monotonic()
        for uri in uris:
            self._due_since.setdefault(uri, now)

    def remove(self, uri: str) -> None:
        """Take a document out of the queue, if it is there."""
        self._due_since.pop(uri, None)

    def pop(self) -> str:
        """Take the document out that has waited longest."""
        uri = next(iter(self._due_since))
        del self._due_since[uri]
        return uri

    def defer(self, uri: str, documents: Iterable[str]) -> bool:
        """Queue a document again, once, if any of those is queued that its findings depend on."""
        if uri in self._deferred or self._due_since.keys().isdisjoint(documents):
            self._deferred.discard(uri)
            return False
        self._deferred.add(uri)
        self.add([uri])
        return True

    def is_overdue(self) -> bool:
        """Return whether the oldest document has waited for `MAX_WAIT_S`."""
        oldest = next(iter(self._due_since.values()))
        return time.monotonic() - oldest > MAX_WAIT_S

    def await_settings(self) -> None:
        """Hold findings back until `settings_known`, for a limited time."""
        self._settings_due = time.monotonic() + MAX_WAIT_FOR_SETTINGS_S

    def settings_known(self) -> None:
        """Publish from now on: the settings have arrived, or are not expected any more."""
        self._settings_due = None

    def seconds_to_settings(self) -> float:
        """Return the seconds for which findings are still held back for settings; 0 if none."""
        if self._settings_due is None:
            return 0
        left = self._settings_due - time.monotonic()
        if left <= 0:
            self.settings_known()
        return max(left, 0)


class ShownTexts:
    """The listings and expansions that the client shows and that are up to date."""

    def __init__(self, protocol: LspProtocol) -> None:
        self._protocol = protocol
        self._shown: dict[str, dict[str, None]] = {}

    def add(self, document: str, shown: str) -> None:
        """Register the URI of a text that the client has received, with its document's."""
        self._shown.setdefault(document, {})[shown] = None

    def refresh(self, documents: Iterable[str]) -> None:
        """Ask the client to fetch the texts of documents again, once until it does."""
        for document in documents:
            for shown in self._shown.pop(document, {}):
                params = {"uri": shown}
                self._protocol.ask(t.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, params)


# Seconds that each step of a request that waits for settings blocks other long requests.
_SETTINGS_STEP_S = 0.02


class View(NamedTuple):
    """The analysis of a document's text, and the client's coordinates in that text."""

    analysis: Analysis
    coordinates: Coordinates


class LspSession:
    """The state that handlers work on."""

    def __init__(self, protocol: LspProtocol) -> None:
        self.protocol = protocol
        self.client = LanguageClient()
        """The client's capabilities; the defaults until `initialize`."""
        self.documents: dict[str, Document] = {}
        """The open documents by their URIs."""
        self.configuration_files: dict[str, Document] = {}
        """The open configuration files by their URIs."""
        self.warnings = UserWarnings(protocol)
        self.projects = Projects(self._warn_of_file)
        self.headers = Headers()
        self.workspace = Workspace(self.headers)
        self.sources = Sources(self.projects, self.workspace, self.headers)
        self.analyzers = Analyzers(self.projects, self.sources, self.warnings.warn)
        self.publish_queue = PublishQueue()
        self.settings_files = SettingsFiles(protocol, self.projects)
        self.first_settings: object = None
        """The settings in `initializationOptions`."""
        self.shown_texts = ShownTexts(protocol)
        self.exit_status: int | None = None
        # While a refresh is under way: whether it shows the newest findings.
        self._are_refreshed: bool | None = None

    def _warn_of_file(self, message: str, path: str) -> None:
        self.warnings.warn(message, path if self.client.opens_documents else "")

    def open(self, document: Document) -> None:
        """Add a document. From now on its text takes precedence over its file.

        That of a configuration file is known to completion and hover alone.
        """
        if os.path.basename(document.key) == FILE_NAMES[0]:
            self.configuration_files[document.uri] = document
            return
        self.documents[document.uri] = document
        if document.path is not None:
            self.headers.open(os.path.normpath(document.path), document)
        self.text_changed([document.uri])
        self.file_changed(document.key)

    def close(self, uri: str) -> None:
        """Remove a document."""
        document = self.documents.pop(uri, None)
        if document is not None and document.path is not None:
            self.headers.close(os.path.normpath(document.path))
            self.file_changed(document.key)
            self.text_changed(each.uri for each in self.sources.open_headers(document))
        self.publish_queue.remove(uri)
        self.shown_texts.refresh([uri])

    def text_changed(self, uris: Iterable[str]) -> None:
        """Queue the findings of documents, unless the client pulls them."""
        uris = list(uris)
        self.shown_texts.refresh(uris)
        if not self.client.pulls_diagnostics:
            self.publish_queue.add(uris)

    def file_changed(self, path: str, *, is_new: bool = False) -> None:
        """Queue the findings of the documents that include a file, which may have changed.

        `is_new`: it was created, so that an include may find it that found another or none.
        """
        for document in self.sources.searching(os.path.basename(path)) if is_new else ():
            document.forget()
            self.sources.forget_settings(document)
            self.text_changed([document.uri])
        stale = [each for each in self.sources.readers(path) if self.sources.is_stale(each)]
        self.text_changed(document.uri for document in stale)
        if stale:
            self.refresh_diagnostics()

    def settings_changed(self) -> None:
        """Reanalyse everything, because settings or configuration files have changed."""
        self.projects.forget()
        self.sources.forget()
        self.warnings.settings_changed()
        for document in self.documents.values():
            document.forget()
        self.text_changed(self.documents)
        self.refresh_diagnostics()
        self.refresh_views()

    def hosts_changed(self) -> None:
        """Show documents again whose launches or tests have changed; findings stay the same."""
        known = {uri: self.sources.settings(each) for uri, each in self.documents.items()}
        self.sources.forget()
        changed = [
            document
            for uri, document in self.documents.items()
            if self.sources.settings(document).hosts != known[uri].hosts
        ]
        for document in changed:
            document.forget()
        self.shown_texts.refresh([document.uri for document in changed])
        if changed:
            self.refresh_views()

    def refresh_views(self) -> None:
        """Make the client ask again for what it shows beside the text."""
        client = self.client
        for is_able, method in (
            (client.refreshes_hints, t.WORKSPACE_INLAY_HINT_REFRESH),
            (client.refreshes_lenses, t.WORKSPACE_CODE_LENS_REFRESH),
            (client.refreshes_tokens, t.WORKSPACE_SEMANTIC_TOKENS_REFRESH),
        ):
            if is_able and self.documents:
                self.protocol.ask(method, None)

    def refresh_diagnostics(self) -> None:
        """Make a client that pulls findings pull them again, when it has answered the last time."""
        if self._are_refreshed is not None:
            self._are_refreshed = False
        elif self.client.pulls_diagnostics and self.client.refreshes_diagnostics:
            self._are_refreshed = True
            self.protocol.ask(
                t.WORKSPACE_DIAGNOSTIC_REFRESH, None, lambda _: self._refreshed(), self._refreshed
            )

    def _refreshed(self) -> None:
        is_enough, self._are_refreshed = self._are_refreshed, None
        if not is_enough:
            self.refresh_diagnostics()

    def wait_for_settings(self) -> Iterator[None]:
        """Yield until the settings are known; each step blocks shortly for the next message."""
        while seconds := self.publish_queue.seconds_to_settings():
            self.protocol.inbox.peek(min(seconds, _SETTINGS_STEP_S))
            yield

    def view(self, uri: str) -> View | None:
        """Return the view of an open document with all findings.

        None for a document that is not open, or whose instruction set is unknown.
        """
        document = self.documents.get(uri)
        return None if document is None else self.view_of(document)

    def filtered_view(self, uri: str) -> View | None:
        """Return the view of an open document with the findings that settings select."""
        document = self.documents.get(uri)
        return None if document is None else self.filtered_view_of(document)

    def view_of(self, document: Document) -> View | None:
        """Return the view of a document, open or not, with all findings."""
        analysis = self.analyzers.analysis(document)
        if document.headers and document.path is not None and document.uri not in self.documents:
            self.workspace.includes(document.path, document.headers)
        if analysis is not None and document.context is not None:
            analysis = analysis.seen_in(document.context)
        return None if analysis is None else View(analysis, document.coordinates)

    def is_foreign(self, uri: str) -> bool:
        """Return whether an open document is in another language, such as a header of C."""
        document = self.documents.get(uri)
        return document is not None and self.sources.is_foreign(document)

    def readings(self, uri: str) -> list[FileReading]:
        """Return an open document as it is read by itself, and by the open files including it."""
        document, view = self.documents.get(uri), self.view(uri)
        if document is None or view is None:
            return []
        found = [FileReading(view.analysis)]
        for includer in self.sources.includers(document):
            read = self.view_of(includer)
            if read is not None and document.key in read.analysis.headers:
                found.append(FileReading(read.analysis, document.key))
        return found

    def filtered_view_of(self, document: Document) -> View | None:
        """Return the view of a document, open or not, with the findings that settings select."""
        view = self.view_of(document)
        if view is None or not view.analysis.diagnostics:
            return view
        analysis = view.analysis
        project = self.projects.of(document)
        wanted = tuple(f for f in analysis.diagnostics if project.selects(f, document.path))
        return view._replace(analysis=analysis.with_diagnostics(wanted))

    def map_workspace(
        self, key: str, make: Callable[[str, View], Any], time_slice: TimeSlice
    ) -> Iterator[tuple[str, Any] | None]:
        """Yield the URI of each open document and file of the workspace, with `make(uri, view)`.

        The results for unchanged files are cached by `key`. Yields None when the time slice ends.
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
                view = self.view_of(document) if document else None
                return make(document.uri, view) if document and view else None

            found = self.workspace.answer(path, self.projects.dependencies(path), key, made)
            if found is not None:
                yield uri_of(path) or path, found

    def place_in(self, path: str) -> tuple[str, Coordinates] | None:
        """Return the URI of a file and the coordinates in it, open or not; None if unreadable."""
        document = self.headers.document(path)
        if document is not None:
            return document.uri, document.coordinates
        uri, source = uri_of(path), self.headers.read(path)
        if uri is None or source is None:
            return None
        coordinates = Coordinates(source.text, self.client.encoding)
        coordinates.adopt(source.lines)
        return uri, coordinates

    def headers_of(self, path: str) -> tuple[str, ...]:
        """Return the paths of the headers that a file reads that is not open."""

        def found() -> tuple[str, ...]:
            document = self.file(path)
            view = self.view_of(document) if document is not None else None
            return () if view is None else tuple(view.analysis.headers)

        return self.workspace.answer(path, self.projects.dependencies(path), "headers", found) or ()

    def is_open(self, path: str) -> bool:
        """Return whether a file is open in the client."""
        return self.headers.is_open(path)

    def file(self, path: str) -> Document | None:
        """Return a file that is not open as a document; None if it is unreadable or not text."""
        uri = uri_of(path)
        if uri is None or stamp_of(path) is None:
            return None
        text = scanned_text(path)
        return None if text is None else Document(uri, "", None, text, self.client.encoding)
