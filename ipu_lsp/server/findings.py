"""Encoding of findings as JSON; a finding in a header is placed at its include.

They are encoded at once. An edit may resend thousands of them, and everything except their ranges
is cached.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Iterable

from lsprotocol import types as t

from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId
from ipu_asm.ide.header_findings import Includer, findings_in_header, findings_shown
from ipu_asm.lint import rule_link
from ipu_lsp.server.documents import Document
from ipu_lsp.server.messages import EncodedJson, json_array, json_object, json_text
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.settings_files import SOURCE

_TAGS = {
    "unnecessary": t.DiagnosticTag.Unnecessary.value,
    "deprecated": t.DiagnosticTag.Deprecated.value,
}


def encoded_findings(session: LspSession, uri: str) -> EncodedJson:
    """Return the diagnostics of a document as a JSON array; empty if it is not open."""
    document = session.documents.get(uri)
    if document is None:
        return json_array(())
    includers = session.sources.includers(document)
    if includers or session.sources.is_header(document):
        return _of_header(session, document, includers)
    view = session.filtered_view_of(document)
    return json_array(()) if view is None else encoded_view(session, uri, view)


def encoded_view(session: LspSession, uri: str, view: View) -> EncodedJson:
    """Return the diagnostics of a view that is no header's as a JSON array."""
    return _encoded(session, uri, view, findings_shown(view.analysis))


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
        places = (_related(session, uri, view, place) for place in finding.related)
        what += f',"relatedInformation":{json_array(place for place in places if place)}'
    return f'{{"range":{view.coordinates.encoded_range(finding.span)},{what}}}'


def _of_header(session: LspSession, document: Document, includers: list[Document]) -> EncodedJson:
    """Return the findings in a header, from the open files that include it."""
    ours = session.view_of(document)
    found = [
        Includer(includer.path or "", view.analysis.diagnostics)
        for includer in includers
        if (view := session.filtered_view_of(includer)) is not None
    ]
    findings = findings_in_header(document.key, found)
    return json_array(()) if ours is None else _encoded(session, document.uri, ours, findings)


def _encoded(
    session: LspSession, uri: str, view: View, findings: Iterable[Diagnostic]
) -> EncodedJson:
    return json_array(encoded_finding(session, uri, view, finding) for finding in findings)


def _related(session: LspSession, uri: str, view: View, place: RelatedInformation) -> str:
    """Return a related place as JSON text; empty if its file is gone."""
    coordinates = view.coordinates
    if place.path is not None:
        file = session.place_in(place.path)
        if file is None:
            return ""
        uri, coordinates = file
    location = json_object(uri=json_text(uri), range=coordinates.encoded_range(place.span))
    return json_object(location=location, message=json_text(place.message))


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
