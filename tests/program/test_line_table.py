"""Where the bundles of a program stand in its text."""

from __future__ import annotations

from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable, read_effective_program
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN, Frame, FrameKind, Segment, SourceMap, SourceRange
from ipu_asm.text import SourceFile, Span

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


TEMPLATE = """\
{% set k = "lr5" %}
{% macro save(reg) %}
    str_acc_reg {{ reg }} cr0;;
{% endmacro %}
{% for row in range(2) %}
    incr {{ k }}
         {{ row }};;
{{ save(k) }}
{% endfor %}
end: bkpt;;
"""


def table_of(text: str) -> LineTable:
    source = SourceFile(text)
    program, expansions = read_effective_program(load_isa("ipu"), source)
    return LineTable(program, expansions[0], source)


def test_a_bundle_of_a_template_stands_where_it_was_written() -> None:
    table = table_of(TEMPLATE)
    places = [table.place(address) for address in range(5)]
    assert [(place.line, place.end_line) for place in places if place] == [
        (6, 7),
        (3, 3),
        (6, 7),
        (3, 3),
        (10, 10),
    ]
    assert places[0] is not None
    assert TEMPLATE[slice(*places[0].span)] == "incr {{ k }}\n         {{ row }}"


def test_an_instruction_of_a_template_is_given_as_the_assembler_reads_it() -> None:
    table = table_of(TEMPLATE)
    assert [table.instruction(2, "lr"), table.instruction(3, "xmem")] == [
        "incr lr5 1",
        "str_acc_reg lr5 cr0",
    ]
    place = table.instruction_place(3, "xmem")
    assert place is not None
    assert TEMPLATE[slice(*place.span)] == "str_acc_reg {{ reg }} cr0"


def test_a_location_names_the_iterations_and_macros_that_it_came_from() -> None:
    text, expansion = "incr lr0 1;;\n", "incr lr0 1;;\nincr lr0 1;;\n"
    call = SourceRange(MAIN, Span(0, 4))
    loop = Frame(FrameKind.ITERATION, "for row = 1", call)
    macro = Frame(FrameKind.MACRO, "macro `save`", call, parent=loop)
    value = Frame(FrameKind.VALUE, "value of `k`", call, parent=macro)
    written = SourceRange(MAIN, Span(0, 13))
    source_map = SourceMap([Segment(0, 13, written, True), Segment(13, 26, written, True, value)])
    program = read_program(load_isa("ipu"), expansion)
    table = LineTable(program, Expansion(expansion, source_map), SourceFile(text))
    assert table.describe(0) == "bundle 0 (line 1)"
    assert table.describe(1) == "bundle 1 (line 1, macro `save`, for row = 1)"
