"""What a program that fails was not given."""

from __future__ import annotations

import pytest

from ipu_asm import analyze
from ipu_asm.debugger.explanations import missing_inputs
from ipu_asm.emulator.model import machine_for

READS = """\
#   cr0 = A_BASE (a, 128 bytes a row)
#   cr2 = 0
#   cr4 = the place of the very last one of the rows that matter
set lr1 5;;
add lr2 cr2 cr1;;
add lr3 cr4 lr1;;
ldr_mult_reg r0 lr0 cr0;;
bkpt;;
"""


@pytest.mark.parametrize(
    ("given", "has_data", "sentence"),
    [
        ((), False, "no value was given for cr0 (A_BASE), cr1 and cr4, and no data were loaded: x"),
        (("cr0", "cr4"), True, "no value was given for cr1: x"),
        (("cr0", "cr1", "cr4"), False, ""),
    ],
)
def test_what_only_the_host_sets_is_missing(
    given: tuple[str, ...], has_data: bool, sentence: str
) -> None:
    state = machine_for("ipu").make_state({})
    missing = missing_inputs(analyze(READS).program, state, given, has_data)
    assert missing.sentence("x") == sentence


def test_a_register_that_holds_something_is_not_missing() -> None:
    state = machine_for("ipu").make_state({})
    state.regfile.set_cr(1, 7)
    found = missing_inputs(analyze(READS).program, state, ("cr0",), True)
    assert found.registers == ("cr4",)


def test_constants_are_never_missing() -> None:
    state = machine_for("ipu2").make_state({})
    program = analyze("ADD lr1 cr0 cr1;;\nBKPT;;\n", "ipu2").program
    assert missing_inputs(program, state, (), False).sentence("x") == ""
