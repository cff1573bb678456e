"""Fixes, refactorings and formatting, as edits.

Packing, pipelining and rebasing are offered without an edit. It is computed, with its proof, when
the action is resolved. Menus do not render Markdown: titles and reasons lose their backticks here.
"""

from __future__ import annotations

import json
from typing import Any, Generator, Iterable, Mapping, Sequence

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.ide import QUICK_FIX, REWRITE
from ipu_asm.ide import code_actions as ide
from ipu_asm.ide.formatting import KEEP_CASE
from ipu_asm.ide.formatting.formatting import KEEP
from ipu_asm.ide.formatting.formatting import formatting as formatting_edits
from ipu_asm.ide.formatting.on_type import formatting_on_type
from ipu_asm.ide.packing import packing_edits, packing_offers, rewriting_offers
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit
from ipu_lsp.server.configuration_actions import configuration_actions
from ipu_lsp.server.documents import workspace_edit
from ipu_lsp.server.findings import encoded_finding
from ipu_lsp.server.running import TIME_LIMIT_S, output_of
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.transport import Json, plain


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
    found = [
        _action(session, uri, view, action)
        for action in actions
        if refusals or not action.refusal_reason
    ]
    if session.client.resolves_edits and ide.is_wanted(REWRITE, only):
        found += _packing(session, uri, view, span.start)
    if ide.is_wanted(QUICK_FIX, only):
        found += yield from configuration_actions(session, document, view, span)
    return [{**each, "title": plain(each["title"])} for each in found]


def resolve(
    session: LspSession, action: t.CodeAction
) -> Generator[None, None, t.CodeAction | Json]:
    """Return an offer to rewrite with its edit. Raises `JsonRpcException` if it is not proven."""
    data: Any = action.data
    rewriting = data.get("rewriting") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(rewriting, dict):
        return action
    uri = str(data.get("uri"))
    document, view = session.documents.get(uri), session.view(uri)
    if document is None or view is None or document.version != data.get("version"):
        raise _refusal("the text has changed since packing was offered")
    try:
        edits = yield from proven_edits(view.analysis.effective_program, rewriting)
        written = packing_edits(view.analysis, edits)
    except PackingError as error:
        raise _refusal(f"{_refused(rewriting)}: {error}") from error
    coded = [view.coordinates.edit(edit) for edit in written]
    edit = workspace_edit(document, coded, versioned=session.client.document_changes)
    return {"title": action.title, "kind": REWRITE, "edit": edit}


def _packing(session: LspSession, uri: str, view: View, offset: int) -> list[Json]:
    version = session.documents[uri].version
    packed = [(o.title, {"blocks": list(o.blocks)}) for o in packing_offers(view.analysis, offset)]
    return [
        {
            "title": title,
            "kind": REWRITE,
            "data": {"uri": uri, "version": version, "rewriting": dict(request)},
        }
        for title, request in [*packed, *rewriting_offers(view.analysis, offset)]
    ]


def _refused(rewriting: Json) -> str:
    if "pipeline" in rewriting:
        return "not pipelined"
    if "schedule" in rewriting:
        return "not scheduled"
    return "not rebased" if "rebase" in rewriting else "not packed"


def _refusal(message: str) -> JsonRpcException:
    return JsonRpcException(message, t.LSPErrorCodes.RequestFailed.value)


def _asks_to_refactor(only: list[str]) -> bool:
    """Return whether the client asked for refactorings, so that disabled ones are worth listing."""
    return any(f"{kind}.".startswith("refactor.") for kind in only)


def _action(session: LspSession, uri: str, view: View, action: ide.CodeAction) -> Json:
    written: Json = {"title": action.title, "kind": action.kind}
    if action.refusal_reason:
        written["disabled"] = {"reason": plain(action.refusal_reason)}
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


def proven_edits(
    program: Program, rewriting: Mapping[str, object]
) -> Generator[None, None, tuple[TextEdit, ...]]:
    """Return, in short steps, the edits that rewrite a program, if they are proven.

    `rewriting` is what `packing_process` is asked for, such as the `blocks` to pack. Raises
    `PackingError` if they are not.
    """
    request = {
        "isa": program.isa.name,
        "text": program.text,
        "configurations": [dict(facts.presets) for facts in control_facts(program)],
        **rewriting,
    }
    data = json.dumps(request).encode()
    output = yield from output_of("ipu_asm.testbench.packing_process", (), data, TIME_LIMIT_S)
    try:
        answer = json.loads("" if output is None else output[1])
    except ValueError:
        raise PackingError("the proof was not finished") from None
    if "refusal" in answer:
        raise PackingError(answer["refusal"])
    return tuple(TextEdit(Span(start, end), text) for start, end, text in answer["edits"])


def formatting(session: LspSession, params: t.DocumentFormattingParams) -> list[Json] | None:
    """Return the edits that format a document."""
    return _tidied(session, params.text_document.uri, None)


def range_formatting(
    session: LspSession, params: t.DocumentRangeFormattingParams
) -> list[Json] | None:
    """Return the edits that format the bundles which a range touches."""
    return _tidied(session, params.text_document.uri, [params.range])


def ranges_formatting(
    session: LspSession, params: t.DocumentRangesFormattingParams
) -> list[Json] | None:
    """Return the edits for several ranges; a bundle that two of them touch is formatted once."""
    return _tidied(session, params.text_document.uri, params.ranges)


def on_type_formatting(
    session: LspSession, params: t.DocumentOnTypeFormattingParams
) -> list[Json] | None:
    """Return the edits that format the line or bundle which a typed character completed."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset = view.coordinates.offset(params.position)
    style, case = _settings(session, uri)
    return _edits(view, formatting_on_type(view.analysis, offset, params.ch, style, case))


def _tidied(session: LspSession, uri: str, ranges: Sequence[t.Range] | None) -> list[Json] | None:
    """Return the edits that format a document, or the bundles that some ranges of it touch."""
    view = session.view(uri)
    if view is None:
        return None
    spans = [None] if ranges is None else [view.coordinates.span(range_) for range_ in ranges]
    style, case = _settings(session, uri)
    found = {edit for span in spans for edit in formatting_edits(view.analysis, style, span, case)}
    return _edits(view, sorted(found))


def _settings(session: LspSession, uri: str) -> tuple[str, str]:
    """The layout style and the case of mnemonics that the project of a document configures."""
    configuration = session.projects.of(session.documents[uri]).configuration
    return configuration.format_style or KEEP, configuration.mnemonic_case or KEEP_CASE


def _edits(view: View, edits: Iterable[TextEdit]) -> list[Json]:
    return [view.coordinates.edit(edit) for edit in edits]
