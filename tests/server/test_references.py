"""Where things are named, as a list and lit up in the window."""

from __future__ import annotations

import pytest
from lsprotocol import types as t

from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

READ, WRITE = t.DocumentHighlightKind.Read, t.DocumentHighlightKind.Write
TEXT = (
    "# \U0001f600\n\u4e2d again: incr lr0 1;;\nb -1; str_acc_reg lr0 cr0;;\nb again; set lr0 0;;\n"
)


async def check_references(editor: Editor, text: str, at: str, *expected: int) -> None:
    """What stands at `at` is named at these offsets, the first of which defines it."""
    uri = editor.open(text).uri
    width = len(at)
    position = editor.position(text, text.index(at))
    for with_definition in (True, False):
        params = t.ReferenceParams(
            t.ReferenceContext(with_definition), t.TextDocumentIdentifier(uri), position
        )
        found = await editor.text_document_references_async(params)
        wanted = expected if with_definition else expected[1:]
        starts = [editor.position(text, offset) for offset in wanted]
        assert [place.range.start for place in found or ()] == starts
        assert all(place.uri == uri for place in found or ())
        assert found or found is None
        widths = [place.range.end.character - place.range.start.character for place in found or ()]
        assert max(widths, default=width) == width


async def check_highlights(
    editor: Editor, text: str, at: str, *expected: tuple[str, int, t.DocumentHighlightKind]
) -> None:
    """What stands at `at` is lit up as these words at these offsets in these ways."""
    uri = editor.open(text).uri
    position = editor.position(text, text.index(at) + 1)
    params = t.DocumentHighlightParams(t.TextDocumentIdentifier(uri), position)
    found = await editor.text_document_document_highlight_async(params)
    wanted = [
        t.DocumentHighlight(editor.range(text, start, start + len(word)), kind)
        for word, start, kind in expected
    ]
    assert list(found or ()) == wanted
    assert (found is None) == (not wanted)


async def test_branches_by_name_and_by_distance_are_references(editor: Editor) -> None:
    await check_references(
        editor, TEXT, "again", TEXT.index("again"), TEXT.index("-1"), TEXT.rindex("again")
    )


async def test_what_names_nothing_has_no_references(editor: Editor) -> None:
    await check_references(editor, TEXT, "incr")


async def test_a_register_is_lit_up_as_read_and_written(editor: Editor) -> None:
    places = [at for at in range(len(TEXT)) if TEXT.startswith("lr0", at)]
    kinds = (WRITE, READ, WRITE)
    await check_highlights(editor, TEXT, "lr0", *[("lr0", at, k) for at, k in zip(places, kinds)])
    await check_highlights(editor, TEXT, "cr0", ("cr0", TEXT.index("cr0"), READ))


async def test_a_label_is_lit_up_as_written_where_it_is_defined(editor: Editor) -> None:
    await check_highlights(
        editor,
        TEXT,
        "again",
        ("again", TEXT.index("again"), WRITE),
        ("-1", TEXT.index("-1"), READ),
        ("again", TEXT.rindex("again"), READ),
    )


async def test_nothing_is_lit_up_in_a_comment_or_a_document_that_is_not_open(
    editor: Editor,
) -> None:
    await check_highlights(editor, TEXT, "#")
    document, start = t.TextDocumentIdentifier("untitled:gone"), t.Position(0, 0)
    lit = t.DocumentHighlightParams(document, start)
    assert await editor.text_document_document_highlight_async(lit) is None
    named = t.ReferenceParams(t.ReferenceContext(True), document, start)
    assert await editor.text_document_references_async(named) is None
