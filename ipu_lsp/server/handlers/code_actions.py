"""Fixes for findings, as edits that the client makes."""

from __future__ import annotations

import json
from typing import Any

from lsprotocol import types as t

from ipu_asm.ide import code_actions as ide
from ipu_lsp.server.handlers.diagnostics import encoded_finding
from ipu_lsp.server.session import Session, View

Json = dict[str, Any]

OPTIONS = t.CodeActionOptions(code_action_kinds=[ide.QUICK_FIX, ide.FIX_ALL])


def code_actions(session: Session, params: t.CodeActionParams) -> list[Json] | None:
    """What can be done about the findings in a range. Clients that only know commands get none."""
    uri = params.text_document.uri
    view = session.selected(uri)
    if view is None or not session.client.code_action_literals:
        return None
    span = view.coordinates.span(params.range)
    # Kinds are an open set: those that the types do not know arrive as strings.
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ("",)]
    actions = ide.code_actions(view.analysis, span, only)
    return [_action(session, uri, view, action) for action in actions]


def _action(session: Session, uri: str, view: View, action: ide.CodeAction) -> Json:
    edits = [view.coordinates.edit(edit) for edit in action.edits]
    written: Json = {
        "title": action.title, "kind": action.kind, "edit": _workspace_edit(session, uri, edits)
    }  # fmt: skip
    if action.diagnostic is not None:
        encoded = encoded_finding(session, uri, view, action.diagnostic)
        written["diagnostics"] = [json.loads(encoded)]
    if action.is_preferred and session.client.preferred_code_actions:
        written["isPreferred"] = True
    return written


def _workspace_edit(session: Session, uri: str, edits: list[Json]) -> Json:
    """Edits of the version that we know, where the client can refuse them for a later one."""
    if not session.client.document_changes:
        return {"changes": {uri: edits}}
    document = {"uri": uri, "version": session.documents[uri].version}
    return {"documentChanges": [{"textDocument": document, "edits": edits}]}
