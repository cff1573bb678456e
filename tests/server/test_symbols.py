"""The outline that editors show, and the labels of all documents."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

import pytest
from lsprotocol import types as t

from tests.server.conversation import converse, greeted, opened
from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

TREES = ("vscode", "vscode-2022", "neovim", "emacs")
LABEL, BUNDLE = t.SymbolKind.Function, t.SymbolKind.Event
TEXT = "# \U0001f600\nfirst: acc;;\n  incr lr0 1;;\n\u00e9 second:\n    b first;;\n"
LOOP = TEXT[TEXT.index("first") : -1]
SECOND = "second:\n    b first;;"


async def check_symbols(
    editor: Editor, text: str, *expected: tuple[str, t.SymbolKind, str, str | None]
) -> None:
    """The outline, outer symbols first: name, kind, stretch of the text, and what it lies in."""
    uri = editor.open(text).uri
    params = t.DocumentSymbolParams(t.TextDocumentIdentifier(uri))
    found = await editor.text_document_document_symbol_async(params)
    assert found is not None
    assert all(isinstance(s, t.DocumentSymbol) == (editor.name in TREES) for s in found)
    wanted = [(name, kind, editor.range_of(text, part), up) for name, kind, part, up in expected]
    trees = [symbol for symbol in found if isinstance(symbol, t.DocumentSymbol)]
    if trees:
        assert _of_tree(editor, text, trees, None) == wanted
        return
    flat = [symbol for symbol in found if isinstance(symbol, t.SymbolInformation)]
    assert all(symbol.location.uri == uri for symbol in flat)
    assert [(s.name, s.kind, s.location.range, s.container_name) for s in flat] == wanted


def _of_tree(
    editor: Editor, text: str, found: Sequence[t.DocumentSymbol], outer: str | None
) -> list[tuple[str, t.SymbolKind, t.Range, str | None]]:
    entries = []
    for symbol in found:
        assert symbol.detail
        mnemonic = symbol.detail.partition(" ")[0]
        name = mnemonic if symbol.kind == BUNDLE else symbol.name
        assert symbol.selection_range == editor.range_of(text, name)
        entries.append((symbol.name, symbol.kind, symbol.range, outer))
        entries += _of_tree(editor, text, symbol.children or (), symbol.name)
    return entries


async def test_labels_are_the_outline_and_loops_lie_around_them(
    editor: Editor,
) -> None:
    await check_symbols(
        editor,
        TEXT.replace("\u00e9 ", ""),
        ("first", LABEL, LOOP.replace("\u00e9 ", ""), None),
        ("second", LABEL, SECOND, "first"),
    )


async def test_a_document_without_labels_has_no_outline(editor: Editor) -> None:
    await check_symbols(editor, "# nothing\n")
    await check_symbols(editor, "acc;;\n")


async def test_bundles_are_found_by_their_distance_from_a_label(editor: Editor) -> None:
    uri = editor.open("zrow: acc;;\nincr lr0 1;;\nb zrow;;").uri
    found = await editor.workspace_symbol_async(t.WorkspaceSymbolParams("zrow+1"))
    assert [(s.name, s.kind) for s in found or ()] == [("zrow+1", BUNDLE)]
    editor.close(uri)


async def test_a_document_that_is_not_open_has_no_outline(editor: Editor) -> None:
    params = t.DocumentSymbolParams(t.TextDocumentIdentifier("untitled:gone"))
    assert await editor.text_document_document_symbol_async(params) is None


async def test_the_labels_of_all_open_documents_are_found_by_their_letters(editor: Editor) -> None:
    here = editor.open("\U0001f600 Zq_Outer_loop: acc;;\nacc;;\nb Zq_Outer_loop;;").uri
    there = editor.open("zqouter: SYNC\n", name="zoo.edgenpu", language="edgenpu-asm").uri
    found = await editor.workspace_symbol_async(t.WorkspaceSymbolParams("ZQ OUT"))
    assert found is not None
    name = "Zq_Outer_loop"
    text = "\U0001f600 " + name
    span = editor.range_of(text, name)
    entries = [s for s in found if isinstance(s, t.SymbolInformation)]
    assert [(s.name, s.kind, s.location) for s in entries] == [
        (name, LABEL, t.Location(here, span)),
        ("zqouter", LABEL, t.Location(there, editor.range_of("zqouter", "zqouter"))),
    ]
    assert [str(s.container_name).endswith(("kernel.s", "zoo.edgenpu")) for s in entries] == [
        True
    ] * 2
    for uri in (here, there):
        editor.close(uri)
    assert not await editor.workspace_symbol_async(t.WorkspaceSymbolParams("ZQ OUT"))


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["again", "Gain", "nix"]),
        ("a", ["again", "Gain"]),
        ("GN", ["again", "Gain"]),
        ("agn", ["again"]),
        ("nn", []),
        ("na", []),
        ("\U0001f600", []),
    ],
)
async def test_letters_are_matched_in_their_order_whatever_their_case(
    query: str, names: list[str]
) -> None:
    said = greeted(
        opened("file:///a/b/first.s", "again: acc;;\nGain: acc;;"),
        opened("untitled:second.s", "nix: acc;;"),
        opened("untitled:other", "acc;;"),
        {"id": 1, "method": "workspace/symbol", "params": {"query": query}},
    )
    found = said.answer(1)["result"]
    assert [symbol["name"] for symbol in found] == names
    files = {"again": "first.s", "Gain": "first.s", "nix": "untitled:second.s"}
    assert [symbol["containerName"] for symbol in found] == [files[name] for name in names]


async def test_labels_of_files_that_are_not_open_are_found_too(tmp_path: Path) -> None:
    (tmp_path / "closed.ipu").write_text("nearby: acc;;\n", encoding="utf-8")
    folder = {"uri": tmp_path.as_uri(), "name": "kernels"}
    initialize = {"capabilities": {}, "workspaceFolders": [folder]}
    said = converse(
        {"id": 0, "method": "initialize", "params": initialize},
        {"method": "initialized", "params": {}},
        opened("untitled:here", "nearer: acc;;"),
        {"id": 1, "method": "workspace/symbol", "params": {"query": "near"}},
    )
    found = [(s["name"], s["containerName"]) for s in said.answer(1)["result"]]
    assert found == [("nearer", "untitled:here"), ("nearby", "closed.ipu")]
    (_, closed) = said.answer(1)["result"]
    assert closed["location"]["uri"] == (tmp_path / "closed.ipu").as_uri()
