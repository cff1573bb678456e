"""The page about what the cursor is on, as each editor can show it."""

from __future__ import annotations

import pytest
from lsprotocol import types as t

from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHOWS_MARKDOWN = ("vscode", "vscode-2022", "neovim", "emacs")


async def check_hover(editor: Editor, text: str, about: str | None) -> str:
    """Hovering at `$0` tells about that text; None for nothing. The page."""
    offset = text.index("$0")
    text = text.replace("$0", "")
    uri = editor.open(text).uri
    params = t.HoverParams(t.TextDocumentIdentifier(uri), editor.position(text, offset))
    found = await editor.text_document_hover_async(params)
    if found is None or about is None:
        assert found is None
        assert about is None
        return ""
    assert found.range == editor.range_of(text, about)
    assert isinstance(found.contents, t.MarkupContent)
    shows_markdown = editor.name in SHOWS_MARKDOWN
    kind = t.MarkupKind.Markdown if shows_markdown else t.MarkupKind.PlainText
    assert found.contents.kind is kind
    return found.contents.value


async def test_a_mnemonic_shows_its_page_in_the_editors_format(editor: Editor) -> None:
    page = await check_hover(editor, "acc.fi$0rst;;\n", "acc.first")
    start = "```ipu-asm\nacc.first\n```" if editor.name in SHOWS_MARKDOWN else "acc.first\n\n"
    assert page.startswith(start)


@pytest.mark.parametrize(
    "before", ["", "é ", "\U0001f600 ", "\u4e2d\U0001f600\U0001f600 ", "\ud800 "]
)
async def test_the_range_counts_columns_as_agreed(editor: Editor, before: str) -> None:
    assert await check_hover(editor, f"bkpt;;\n{before}incr lr1$02 1;;\n", "lr12")


async def test_nothing_is_said_about_a_comment(editor: Editor) -> None:
    await check_hover(editor, "acc;; # wo$0rds\n", None)


async def test_a_place_behind_everything_is_the_end_of_the_text(editor: Editor) -> None:
    uri = editor.open("acc.first").uri
    params = t.HoverParams(t.TextDocumentIdentifier(uri), t.Position(7, 7_000))
    found = await editor.text_document_hover_async(params)
    assert found is not None
    assert found.range == editor.range("acc.first", 0, 9)


async def test_a_document_that_is_not_open_has_no_page(editor: Editor) -> None:
    params = t.HoverParams(t.TextDocumentIdentifier("file:///nowhere.s"), t.Position(0, 0))
    assert await editor.text_document_hover_async(params) is None
