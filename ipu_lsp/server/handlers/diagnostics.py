"""Findings: pushed to clients that cannot ask for them, else given when they ask.

They are written as JSON text right away. There may be thousands, with every edit again, and all
but their places is the same each time.
"""

from __future__ import annotations

import hashlib
import logging
from functools import lru_cache
from typing import Any

from lsprotocol import types as t

from ipu_asm.diagnostics import Diagnostic, Kind
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.messages import Encoded, json_array, json_object, json_text
from ipu_lsp.server.session import Session, View

log = logging.getLogger("ipu_lsp")

SOURCE = "ipu"
OPTIONS = t.DiagnosticOptions(
    identifier=SOURCE, inter_file_dependencies=False, workspace_diagnostics=True
)
_TAGS = {
    "unnecessary": t.DiagnosticTag.Unnecessary.value,
    "deprecated": t.DiagnosticTag.Deprecated.value,
}


def publish_next(session: Session) -> None:
    """Push the findings of the document that has waited longest."""
    uri = next(iter(session.unpublished))
    del session.unpublished[uri]
    try:
        findings = encoded_findings(session, uri)
    except Exception:
        log.exception("no findings for %s", uri)
        return
    version = session.documents[uri].version
    placed = {} if version is None else {"version": json_text(version)}
    _publish(session, json_object(uri=json_text(uri), **placed, diagnostics=findings))


def withdraw(session: Session, uri: str) -> None:
    """Take back what was pushed about a document."""
    if not session.client.pulls_diagnostics:
        _publish(session, json_object(uri=json_text(uri), diagnostics="[]"))


def of_document(session: Session, params: t.DocumentDiagnosticParams) -> Encoded:
    """The findings of one document, or that they are those which the client has."""
    findings = encoded_findings(session, params.text_document.uri)
    return json_object(**_report(findings, params.previous_result_id))


def of_workspace(session: Session, params: t.WorkspaceDiagnosticParams) -> Encoded:
    """The findings of all open documents, and that closed ones have none any more."""
    previous = {known.uri: known.value for known in params.previous_result_ids}
    reports = []
    for uri, document in session.documents.items():
        session.protocol.give_up_if_cancelled()
        report = _report(encoded_findings(session, uri), previous.pop(uri, None))
        version = json_text(document.version)
        reports.append(json_object(uri=json_text(uri), version=version, **report))
    for uri, known in previous.items():
        report = _report(json_array(()), known)
        reports.append(json_object(uri=json_text(uri), version="null", **report))
    return json_object(items=json_array(reports))


def encoded_findings(session: Session, uri: str) -> Encoded:
    """The findings of a document as an array; empty for one that is not open."""
    view = session.selected(uri)
    if view is None:
        return json_array(())
    return json_array(encoded_finding(session, uri, view, f) for f in view.analysis.diagnostics)


def encoded_finding(session: Session, uri: str, view: View, finding: Diagnostic) -> str:
    """One finding as JSON text, with what the client can make use of."""
    tags: tuple[int, ...] = ()
    if finding.tags:
        known = session.client.diagnostic_tags
        tags = tuple(_TAGS[tag] for tag in finding.tags if _TAGS[tag] in known)
    fix = finding.fix.title if finding.fix else None
    what = _members(finding.kind, finding.message, tags, fix)
    if finding.related and session.client.related_information:
        what += f',"relatedInformation":{_related(finding, uri, view.coordinates)}'
    return f'{{"range":{view.coordinates.encoded_range(finding.span)},{what}}}'


def _related(finding: Diagnostic, uri: str, coordinates: Coordinates) -> Encoded:
    places = (
        (json_object(uri=json_text(uri), range=coordinates.encoded_range(span)), message)
        for span, message in finding.related
    )
    return json_array(
        json_object(location=location, message=json_text(message)) for location, message in places
    )


def _publish(session: Session, params: Encoded) -> None:
    session.protocol.notify(t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)


def _report(findings: Encoded, previous: str | None) -> dict[str, str]:
    """The members of a report. It is named after what it says."""
    name = hashlib.blake2b(findings.encode("ascii"), digest_size=12).hexdigest()
    if name == previous:
        return {"kind": '"unchanged"', "resultId": json_text(name)}
    return {"kind": '"full"', "resultId": json_text(name), "items": findings}


@lru_cache(maxsize=4096)
def _members(kind: Kind, message: str, tags: tuple[int, ...], fix: str | None) -> str:
    """What a finding has besides its place, as the inside of an object."""
    data = {"name": kind.name} if fix is None else {"name": kind.name, "fix": fix}
    members: dict[str, Any] = {
        "severity": kind.severity.value,
        "code": kind.code,
        "source": SOURCE,
        "message": message,
        "data": data,
    }
    if tags:
        members["tags"] = tags
    return json_text(members)[1:-1]
