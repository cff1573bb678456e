"""`textDocument/codeAction`: fixes and refactorings, as workspace edits."""

from __future__ import annotations

import json
from typing import Generator

from lsprotocol import types as t

from ipu_asm.ide import code_actions as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.configuration_actions import configuration_actions
from ipu_lsp.server.documents import workspace_edit
from ipu_lsp.server.findings import encoded_finding
from ipu_lsp.server.session import LspSession, View

OPTIONS = t.CodeActionOptions(code_action_kinds=list(ide.KINDS))


def code_actions(
    session: LspSession, params: t.CodeActionParams
) -> Generator[None, None, list[Json] | None]:
    """Return the code actions of a range; None for clients without code action literals."""
    uri = params.text_document.uri
    document, view = session.documents.get(uri), session.filtered_view(uri)
    if document is None or view is None or not session.client.code_action_literals:
        return None
    span = view.coordinates.span(params.range)
    # `CodeActionKind` is an open set: lsprotocol leaves kinds that it does not know as strings.
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ("",)]
    actions = ide.code_actions(view.analysis, span, only)
    refusals = session.client.disabled_code_actions and _asks_to_refactor(only)
    found = [_action(session, uri, view, action) for action in actions if _fits(action, refusals)]
    if ide.is_wanted(ide.QUICK_FIX, only):
        found += yield from configuration_actions(session, document, view, span)
    return found


def _asks_to_refactor(only: list[str]) -> bool:
    """Return whether the client asked for refactorings, so that disabled ones are worth listing."""
    return any(f"{kind}.".startswith("refactor.") for kind in only)


def _fits(action: ide.CodeAction, refusals: bool) -> bool:
    return refusals or not action.refusal_reason


def _action(session: LspSession, uri: str, view: View, action: ide.CodeAction) -> Json:
    written: Json = {"title": action.title, "kind": action.kind}
    if action.refusal_reason:
        written["disabled"] = {"reason": action.refusal_reason}
    else:
        edits = [view.coordinates.edit(edit) for edit in action.edits]
        written["edit"] = workspace_edit(
            session.documents[uri], edits, versioned=session.client.document_changes
        )
    if action.diagnostic is not None:
        encoded = encoded_finding(session, uri, view, action.diagnostic)
        written["diagnostics"] = [json.loads(encoded)]
    if action.is_preferred and session.client.preferred_code_actions:
        written["isPreferred"] = True
    return written
