"""What editors can fold away."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types as t

from tests.server.conversation import asked, greeted, opened
from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "# \U0001f600\n# two\nx: acc;\n bkpt;;\n acc;;\n"
FOLDS = [(0, 1, "comment"), (2, 4, "region"), (2, 3, "region")]


async def check_folding(editor: Editor, text: str, *expected: tuple[int, int, str]) -> None:
    """The folds of a text: whole lines and their kind."""
    params = t.FoldingRangeParams(t.TextDocumentIdentifier(editor.open(text).uri))
    found = await editor.text_document_folding_range_async(params)
    assert found is not None
    assert list(found) == [t.FoldingRange(a, b, kind=t.FoldingRangeKind(k)) for a, b, k in expected]


async def test_comments_bundles_and_labels_fold(editor: Editor) -> None:
    await check_folding(editor, TEXT, *FOLDS)
    await check_folding(editor, TEXT.replace("\n", "\r\n"), *FOLDS)


async def test_short_texts_have_nothing_to_fold(editor: Editor) -> None:
    await check_folding(editor, "")
    await check_folding(editor, "acc;;\n")


async def test_a_document_that_is_not_open_does_not_fold(editor: Editor) -> None:
    params = t.FoldingRangeParams(t.TextDocumentIdentifier("untitled:gone"))
    assert await editor.text_document_folding_range_async(params) is None


@pytest.mark.parametrize(
    ("limit", "count"), [(1, 1), (2, 2), (5000, 3), (0, 3), (-1, 3), ("1", 3), (True, 3)]
)
async def test_a_client_gets_no_more_folds_than_it_wants(limit: Any, count: int) -> None:
    answer = greeted(
        opened("untitled:a", TEXT),
        asked(1, "foldingRange", "untitled:a"),
        capabilities={"textDocument": {"foldingRange": {"rangeLimit": limit}}},
    ).answer(1)["result"]
    found = [(fold["startLine"], fold["endLine"], fold["kind"]) for fold in answer]
    assert found == FOLDS[:count]
