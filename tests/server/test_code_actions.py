"""Fixes and refactorings, offered and made."""

from __future__ import annotations

from typing import Sequence

import pytest
from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

from ipu_asm.text import Span, TextEdit, apply_edits
from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

LITERALS = ("vscode", "vscode-2022", "neovim", "emacs")
SHOWING_REFUSALS = ("vscode", "vscode-2022")
DOCUMENT_CHANGES = ("vscode", "vscode-2022", "emacs")
QUICK_FIX, FIX_ALL = t.CodeActionKind.QuickFix, t.CodeActionKind.SourceFixAll
TWO = "\U0001f4a9 ACC.first;;\nbkpt; \u4e2d acc.frist;;\n"


async def check_code_actions(
    editor: Editor, text: str, at: str, *expected: str, only: Sequence[str] | None = None
) -> list[t.CodeAction]:
    """Offered on the text `at` are actions that make exactly these texts, in this order."""
    uri = editor.open(text).uri
    context = t.CodeActionContext(diagnostics=[], only=only)
    document = t.TextDocumentIdentifier(uri)
    params = t.CodeActionParams(document, editor.range_of(text, at), context)
    found = await editor.text_document_code_action_async(params)
    if editor.name not in LITERALS:
        assert found is None
        return []
    assert found is not None
    actions = [action for action in found if isinstance(action, t.CodeAction)]
    assert actions == list(found)
    assert [made(editor, uri, text, action) for action in actions] == list(expected)
    return actions


def made(editor: Editor, uri: str, text: str, action: t.CodeAction) -> str:
    """The text after an action."""
    assert action.edit is not None
    if editor.name in DOCUMENT_CHANGES:
        assert action.edit.changes is None
        assert action.edit.document_changes is not None
        (change,) = action.edit.document_changes
        assert isinstance(change, t.TextDocumentEdit)
        assert change.text_document == t.OptionalVersionedTextDocumentIdentifier(uri, 1)
        edits = change.edits
    else:
        assert action.edit.document_changes is None
        assert action.edit.changes is not None
        edits = action.edit.changes[uri]
    places = {
        (place.line, place.character): offset
        for offset in range(len(text) + 1)
        for place in [editor.position(text, offset)]
    }
    spans = [[(p.line, p.character) for p in (e.range.start, e.range.end)] for e in edits]
    return apply_edits(
        text,
        [
            TextEdit(Span(places[start], places[end]), edit.new_text)  # type: ignore[union-attr]
            for edit, (start, end) in zip(edits, spans)
        ],
    )


async def test_a_finding_is_mended_where_the_cursor_is(editor: Editor) -> None:
    for marked, name, meant, is_safe in (
        ("frist", "acc.frist", "acc.first", False),
        ("ACC", "ACC.first", "acc.first", True),
    ):
        fixed = TWO.replace(name, meant)
        actions = await check_code_actions(editor, TWO, marked, fixed, only=["quickfix"])
        for action in actions:
            assert action.kind == QUICK_FIX
            assert bool(action.is_preferred) == is_safe
            (finding,) = action.diagnostics or ()
            assert finding.code == "E101"
            assert finding.range == editor.range_of(TWO, name)
            assert finding in await editor.findings(f"{action_uri(action)}")


async def test_a_template_is_not_edited(editor: Editor) -> None:
    template = TWO + "# {{ name }}\n"
    await check_code_actions(editor, template, "ACC", only=["quickfix", "source.fixAll"])


async def test_everything_safe_is_mended_at_once(editor: Editor) -> None:
    fixed = TWO.replace("ACC", "acc")
    for only in (["source.fixAll"], ["source"]):
        actions = await check_code_actions(editor, TWO, "bkpt", fixed, only=only)
        assert all(a.kind == FIX_ALL and a.diagnostics is None for a in actions)


async def test_without_a_word_about_kinds_all_are_offered(editor: Editor) -> None:
    text = "ACC;;\n"
    await check_code_actions(editor, text, "ACC", "acc;;\n", "acc;;\n")


async def test_kinds_that_we_do_not_have_are_not_offered(editor: Editor) -> None:
    await check_code_actions(editor, TWO, "frist", only=["refactor.extract", "source.sortThings"])


async def test_where_there_is_nothing_to_do_nothing_is_offered(editor: Editor) -> None:
    await check_code_actions(editor, "# \u4e2d\nacc.first;;\nbkpt;;\n", "\u4e2d")


async def test_an_instruction_is_moved_behind_characters_of_two_units(editor: Editor) -> None:
    text = "set lr0 1; acc;; # \U0001f4a9\nset lr1 1; bkpt;;\n"
    expected = "set lr0 1;; # \U0001f4a9\nacc; set lr1 1; bkpt;;\n"
    actions = await check_code_actions(editor, text, "acc", expected, only=["refactor.move"])
    assert [action.title for action in actions] == ["Move acc to the next bundle"] * len(actions)
    assert all(action.kind == "refactor.move" for action in actions)


async def test_a_finding_is_silenced_by_a_comment(editor: Editor) -> None:
    text = "acc;;\na: acc;; bkpt;; # \U0001f4a9\n"
    titles = [action.title for action in await offered(editor, text, "a:", ["quickfix"])]
    assert ("Ignore unused-label here" in titles) == (editor.name in LITERALS)


async def test_what_is_refused_is_told_to_those_who_ask_and_can_show_it(editor: Editor) -> None:
    text = "set lr0 1;; beq lr0 lr1 +1;; bkpt;;\n"
    reason = "beq lr0 lr1 +1 would see another value of lr0"
    for only, asks in ((["refactor"], True), (["refactor.rewrite"], True), (None, False)):
        reasons = [
            action.disabled.reason
            for action in await offered(editor, text, "set", only)
            if action.disabled is not None
        ]
        shown = asks and editor.name in SHOWING_REFUSALS
        assert (reason in reasons) == bool(reasons) == shown, only


async def offered(
    editor: Editor, text: str, at: str, only: Sequence[str] | None
) -> list[t.CodeAction]:
    """The actions on the text `at`; one without an edit is a refused one."""
    context = t.CodeActionContext(diagnostics=[], only=only)
    document = t.TextDocumentIdentifier(editor.open(text).uri)
    params = t.CodeActionParams(document, editor.range_of(text, at), context)
    found = await editor.text_document_code_action_async(params) or ()
    actions = [action for action in found if isinstance(action, t.CodeAction)]
    assert all((action.edit is None) == (action.disabled is not None) for action in actions)
    return actions


async def test_exactly_the_kinds_that_exist_are_advertised(editor: Editor) -> None:
    provider = editor.offer.code_action_provider
    assert isinstance(provider, t.CodeActionOptions)
    kinds = [getattr(kind, "value", kind) for kind in provider.code_action_kinds or ()]
    assert kinds == ["quickfix", "refactor.move", "refactor.rewrite", "source.fixAll"]


def action_uri(action: t.CodeAction) -> str:
    """The document that an action edits."""
    assert action.edit is not None
    if action.edit.changes is not None:
        return next(iter(action.edit.changes))
    (change,) = action.edit.document_changes or ()
    assert isinstance(change, t.TextDocumentEdit)
    return change.text_document.uri


LOOSE = "\U0001f4a9"
PACKABLE = f"# {LOOSE}\nset lr2 4;;\nx: incr lr1 1;;\nacc;;\nbne lr1 lr2 x;;\nbkpt;;\n"
RESOLVING = ("vscode", "vscode-2022", "neovim")


async def packing_offers(
    editor: Editor, text: str, at: str = "acc", title: str = "Pack"
) -> list[t.CodeAction]:
    uri = editor.open(text).uri
    context = t.CodeActionContext(diagnostics=[], only=["refactor.rewrite"])
    document = t.TextDocumentIdentifier(uri)
    params = t.CodeActionParams(document, editor.range_of(text, at), context)
    found = await editor.text_document_code_action_async(params) or ()
    return [
        action
        for action in found
        if isinstance(action, t.CodeAction) and action.title.startswith(title)
    ]


async def test_packing_is_offered_to_clients_that_resolve_edits(editor: Editor) -> None:
    offers = await packing_offers(editor, PACKABLE)
    if editor.name not in RESOLVING:
        assert offers == []
        return
    (offer,) = offers
    assert offer.title == "Pack this block into 2 bundles, 1 fewer"
    assert offer.edit is None
    resolved = await editor.code_action_resolve_async(offer)
    uri = offer.data["uri"] if isinstance(offer.data, dict) else ""
    assert made(editor, uri, PACKABLE, resolved) == PACKABLE.replace("1;;\nacc", "1; acc")


async def test_packing_that_is_not_proven_is_refused_with_the_reason(editor: Editor) -> None:
    if editor.name not in RESOLVING:
        return
    text = "acc;;\nsub lr2 lr0 cr3;;\nldr_mult_reg r0 lr2 cr0;;\nbkpt;;\n"
    (offer,) = await packing_offers(editor, text)
    with pytest.raises(JsonRpcException, match="not packed: no values of cr3, cr0"):
        await editor.code_action_resolve_async(offer)


OVERLAPPING = f"""\
# {LOOSE}
# CR cr0 = 0, cr1 = 0x10000, cr2 = 0x20000, cr5 = 1
    set lr0 -128; set lr3 0;;
    set lr1 -512; set lr2 2048;;
row:
    incr lr0 128; ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr1 lr3; mult.ee r0 lr3 lr3 lr3; acc.first; agg max value cr5 aaq0;;
    acc.add_aaq aaq0;;
    incr lr1 512; str_acc_reg lr1 cr2; bne lr0 lr2 row;;
    bkpt;;
"""
STEPPING = f"""\
# {LOOSE}
    set lr1 0; set lr2 9;;
    set lr0 0;;
row:
    ldr_mult_reg r0 lr0 cr0;;
    incr lr0 128; incr lr1 1;;
    bne lr1 lr2 row;;
    bkpt;;
"""


@pytest.mark.parametrize(
    ("text", "at", "title", "expected"),
    [
        (OVERLAPPING, "acc.add", "Pipeline", "# prologue of row: the first iteration begins"),
        (STEPPING, "incr", "Update", "incr lr0 128; bne lr0 lr2 row;;"),
    ],
)
async def test_loops_are_pipelined_and_rebased_when_the_offer_is_accepted(
    editor: Editor, text: str, at: str, title: str, expected: str
) -> None:
    offers = await packing_offers(editor, text, at, title)
    if editor.name not in RESOLVING:
        assert offers == []
        return
    (offer,) = offers
    assert offer.edit is None
    resolved = await editor.code_action_resolve_async(offer)
    uri = offer.data["uri"] if isinstance(offer.data, dict) else ""
    written = made(editor, uri, text, resolved)
    assert expected in written
    assert written.startswith(f"# {LOOSE}\n")
    assert written.endswith("bkpt;;\n")


async def test_rebasing_that_saves_nothing_is_refused(editor: Editor) -> None:
    if editor.name not in RESOLVING:
        return
    text = STEPPING.replace("incr lr0 128", "add lr0 lr0 lr0").replace("set lr0 0", "set lr0 1")
    (offer,) = await packing_offers(editor, text, "bne", "Update")
    with pytest.raises(JsonRpcException, match="not rebased: no other update of loop registers"):
        await editor.code_action_resolve_async(offer)


async def test_an_offer_to_pack_holds_for_one_version_of_the_text(editor: Editor) -> None:
    if editor.name not in RESOLVING:
        return
    (offer,) = await packing_offers(editor, PACKABLE)
    uri = offer.data["uri"] if isinstance(offer.data, dict) else ""
    editor.edit(uri, 2, t.TextDocumentContentChangeWholeDocument(text="acc;;\n"))
    with pytest.raises(JsonRpcException, match="the text has changed"):
        await editor.code_action_resolve_async(offer)


async def test_other_actions_are_resolved_to_themselves(editor: Editor) -> None:
    action = t.CodeAction(title="Other")
    assert await editor.code_action_resolve_async(action) == action
