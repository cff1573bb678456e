"""Renaming labels from an editor."""

from __future__ import annotations

import pytest
from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

from tests.server.conversation import asked, changed, greeted, opened
from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

VERSIONED = ("vscode", "vscode-2022", "emacs")
TEXT = "# \U0001f600\n\u4e2d again: incr lr0 1;;\nb -1;;\nbne lr0 lr1 again;;\n"


async def check_rename(editor: Editor, at: str, new_name: str, *expected: int) -> None:
    """The word at `at` is replaced at these offsets, in the form that this editor takes."""
    uri = editor.open(TEXT).uri
    document, position = t.TextDocumentIdentifier(uri), editor.position(TEXT, TEXT.index(at))
    found = await editor.text_document_rename_async(t.RenameParams(document, position, new_name))
    edits = tuple(
        t.TextEdit(editor.range(TEXT, start, start + len(at)), new_name) for start in expected
    )
    if editor.name in VERSIONED:
        versioned = t.OptionalVersionedTextDocumentIdentifier(uri=uri, version=1)
        assert found == t.WorkspaceEdit(document_changes=(t.TextDocumentEdit(versioned, edits),))
    else:
        assert found == t.WorkspaceEdit(changes={uri: edits})


async def check_refused(editor: Editor, at: str, new_name: str, reason: str) -> None:
    """Renaming is refused with that reason."""
    document = t.TextDocumentIdentifier(editor.open(TEXT).uri)
    position = editor.position(TEXT, TEXT.index(at))
    with pytest.raises(JsonRpcException) as refusal:
        await editor.text_document_rename_async(t.RenameParams(document, position, new_name))
    assert (refusal.value.code, refusal.value.message) == (-32803, reason)


async def test_a_label_gets_its_new_name_wherever_it_is_written(editor: Editor) -> None:
    await check_rename(editor, "again", "loop", TEXT.index("again"), TEXT.rindex("again"))


async def test_a_refusal_tells_its_reason(editor: Editor) -> None:
    await check_refused(editor, "lr0", "x", "lr0 may have its value from before the program")
    reason = "a label cannot be called a b: it is not a valid name"
    await check_refused(editor, "again", "a b", reason)


async def test_the_word_to_rename_is_shown_beforehand(editor: Editor) -> None:
    uri = editor.open(TEXT).uri
    start = TEXT.rindex("again")
    document, position = t.TextDocumentIdentifier(uri), editor.position(TEXT, start + 2)
    params = t.PrepareRenameParams(document, position)
    found = await editor.text_document_prepare_rename_async(params)
    span = editor.range(TEXT, start, start + len("again"))
    assert found == t.PrepareRenamePlaceholder(span, "again")
    elsewhere = t.PrepareRenameParams(document, editor.position(TEXT, TEXT.index("-1")))
    with pytest.raises(JsonRpcException, match="a distance cannot be renamed: rename again where"):
        await editor.text_document_prepare_rename_async(elsewhere)


async def test_a_document_that_is_not_open_has_no_names(editor: Editor) -> None:
    document, start = t.TextDocumentIdentifier("untitled:gone"), t.Position(0, 0)
    assert await editor.text_document_rename_async(t.RenameParams(document, start, "x")) is None
    params = t.PrepareRenameParams(document, start)
    assert await editor.text_document_prepare_rename_async(params) is None


async def test_edits_are_of_the_version_that_the_server_knows() -> None:
    position = {"line": 0, "character": 0}
    span = {"start": position, "end": position}
    answer = greeted(
        opened("untitled:a", ": acc;;"),
        changed("untitled:a", 7, {"range": span, "text": "x"}),
        asked(1, "rename", "untitled:a", position=position, newName="y"),
        capabilities={"workspace": {"workspaceEdit": {"documentChanges": True}}},
    ).answer(1)["result"]
    (change,) = answer["documentChanges"]
    assert change["textDocument"] == {"uri": "untitled:a", "version": 7}
    assert [edit["newText"] for edit in change["edits"]] == ["y"]
