"""Bundles by slots."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.listing import SlotGrid, slot_grid
from ipu_asm.isa import load_isa
from tests.ide.cursor import fixture
from tests.ide.test_everywhere import TEXTS, damaged

LOOP = "b last;;\nagain: incr lr0 1; acc;;\nbne lr0 lr1 again;;\nlast: bkpt;;\n"


def check_rows(text: str, *expected: tuple[str | None, dict[str, list[str]]]) -> SlotGrid:
    """The rows have these labels and these texts by slot; instructions of no slot are strays."""
    analysis = analyze(text)
    grid = slot_grid(analysis)
    names = [slot.name for slot in grid.slots]
    found = []
    for row in grid.rows:
        by_slot = dict(zip(names, row.cells, strict=True), strays=row.strays)
        for cell in (*(cell for cells in row.cells for cell in cells), *row.strays):
            assert " ".join(text[cell.span.start : cell.span.end].split()) == cell.text
        found.append(
            (
                row.label,
                {name: [cell.text for cell in cells] for name, cells in by_slot.items() if cells},
            )
        )
    assert found == list(expected)
    return grid


def check_current(text_with_cursor: str, expected: int | None) -> None:
    """The bundle at the cursor has this row."""
    analysis, offset = fixture(text_with_cursor)
    assert slot_grid(analysis, offset).current == expected


def test_every_bundle_is_a_row_with_its_instructions_by_slot() -> None:
    grid = check_rows(
        "# head\nx: incr  lr0 1;\n  acc; add lr1 lr0 lr0;;\nbkpt;;",
        ("x", {"lr": ["incr lr0 1", "add lr1 lr0 lr0"], "acc": ["acc"]}),
        (None, {"cond": ["bkpt"]}),
    )
    assert [row.address for row in grid.rows] == [0, 1]
    assert grid.rows[0].span == (7, 47)


def test_empty_slots_of_a_loop_say_why() -> None:
    """The branch waits for the counter; what a loop does without has no cause, as a used slot."""
    grid = slot_grid(analyze(LOOP.replace("again: incr", "again: mult.ee r0; incr")))
    names = [slot.name for slot in grid.slots]
    found = [
        {name: cause.text for name, cause in zip(names, row.causes) if cause} for row in grid.rows
    ]
    assert found == [
        {},
        {"cond": "bne waits for lr0 of incr until bundle 1"},
        dict.fromkeys(("mult", "acc", "lr"), "nothing left to issue"),
        {},
    ]


@pytest.mark.parametrize(
    ("isa", "rows", "expected"),
    [
        ("xdna1", "jnz r0, #l; vlda wl0, [p0]", "slot-of-branch"),
        ("xdna2", "mova r3, #1\njnz r0, #l", "free"),
    ],
)
def test_delay_slots_and_free_slots_are_told_apart(isa: str, rows: str, expected: str) -> None:
    grid = slot_grid(analyze(f"l: {rows}\n" + "nop\n" * 4 + "vlda wl1, [p1]\n", isa))
    kinds = {cause.kind for row in grid.rows for cause in row.causes if cause}
    assert expected in kinds


def test_the_columns_are_the_slots_of_the_instruction_set() -> None:
    assert slot_grid(analyze("")).slots == load_isa("ipu").slots
    assert slot_grid(analyze("", "edgenpu")).slots == load_isa("edgenpu").slots


def test_what_has_no_place_is_a_stray() -> None:
    check_rows(
        "acc; foo 3; acc.first;;", (None, {"acc": ["acc"], "strays": ["foo 3", "acc.first"]})
    )


def test_an_instruction_that_does_nothing_says_so() -> None:
    grid = slot_grid(analyze("incr lr0 0; incr lr1 1; acc_nop;;"))
    cells = {cell.text: cell.is_idle for cells in grid.rows[0].cells for cell in cells}
    assert cells == {"incr lr0 0": True, "incr lr1 1": False, "acc_nop": True}


def test_loops_tell_how_full_they_are() -> None:
    (loop,) = slot_grid(analyze(LOOP)).loops
    assert (loop.first, loop.last, loop.label, loop.size) == (1, 2, "again", 2)
    assert loop.utilisation == 3 / 14


def test_a_loop_without_a_label_is_one() -> None:
    (loop,) = slot_grid(analyze("acc;; acc;; b -1;;")).loops
    assert (loop.first, loop.last, loop.label) == (1, 2, None)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("$0acc;; bkpt;;\n", 0),
        ("ac$0c;; bkpt;;\n", 0),
        ("acc;;$0 bkpt;;\n", 0),
        ("acc;; $0bkpt;;\n", 1),
        ("acc;;$0bkpt;;\n", 1),
        ("acc;; bkpt;;$0\n", 1),
        ("acc;; bkpt;;  # no$0te\n", 1),
        ("acc;;\n# ab$0ove\nbkpt;;\n", 1),
        ("acc;;\n$0", None),
        ("$0", None),
        ("acc$0", 0),
    ],
)
def test_the_current_row_is_that_of_the_cursor(text: str, row: int | None) -> None:
    check_current(text, row)


def test_without_a_cursor_no_row_is_current() -> None:
    assert slot_grid(analyze("acc;;")).current is None


def check_any(text: str, isa: str = "ipu") -> None:
    """All instructions are in the grid, once; all spans are in the text; loops are rows."""
    analysis = analyze(text, isa)
    grid = slot_grid(analysis)
    cells = [cell for row in grid.rows for group in (*row.cells, row.strays) for cell in group]
    assert len(cells) == sum(len(bundle.instructions) for bundle in analysis.program.bundles)
    assert all(0 <= c.span.start < c.span.end <= len(text) for c in cells)
    for row in grid.rows:
        assert 0 <= row.span.start <= row.span.end <= len(text)
        assert all(len(c) <= slot.capacity for c, slot in zip(row.cells, grid.slots))
    for loop in grid.loops:
        assert 0 <= loop.first <= loop.last < len(grid.rows)
        assert 0 <= loop.utilisation <= 1
    for offset in range(-1, len(text) + 2, 7):
        current = slot_grid(analysis, offset).current
        assert current is None or current < len(grid.rows)


@pytest.mark.parametrize("text", TEXTS)
def test_every_example_has_a_grid(text: str) -> None:
    check_any(text)


@given(damaged(), st.sampled_from(["ipu", "edgenpu"]))
def test_damaged_programs_have_one_too(text: str, isa: str) -> None:
    check_any(text, isa)


def test_a_label_on_a_line_of_its_own_is_that_of_the_next_bundle() -> None:
    grid = slot_grid(analyze("outer:\nfirst:\n    nop\n    .globl x\nloop:\n    ret lr\n", "xdna1"))
    assert [row.label for row in grid.rows] == ["first", "loop"]


def test_a_macro_of_a_header_shows_its_instructions_where_it_is_called(tmp_path: Path) -> None:
    header = "// a long head of a header\n" * 9 + "#define LOAD(to) ld32 to, $m0, $mzero, 0\n"
    (tmp_path / "head.h").write_text(header, encoding="utf-8")
    text = '#include "head.h"\n    LOAD($m1)\n    exitz $mzero\n'
    grid = slot_grid(analyze(text, "colossus", tmp_path / "kernel.S"), text.index("LOAD"))
    load = grid.rows[0].cells[0][0]
    assert (load.text, text[load.span.start : load.span.end]) == (
        "ld32 $m1, $m0, $mzero, 0",
        "LOAD($m1)",
    )
    assert (grid.current, grid.rows[0].strays) == (0, ())
