"""The address of a fault, and the way back to where it was within memory."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.explanations import address_lines, fault_address
from ipu_asm.debugger.expressions import ExpressionError
from ipu_asm.emulator import IpuState
from ipu_asm.emulator.stops import StopReason
from tests.debugger.sessions import console_on, debugger_on

HEAD = "# cr1 = IN_BASE\n# 0x1000  N * 128 bytes  in\n# 0x180000 128 bytes far\n"
STEPPED = f"{HEAD}set lr1 0;;\nrow: incr lr1 128; ldr_mult_reg r0 lr1 cr1; b row;;\nbkpt;;\n"
STEPPED_BEFORE = f"{HEAD}set lr1 0;;\nrow: incr lr1 128;;\nldr_mult_reg r0 lr1 cr1; b row;;\n"


def faulted(text: str, base: int) -> Debugger:
    """A debugger that stands at the fault of a program, with a value in cr1."""

    def prepare(state: IpuState) -> None:
        state.regfile.set_cr(1, base)

    debugger = debugger_on(text, prepare=prepare)
    debugger.start()
    assert debugger.continue_().reason is StopReason.FAULT
    return debugger


@pytest.mark.parametrize("text", [STEPPED, STEPPED_BEFORE])
def test_one_goes_back_to_the_last_cycle_in_range(text: str) -> None:
    debugger = faulted(text, 0x1FF000)
    console, before = console_on(debugger), debugger.cycle
    assert console.run("inrange").text.startswith("lr1 was last in range here: cycle ")
    assert before - 2 <= debugger.cycle < before
    debugger.continue_()
    assert debugger.cycle == before


def test_the_address_tells_old_and_new_values_and_the_region() -> None:
    debugger = faulted(STEPPED, 0x1FF000)
    found = fault_address(debugger)
    assert found is not None
    assert address_lines(debugger, found) == [
        "lr1 = 0x1000 (4096), 0xf80 (3968) before",
        "cr1 = 0x1ff000 (2093056), but in is at 0x1000 in the head comment",
    ]


def test_the_right_base_is_named_with_its_region() -> None:
    debugger = faulted(STEPPED, 0x1000)
    found = fault_address(debugger)
    assert found is not None
    assert address_lines(debugger, found)[1] == "cr1 = 0x1000 (4096), in 0x1000"


def test_an_address_that_never_was_in_range_says_so() -> None:
    debugger = faulted(STEPPED, 0x400000)
    answer = console_on(debugger).run("inrange")
    assert answer.text.startswith("lr1 + cr1 has never been in range: lr1 = 0x80 (128), 0 before")
    assert answer.stop is None


def test_without_a_fault_there_is_nowhere_to_go() -> None:
    debugger = debugger_on("bkpt;;")
    debugger.start()
    with pytest.raises(ExpressionError, match="accesses no memory outside"):
        console_on(debugger).run("inrange")
