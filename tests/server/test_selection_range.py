"""What selections in editors grow to."""

from __future__ import annotations

import pytest
from lsprotocol import types as t

from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "# \U0001f600\nx: incr lr0 1;;\n# \u4e2d\nacc;;\n"


async def check_selection(editor: Editor, text: str, *places: tuple[int, list[str]]) -> None:
    """From each offset selections grow to these texts, and then to the file."""
    document = t.TextDocumentIdentifier(editor.open(text).uri)
    positions = [editor.position(text, offset) for offset, _ in places]
    params = t.SelectionRangeParams(document, positions)
    found = await editor.text_document_selection_range_async(params)
    assert found is not None
    assert len(found) == len(places)
    for innermost, (offset, parts) in zip(found, places):
        chain: t.SelectionRange | None = innermost
        for part in [*parts, text]:
            assert chain is not None
            start = text.rindex(part, 0, offset + len(part)) if part else offset
            assert chain.range == editor.range(text, start, start + len(part))
            chain = chain.parent
        assert chain is None


async def test_each_of_several_selections_grows_by_itself(editor: Editor) -> None:
    await check_selection(
        editor,
        TEXT,
        (TEXT.index("lr0"), ["lr0", "incr lr0 1", "x: incr lr0 1;;", TEXT[TEXT.index("x") : -1]]),
        (TEXT.index("acc"), ["acc", "acc;;", TEXT[TEXT.index("x") : -1]]),
        (TEXT.index("\u4e2d"), ["# \u4e2d", TEXT[TEXT.index("x") : -1]]),
        (0, [""]),
    )


async def test_an_empty_text_is_all_that_there_is(editor: Editor) -> None:
    await check_selection(editor, "", (0, []))


async def test_no_positions_have_no_selections(editor: Editor) -> None:
    await check_selection(editor, TEXT)


async def test_a_document_that_is_not_open_has_no_selections(editor: Editor) -> None:
    params = t.SelectionRangeParams(t.TextDocumentIdentifier("untitled:gone"), [t.Position(0, 0)])
    assert await editor.text_document_selection_range_async(params) is None
