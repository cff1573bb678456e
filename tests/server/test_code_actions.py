"""Fixes, offered and made."""

from __future__ import annotations

from typing import Sequence

import pytest
from lsprotocol import types as t

from ipu_asm.text import Span, TextEdit, apply_edits
from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

LITERALS = ("vscode", "vscode-2022", "neovim", "emacs")
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
    fixed = TWO.replace("frist", "first")
    actions = await check_code_actions(editor, TWO, "frist", fixed, only=["quickfix"])
    for action in actions:
        assert action.kind == QUICK_FIX
        assert action.is_preferred
        (finding,) = action.diagnostics or ()
        assert finding.code == "E101"
        assert finding.range == editor.range_of(TWO, "acc.frist")
        assert finding in await editor.findings(f"{action_uri(action)}")


async def test_everything_safe_is_mended_at_once(editor: Editor) -> None:
    fixed = TWO.replace("frist", "first").replace("ACC", "acc")
    for only in (["source.fixAll"], ["source"]):
        actions = await check_code_actions(editor, TWO, "bkpt", fixed, only=only)
        assert all(a.kind == FIX_ALL and a.diagnostics is None for a in actions)


async def test_without_a_word_about_kinds_all_are_offered(editor: Editor) -> None:
    text = "ACC;;\n"
    await check_code_actions(editor, text, "ACC", "acc;;\n", "acc;;\n")


async def test_kinds_that_we_do_not_have_are_not_offered(editor: Editor) -> None:
    await check_code_actions(editor, TWO, "frist", only=["refactor", "source.sortThings"])


async def test_where_nothing_is_wrong_nothing_is_offered(editor: Editor) -> None:
    await check_code_actions(editor, "acc.first; bkpt;;\n", "acc")


def action_uri(action: t.CodeAction) -> str:
    """The document that an action edits."""
    assert action.edit is not None
    if action.edit.changes is not None:
        return next(iter(action.edit.changes))
    (change,) = action.edit.document_changes or ()
    assert isinstance(change, t.TextDocumentEdit)
    return change.text_document.uri
