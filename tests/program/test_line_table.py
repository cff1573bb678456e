"""Where the bundles of a program stand in its text."""

from __future__ import annotations

from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable

PROGRAM = """\
# a comment
set lr0 1;;
loop:
    incr  lr0
          0x10;       # two lines
    acc;;
    acc;; acc.first; incr lr1 0; incr lr2 1;;
end: bkpt
"""


def check_place(
    text: str, address: int, code: str, lines: tuple[int, int], name: str | None
) -> LineTable:
    """The bundle at an address is this code, on these lines, and has this name."""
    table = LineTable(read_program(load_isa("ipu"), text))
    place = table.place(address)
    assert place is not None
    assert text[slice(*place.span)] == code
    assert (place.line, place.end_line) == lines
    assert place.name == name
    return table


def test_a_bundle_stands_from_its_first_instruction_to_its_last() -> None:
    check_place(PROGRAM, 0, "set lr0 1", (2, 2), None)
    first = "incr  lr0\n          0x10;       # two lines\n    acc"
    check_place(PROGRAM, 1, first, (4, 6), "loop")
    check_place(PROGRAM, 2, "acc", (7, 7), "loop+1")
    check_place(PROGRAM, 3, "acc.first; incr lr1 0; incr lr2 1", (7, 7), "loop+2")
    check_place(PROGRAM, 4, "bkpt", (8, 8), "end")


def test_lines_end_as_everywhere() -> None:
    check_place("\ufeff# a\r\n\r  acc;;\r\nx:\rbkpt", 1, "bkpt", (5, 5), "x")


def test_past_the_program_there_is_no_place() -> None:
    table = check_place("acc;;", 0, "acc", (1, 1), None)
    assert table.place(1) is table.place(-1) is table.place(1023) is None
    assert table.instruction(1, "acc") is None


def test_instructions_are_given_as_they_are_written() -> None:
    table = check_place(PROGRAM, 4, "bkpt", (8, 8), "end")
    assert table.instruction(1, "lr") == "incr lr0 0x10"
    assert table.instruction(1, "acc") == "acc"
    assert table.instruction(1, "lr", 1) is None
    assert table.instruction(1, "mult") is None
    assert table.instruction(3, "lr", 1) == "incr lr2 1"
