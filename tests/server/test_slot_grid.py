"""The slot grid on the wire."""

from __future__ import annotations

from typing import Any

import pytest

from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, greeted, opened

URI = "file:///kernel.s"
TEXT = "# \U0001f600\nx: incr lr0 1; foo;\n  acc;;\nb x;;\n"


def check_grid(params: Any, text: str = TEXT, language: str = "ipu-asm") -> Json:
    """The grid that these parameters ask for."""
    request = {"id": 1, "method": "ipu/slotGrid", "params": params}
    grid: Json = greeted(opened(URI, text, language), request, EXIT).answer(1)["result"]
    return grid


def document(**more: Any) -> Json:
    return {"textDocument": {"uri": URI}, **more}


def span(line: int, start: int, end_line: int, end: int) -> Json:
    places = ((line, start), (end_line, end))
    first, last = ({"line": line, "character": column} for line, column in places)
    return {"start": first, "end": last}


def test_rows_have_everything_to_draw_them() -> None:
    grid = check_grid(document())
    row, last = grid["rows"]
    assert (row["address"], row["line"], row["label"]) == (0, 1, "x")
    assert row["range"] == span(1, 0, 2, 7)
    names = [slot["name"] for slot in grid["slots"]]
    filled = {name: cells for name, cells in zip(names, row["cells"], strict=True) if cells}
    assert filled == {
        "lr": [
            {
                "mnemonic": "incr",
                "text": "incr lr0 1",
                "range": span(1, 3, 1, 13),
                "slot": "lr",
                "idle": False,
            }
        ],
        "acc": [
            {
                "mnemonic": "acc",
                "text": "acc",
                "range": span(2, 2, 2, 5),
                "slot": "acc",
                "idle": False,
            }
        ],
    }
    assert [(cell["text"], cell["slot"]) for cell in row["strays"]] == [("foo", None)]
    assert (last["address"], last["label"]) == (1, None)


def test_rows_tell_how_often_they_run() -> None:
    text = "set lr1 3;;\nl: incr lr0 1; blt lr0 lr1 l;;\nbkpt;;\n"
    assert [row["executions"] for row in check_grid(document(), text)["rows"]] == [1, 4, 1]
    assert [row["executions"] for row in check_grid(document())["rows"]] == [None, None]


def test_slots_tell_how_much_fits() -> None:
    slots = check_grid(document())["slots"]
    assert {slot["name"]: slot["capacity"] for slot in slots}["lr"] == 2
    assert all(slot["title"] for slot in slots)


def test_loops_tell_what_they_cost() -> None:
    (loop,) = check_grid(document())["loops"]
    assert loop == {
        "first": 0,
        "last": 1,
        "label": "x",
        "utilisation": round(3 / 14, 4),
        "use": "3 of 14 slots used (21 %)",
        "iterationBundles": 2,
    }


@pytest.mark.parametrize(("line", "current"), [(0, 0), (1, 0), (2, 0), (3, 1), (4, None)])
def test_the_row_at_a_position_is_current(line: int, current: int | None) -> None:
    grid = check_grid(document(position={"line": line, "character": 1}))
    assert grid.get("current") == current
    assert ("current" in grid) == (current is not None)


def test_without_a_position_there_is_no_current_row() -> None:
    assert "current" not in check_grid(document())


def test_another_instruction_set_has_its_own_slots() -> None:
    grid = check_grid(document(), "; isa: edgenpu\nSYNC WAIT_DMA\n", "edgenpu-asm")
    assert (grid["isa"], grid["unit"]) == ("edgenpu", "instruction")
    assert len(grid["rows"][0]["cells"]) == len(grid["slots"])


def test_a_document_that_is_not_open_has_none() -> None:
    assert check_grid({"textDocument": {"uri": "untitled:gone"}}) is None


@pytest.mark.parametrize("position", [3, {}, {"line": 1}])
def test_a_position_that_is_none_is_refused(position: Any) -> None:
    request = {"id": 1, "method": "ipu/slotGrid", "params": document(position=position)}
    assert greeted(opened(URI, TEXT), request, EXIT).error(1) == -32602
