"""Conditions that the control run proves are not evaluated while the program runs."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import assemble
from ipu_asm.debugger.traps import AssertionChecks
from ipu_asm.emulator import machine_for
from ipu_asm.isa import load_isa
from ipu_asm.program.line_table import LineTable
from ipu_asm.text import SourceFile

KERNEL = """\
    set lr1 4;;
loop:
    incr lr0 1; bne lr0 lr1 loop;;  # ASSERT {}
    bkpt;;
never:
    bkpt;;                          # ASSERT lr0 == 99
"""


def checks_of(condition: str, pc: int = 0, cr2: int = 0) -> AssertionChecks:
    """The checks of the kernel on a machine in front of the bundle at `pc`."""
    text = KERNEL.format(condition)
    model = machine_for("ipu")
    state = model.make_state({})
    state.load_program(assemble(text))
    state.regfile.set_cr(2, cr2)
    state.program_counter = pc
    program = Analyzer(load_isa("ipu")).analyze(text).program
    source = SourceFile(text, "a.s")
    return AssertionChecks(model.make_machine(state, {}), LineTable(program, source=source))


@pytest.mark.parametrize("condition", ["lr0 in 0..4", "lr1 == 4, lr0 <= lr1", "cr2 == 7"])
def test_a_proven_condition_is_checked_no_more(condition: str) -> None:
    checks = checks_of(condition, cr2=7)
    assert checks.has_conditions
    assert checks.broken() == []
    assert not checks.has_conditions


@pytest.mark.parametrize("condition", ["sum(acc) == 0", "lr0 < 5, sum(acc) == 0", "cycle < 9"])
def test_a_condition_about_data_is_checked_by_the_run(condition: str) -> None:
    checks = checks_of(condition)
    assert checks.broken() == []
    before, after = checks.checks()
    assert (list(before), list(after)) == ([1], [])


def test_a_condition_that_does_not_hold_is_told_at_once() -> None:
    checks = checks_of("lr0 < 4")
    assert [finding.message for finding in checks.broken()] == [
        "`lr0 < 4` must hold before each execution, found lr0 = 4"
    ]
    assert checks.has_conditions


def test_a_run_that_begins_elsewhere_checks_every_condition() -> None:
    checks = checks_of("lr1 == 4", pc=1)
    checks.broken()
    assert checks.has_conditions
