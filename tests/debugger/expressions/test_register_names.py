"""The names that comments give registers, in expressions."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.debugger.expressions import LiveContext, evaluate
from ipu_asm.debugger.expressions.program_names import names_from_notes
from ipu_asm.emulator import IpuState
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program

EXAMPLES = Path(__file__).parents[3] / "examples"


def check_names(text: str, **expected: str) -> None:
    """The names, and each has the value of its register."""
    program = read_program(load_isa("ipu"), text)
    names = names_from_notes(program)
    assert names == expected
    state = IpuState()
    state.regfile.scalars[:] = range(len(state.regfile.scalars))
    context = LiveContext(state, 0, program.label_addresses, names)
    for name, register in names.items():
        assert evaluate(context, name).value == evaluate(context, register).value


@pytest.mark.parametrize(
    ("note", "name"),
    [
        ("row offset", "row_offset"),
        ("the row, counted from 0", "row"),
        ("INPUT_BASE (inputs, 128 bytes a row)", "INPUT_BASE"),
        ("i, the input that is multiplied", "i"),
        ("An Offset: in bytes", "Offset"),
        ("sum of squares", "sum_of_squares"),
        ("the", "the"),
    ],
)
def test_a_short_phrase_is_a_name(note: str, name: str) -> None:
    check_names(f"# lr5 = {note}\nacc;;", **{name: "lr5"})


@pytest.mark.parametrize(
    "note",
    [
        "offset of the sample in the inputs", "0: cyclic index", "126, the last", "(row)",
        "a copy of cr2", "lr3", "Sum", "i8", "nan", "xmem", "label", "and", "fp8_e4m3", "dtype",
        "acc", "x*y", "row-offset", "größe", "a_name_that_is_much_too_long_to_type", "loop",
    ],
)  # fmt: skip
def test_what_is_no_phrase_or_means_something_else_is_no_name(note: str) -> None:
    check_names(f"# lr5 = {note}\nloop: acc;;")


def test_a_name_for_several_registers_is_none() -> None:
    check_names("# lr1, lr2 = offset\n# lr3 = offset\n# cr3 = size\nacc;;", size="cr3")


def test_the_names_of_an_example_are_those_of_its_header() -> None:
    text = (EXAMPLES / "softmax_stats.s").read_text("utf-8")
    check_names(
        text,
        LOGIT_BASE="cr0",
        EXP_BASE="cr1",
        STAT_BASE="cr2",
        SIZE="cr4",
        lowest_value="cr5",
        element_type="cr15",
        maximum="aaq0",
        offset_in_stats="lr4",
    )
