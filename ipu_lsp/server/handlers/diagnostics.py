"""Diagnostics, pushed, or pulled per document and per workspace by clients that support it."""

from __future__ import annotations

import logging
import time
from functools import partial
from itertools import count
from typing import Any, Generator, Iterator

from lsprotocol import types as t

from ipu_lsp.server.client import LanguageClient
from ipu_lsp.server.findings import encoded_findings, encoded_view
from ipu_lsp.server.messages import EncodedJson, json_object, json_text
from ipu_lsp.server.protocol import LspProtocol
from ipu_lsp.server.session import LspSession
from ipu_lsp.server.settings_files import (
    NO_FINDINGS,
    EncodedFindings,
    WorkspaceReports,
    report,
    with_result_id,
)
from ipu_lsp.server.uris import uri_of
from ipu_lsp.server.workspace import TimeSlice

Token = int | str
REPORT_INTERVAL_S = 0.2
_numbers = count(1)


class WorkDoneProgress:
    """One progress bar. Without a token in the request, the client is asked to create one."""

    def __init__(
        self, protocol: LspProtocol, client: LanguageClient, token: Token | None, title: str
    ) -> None:
        self._protocol = protocol
        self._client = client
        self._token = token
        self._title = title
        self._is_shown = False
        self._is_over = False
        self._reported_at = 0.0

    def begin(self) -> None:
        """Show the progress bar, once the client has created it."""
        if self._token is not None:
            self._show(self._token)
        elif self._client.shows_progress:
            token = f"ipu-progress-{next(_numbers)}"
            self._protocol.ask(
                t.WINDOW_WORK_DONE_PROGRESS_CREATE, {"token": token}, lambda _: self._show(token)
            )

    def report(self, done: int, of: int) -> None:
        """Report progress, at most every `REPORT_INTERVAL_S` seconds."""
        now = time.monotonic()
        if self._is_shown and now - self._reported_at > REPORT_INTERVAL_S:
            self._reported_at = now
            status = {"message": f"{done} of {of} files", "percentage": 100 * done // max(of, 1)}
            self._send("report", status)

    def end(self) -> None:
        """Remove the progress bar."""
        self._is_over = True
        if self._is_shown:
            self._is_shown = False
            self._send("end", {})

    def _show(self, token: Token) -> None:
        if not self._is_over:
            self._token, self._is_shown = token, True
            self._send("begin", {"title": self._title, "cancellable": False, "percentage": 0})

    def _send(self, kind: str, members: dict[str, Any]) -> None:
        params = {"token": self._token, "value": {"kind": kind, **members}}
        self._protocol.notify(t.PROGRESS, params)


log = logging.getLogger("ipu_lsp")
MANY_FILES = 100
"""Number of files not yet analysed from which a workspace request reports progress."""

_TITLE = "IPU: reading files"
_ANSWER = "diagnostics"


def publish_next(session: LspSession) -> None:
    """Push the diagnostics of the document that has been pending longest."""
    uri = session.publish_queue.pop()
    document = session.documents[uri]
    includers = session.sources.includers(document)
    if session.publish_queue.defer(uri, [each.uri for each in includers]):
        return
    try:
        findings = encoded_findings(session, uri)
    except Exception:
        log.exception("no findings for %s", uri)
        return
    placed = {} if document.version is None else {"version": json_text(document.version)}
    _publish(session, json_object(uri=json_text(uri), **placed, diagnostics=findings))
    if document.are_header_findings_new():
        session.text_changed(each.uri for each in session.sources.open_headers(document))
    session.settings_files.push()


def withdraw(session: LspSession, uri: str) -> None:
    """Clear the diagnostics that were pushed for a document."""
    if not session.client.pulls_diagnostics:
        _publish(session, json_object(uri=json_text(uri), diagnostics="[]"))


def of_document(
    session: LspSession, params: t.DocumentDiagnosticParams
) -> Generator[None, None, EncodedJson]:
    """Return the report of one document, `unchanged` if the client has the same diagnostics."""
    yield from session.wait_for_settings()
    document, time_slice = session.documents.get(params.text_document.uri), TimeSlice()
    for includer in session.sources.includers(document) if document else ():
        session.view_of(includer)
        yield from time_slice.pause()
    findings = with_result_id(encoded_findings(session, params.text_document.uri))
    session.settings_files.push()
    return json_object(**report(findings, params.previous_result_id))


def of_workspace(
    session: LspSession, params: t.WorkspaceDiagnosticParams
) -> Generator[None, None, EncodedJson]:
    """Return the reports of all open documents and files, and clear those of other files."""
    yield from session.wait_for_settings()
    session.settings_files.pull()
    reports, time_slice = WorkspaceReports(session.protocol, params), TimeSlice()
    progress = WorkDoneProgress(session.protocol, session.client, params.work_done_token, _TITLE)
    try:
        for uri in list(session.documents):
            _report_open(session, uri, reports)
            yield from time_slice.pause()
        files: list[str] = []
        for path in session.workspace.sources(time_slice):
            if path is not None:
                files.append(path)
            else:
                yield
        yield from _report_files(session, files, reports, time_slice, progress)
        session.settings_files.report(reports)
        _report_deleted(session, reports)
    finally:
        progress.end()
    return reports.answer()


def _report_open(session: LspSession, uri: str, reports: WorkspaceReports) -> None:
    document = session.documents.get(uri)
    if document is not None:  # else closed since the list of documents was copied
        reports.add(uri, with_result_id(encoded_findings(session, uri)), document.version)


def _report_deleted(session: LspSession, reports: WorkspaceReports) -> None:
    """Clear the findings of files that are gone; one that is back has its report already."""
    for uri in session.workspace.deleted:
        if uri not in session.documents:
            reports.add(uri, NO_FINDINGS)
    session.workspace.deleted.clear()


def _report_files(
    session: LspSession,
    files: list[str],
    reports: WorkspaceReports,
    time_slice: TimeSlice,
    progress: WorkDoneProgress,
) -> Generator[None, None, None]:
    fresh = 0
    for done, path in enumerate(files, 1):
        if session.is_open(path):
            continue

        def pause(done: int = done) -> Iterator[None]:
            for _ in time_slice.pause():
                reports.send_partial()
                progress.report(done, len(files))
                yield

        if not session.workspace.is_known(path, session.projects.dependencies(path), _ANSWER):
            fresh += 1
            if fresh == MANY_FILES:
                progress.begin()
            document = session.file(path)
            for _ in session.analyzers.read_ahead(document) if document else ():
                yield from pause()
        find = partial(_in_file, session, path)
        findings = session.workspace.answer(
            path, session.projects.dependencies(path), _ANSWER, find
        )
        uri = uri_of(path)
        if findings is not None and uri is not None:
            reports.add(uri, findings)
        yield from pause()


def _in_file(session: LspSession, path: str) -> EncodedFindings | None:
    """Return the diagnostics of a file that is not open; None if it is not a readable program."""
    document = session.file(path)
    view = session.filtered_view_of(document) if document is not None else None
    if document is None or view is None:
        return None
    return with_result_id(encoded_view(session, document.uri, view))


def _publish(session: LspSession, params: EncodedJson) -> None:
    session.protocol.notify(t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
