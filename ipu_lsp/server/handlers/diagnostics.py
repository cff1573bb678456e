"""Diagnostics, pushed, or pulled per document and per workspace by clients that support it.

They are encoded as JSON text at once. An edit may resend thousands of them, and everything except
their ranges is cached.
"""

from __future__ import annotations

import logging
from functools import lru_cache, partial
from typing import Any, Generator, Iterator

from lsprotocol import types as t

from ipu_asm.diagnostics import Diagnostic, RuleId
from ipu_asm.lint.rule import rule_link
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.messages import EncodedJson, json_array, json_object, json_text
from ipu_lsp.server.progress import WorkDoneProgress
from ipu_lsp.server.reports import EncodedFindings, WorkspaceReports, report, with_result_id
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.settings_files import SOURCE
from ipu_lsp.server.workspace import TimeSlice, uri_of

log = logging.getLogger("ipu_lsp")

OPTIONS = t.DiagnosticOptions(
    identifier=SOURCE,
    inter_file_dependencies=False,
    workspace_diagnostics=True,
    work_done_progress=True,
)
MANY_FILES = 100
"""Number of files not yet analysed from which a workspace request reports progress."""

_TITLE = "IPU: reading files"
_ANSWER = "diagnostics"
_TAGS = {
    "unnecessary": t.DiagnosticTag.Unnecessary.value,
    "deprecated": t.DiagnosticTag.Deprecated.value,
}


def publish_next(session: LspSession) -> None:
    """Push the diagnostics of the document that has been pending longest."""
    uri = session.publish_queue.pop()
    try:
        findings = encoded_findings(session, uri)
    except Exception:
        log.exception("no findings for %s", uri)
        return
    version = session.documents[uri].version
    placed = {} if version is None else {"version": json_text(version)}
    _publish(session, json_object(uri=json_text(uri), **placed, diagnostics=findings))
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
    finally:
        progress.end()
    return reports.answer()


def _report_open(session: LspSession, uri: str, reports: WorkspaceReports) -> None:
    document = session.documents.get(uri)
    if document is not None:  # else closed since the list of documents was copied
        reports.add(uri, with_result_id(encoded_findings(session, uri)), document.version)


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
    return with_result_id(_encoded(session, document.uri, view))


def encoded_findings(session: LspSession, uri: str) -> EncodedJson:
    """Return the diagnostics of a document as a JSON array; empty if it is not open."""
    view = session.filtered_view(uri)
    return json_array(()) if view is None else _encoded(session, uri, view)


def encoded_finding(session: LspSession, uri: str, view: View, finding: Diagnostic) -> str:
    """Return one diagnostic as JSON text, with the members that the client supports."""
    tags: tuple[int, ...] = ()
    if finding.tags:
        known = session.client.diagnostic_tags
        tags = tuple(_TAGS[tag] for tag in finding.tags if _TAGS[tag] in known)
    fix = finding.fix.entry if finding.fix else None
    link = rule_link(finding.rule.name) if session.client.code_description else None
    what = _members(finding.rule, finding.message, tags, fix, link)
    if finding.related and session.client.related_information:
        what += f',"relatedInformation":{_related(finding, uri, view.coordinates)}'
    return f'{{"range":{view.coordinates.encoded_range(finding.span)},{what}}}'


def _encoded(session: LspSession, uri: str, view: View) -> EncodedJson:
    return json_array(encoded_finding(session, uri, view, f) for f in view.analysis.diagnostics)


def _related(finding: Diagnostic, uri: str, coordinates: Coordinates) -> EncodedJson:
    places = (
        (json_object(uri=json_text(uri), range=coordinates.encoded_range(span)), message)
        for span, message, path in finding.related
        if path is None
    )
    return json_array(
        json_object(location=location, message=json_text(message)) for location, message in places
    )


def _publish(session: LspSession, params: EncodedJson) -> None:
    session.protocol.notify(t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)


@lru_cache(maxsize=4096)
def _members(
    kind: RuleId, message: str, tags: tuple[int, ...], fix: str | None, link: str | None
) -> str:
    """The members of a diagnostic other than its range, without the enclosing braces."""
    data = {"name": kind.name} if fix is None else {"name": kind.name, "fix": fix}
    members: dict[str, Any] = {
        "severity": kind.severity.value,
        "code": kind.code,
        "source": SOURCE,
        "message": message,
        "data": data,
    }
    if link is not None:
        members["codeDescription"] = {"href": link}
    if tags:
        members["tags"] = tags
    return json_text(members)[1:-1]
