"""Macros and directives, as an editor asks for them."""

from __future__ import annotations

from typing import Any, Callable

import pytest
from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

READ, WRITE = t.DocumentHighlightKind.Read, t.DocumentHighlightKind.Write
TEXT = """\
// \U0001f600 where it begins
#define BASE m3
.macro STEP dst, n=4
    add \\dst, $BASE, \\n
.endm
1:  STEP $m0
    STEP $m1, 5
    bri 1b
    .al
"""


async def check_place(
    editor: Editor, ask: Callable[..., Any], params: Any, part: str, within: int = 0, **more: Any
) -> Any:
    """What the server answers about the place within the first such part of the text."""
    uri = editor.open(TEXT, name="vertex.S", language="colossus-asm").uri
    position = editor.position(TEXT, TEXT.index(part) + within)
    document = t.TextDocumentIdentifier(uri)
    return await ask(params(text_document=document, position=position, **more))


async def test_uses_of_a_macro_are_read_and_its_definition_is_written(editor: Editor) -> None:
    ask = editor.text_document_document_highlight_async
    found = await check_place(editor, ask, t.DocumentHighlightParams, "STEP $m1")
    starts = [at for at in range(len(TEXT)) if TEXT.startswith("STEP", at)]
    ranges = [editor.range(TEXT, at, at + 4) for at in starts]
    assert [(place.range, place.kind) for place in found] == list(
        zip(ranges, (WRITE, READ, READ), strict=True)
    )


async def test_a_value_has_references(editor: Editor) -> None:
    ask = editor.text_document_references_async
    context = t.ReferenceContext(include_declaration=False)
    found = await check_place(editor, ask, t.ReferenceParams, "BASE, ", context=context)
    start = TEXT.index("BASE, ")
    assert [place.range for place in found] == [editor.range(TEXT, start, start + 4)]


async def test_macros_and_their_arguments_have_pages(editor: Editor) -> None:
    ask = editor.text_document_hover_async
    found = await check_place(editor, ask, t.HoverParams, "STEP $m1")
    assert ".macro STEP dst, n=4" in found.contents.value
    start = TEXT.index("STEP $m1")
    assert found.range == editor.range(TEXT, start, start + 4)
    found = await check_place(editor, ask, t.HoverParams, "\\n", 1)
    assert "parameter of the macro" in found.contents.value
    assert found.range == editor.range_of(TEXT, "\\n")
    found = await check_place(editor, ask, t.HoverParams, ".endm")
    assert "Ends the body of a macro." in found.contents.value


async def test_macros_are_offered_as_functions_and_values_as_constants(editor: Editor) -> None:
    ask = editor.text_document_completion_async
    kinds = t.CompletionItemKind
    found = await check_place(editor, ask, t.CompletionParams, "STEP $m1", 2)
    assert {item.label: item.kind for item in found.items}["STEP"] == kinds.Function
    found = await check_place(editor, ask, t.CompletionParams, "$BASE", 2)
    (item,) = [item for item in found.items if item.label == "$BASE"]
    assert (item.kind, item.detail) == (kinds.Constant, "m3")
    resolved = await editor.completion_item_resolve_async(item)
    page = resolved.documentation
    assert page is not None
    assert "#define BASE m3" in (page if isinstance(page, str) else page.value)
    found = await check_place(editor, ask, t.CompletionParams, "1b", 1)
    assert [(item.label, item.detail) for item in found.items if item.label == "1b"] == [
        ("1b", "line 6")
    ]


async def test_directives_are_offered_as_keywords_in_place_of_the_whole_word(
    editor: Editor,
) -> None:
    ask = editor.text_document_completion_async
    found = await check_place(editor, ask, t.CompletionParams, ".al\n", 3)
    align = next(item for item in found.items if item.label == ".align")
    assert align.kind == t.CompletionItemKind.Keyword
    assert align.text_edit.range == editor.range_of(TEXT, ".al")
    assert align.detail.startswith("Fills up to the next address")


async def test_a_macro_leads_to_its_definition_and_stands_in_the_outline(editor: Editor) -> None:
    ask = editor.text_document_definition_async
    found = await check_place(editor, ask, t.DefinitionParams, "BASE, ", 4)
    (found,) = found if isinstance(found, list | tuple) else (found,)
    there = found.range if isinstance(found, t.Location) else found.target_selection_range
    assert there == editor.range_of(TEXT, "BASE")
    uri = editor.open(TEXT, name="vertex.S", language="colossus-asm").uri
    params = t.DocumentSymbolParams(t.TextDocumentIdentifier(uri))
    symbols = await editor.text_document_document_symbol_async(params)
    step = next(symbol for symbol in symbols or () if symbol.name == "STEP")
    assert step.kind == t.SymbolKind.Function
    whole = step.range if isinstance(step, t.DocumentSymbol) else step.location.range
    assert whole == editor.range(TEXT, TEXT.index(".macro"), TEXT.index("\n1:"))


async def test_a_macro_is_found_in_the_workspace(editor: Editor) -> None:
    editor.open(TEXT, name="vertex.S", language="colossus-asm")
    found = await editor.workspace_symbol_async(t.WorkspaceSymbolParams("STEP"))
    assert {symbol.name for symbol in found or ()} >= {"STEP"}


async def test_a_macro_is_renamed_or_the_reason_against_it_is_told(editor: Editor) -> None:
    ask = editor.text_document_rename_async
    found = await check_place(editor, ask, t.RenameParams, "STEP $m1", new_name="GO")
    edits = [*(found.changes or {}).values()] or [c.edits for c in found.document_changes]
    assert [edit.new_text for edit in edits[0]] == ["GO"] * 3
    with pytest.raises(
        JsonRpcException, match="a macro cannot be called add: an instruction has that name"
    ):
        await check_place(editor, ask, t.RenameParams, "STEP $m1", new_name="add")


async def test_a_call_of_a_macro_has_its_parameters(editor: Editor) -> None:
    ask = editor.text_document_signature_help_async
    found = await check_place(editor, ask, t.SignatureHelpParams, "$m1, 5", 5)
    (signature,) = found.signatures
    assert (signature.label, found.active_parameter) == ("STEP dst, n=4", 1)
    assert [parameter.label for parameter in signature.parameters] == ["dst", "n=4"]
    assert "line 3" in signature.documentation.value
