"""The outline that editors show."""

from __future__ import annotations

import pytest
from lsprotocol import types as t

from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

TREES = ("vscode", "vscode-2022", "neovim", "emacs")


async def check_symbols(editor: Editor, text: str, *expected: tuple[str, str]) -> None:
    """The outline has these names with these stretches of the text."""
    uri = editor.open(text).uri
    params = t.DocumentSymbolParams(t.TextDocumentIdentifier(uri))
    found = await editor.text_document_document_symbol_async(params)
    assert found is not None
    assert [symbol.name for symbol in found] == [name for name, _ in expected]
    symbols: list[t.DocumentSymbol | t.SymbolInformation] = list(found)
    for symbol, (name, whole) in zip(symbols, expected):
        assert symbol.kind is t.SymbolKind.Function
        assert isinstance(symbol, t.DocumentSymbol) == (editor.name in TREES)
        if isinstance(symbol, t.DocumentSymbol):
            assert symbol.range == editor.range_of(text, whole)
            assert symbol.selection_range == editor.range_of(text, name)
        else:
            assert symbol.location == t.Location(uri, editor.range_of(text, whole))


async def test_labels_are_the_outline(editor: Editor) -> None:
    text = "# \U0001f600\nfirst: acc;;\n  incr lr0 1;;\n\u00e9 second:\n    b first;;\n"
    await check_symbols(
        editor,
        text,
        ("first", "first: acc;;\n  incr lr0 1;;"),
        ("second", "second:\n    b first;;"),
    )


async def test_a_document_without_labels_has_an_empty_outline(editor: Editor) -> None:
    await check_symbols(editor, "acc;;\n")


async def test_a_document_that_is_not_open_has_no_outline(editor: Editor) -> None:
    params = t.DocumentSymbolParams(t.TextDocumentIdentifier("untitled:gone"))
    assert await editor.text_document_document_symbol_async(params) is None
