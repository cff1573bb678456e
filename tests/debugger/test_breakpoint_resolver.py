"""Where a breakpoint goes that is set on a place in a source."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.breakpoint_resolver import BreakpointResolver
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable
from tests.debugger.sessions import LOOP

SEVERAL = "set lr1 1;; set lr2 2;;  incr lr1 1; incr lr2 1;; # three\n\n# end\n"


def check_line(text: str, line: int, column: int | None = None) -> tuple[int, bool] | None:
    """The address for a line (from 0) and column, and whether the user is told of a move."""
    resolver = BreakpointResolver(LineTable(read_program(load_isa("ipu"), text)))
    placement = resolver.on_line(line, column)
    if placement is None:
        return None
    assert placement.place == resolver.table.place(placement.address)
    if placement.message is not None:
        there = f"line {placement.place.line}"
        assert placement.message.startswith(f"line {line + 1} has no instruction")
        assert placement.message.endswith(there)
    return placement.address, placement.message is not None


@pytest.mark.parametrize(
    ("line", "address"), [(1, 0), (4, 2), (5, 3), (6, 4), (7, 4), (8, 5), (10, 6), (11, 7)]
)
def test_a_line_stands_for_the_bundle_of_its_first_instruction(line: int, address: int) -> None:
    assert check_line(LOOP, line) == (address, False)


@pytest.mark.parametrize(("line", "address"), [(0, 0), (3, 2), (9, 6)])
def test_a_comment_a_label_and_a_blank_line_move_to_the_next_bundle_and_say_so(
    line: int, address: int
) -> None:
    assert check_line(LOOP, line) == (address, True)


def test_a_comment_within_a_bundle_moves_to_the_next_instruction() -> None:
    assert check_line("set lr1 1;\n# two\nset lr2 2;;\nbkpt;;", 1) == (0, True)


@pytest.mark.parametrize("line", [1, 2, 3, 4, 99, -1])
def test_behind_the_last_bundle_there_is_no_place(line: int) -> None:
    assert check_line(SEVERAL, line) is None


@pytest.mark.parametrize(
    ("column", "address"),
    [
        (0, 0),
        (8, 0),
        (9, 0),
        (10, 0),
        (11, 1),
        (12, 1),
        (20, 1),
        (23, 2),
        (25, 2),
        (38, 2),
        (50, 2),
        (999, 2),
    ],
)
def test_a_column_picks_one_of_several_bundles_on_a_line(column: int, address: int) -> None:
    assert check_line(SEVERAL, 0, column) == (address, False)


def test_labels_and_addresses_find_the_same_bundle() -> None:
    resolver = BreakpointResolver(LineTable(read_program(load_isa("ipu"), LOOP + "after:\n")))
    inner = resolver.at_label("inner")
    assert inner is not None
    assert inner == resolver.at_address(3)
    assert resolver.at_label("behind") is None
    assert resolver.at_label("nowhere") is None
    assert resolver.at_address(8) is None


def test_the_places_on_a_line_are_its_bundles() -> None:
    resolver = BreakpointResolver(LineTable(read_program(load_isa("ipu"), SEVERAL)))
    found = [SEVERAL[span.start : span.end] for span in resolver.bundles_on(0, 0)]
    assert found == ["set lr1 1", "set lr2 2", "incr lr1 1; incr lr2 1"]
    assert resolver.addresses_on(0) == {0, 1, 2}
