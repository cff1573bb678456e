"""Who wrote it, and since when is it so."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.queries import LastWrite, last_write, when_true
from ipu_asm.debugger.regions import Region
from tests.debugger.ipu_regions import region, whole_region
from tests.debugger.sessions import LOOP, debugger_on


def check_write(cycle: int, where: Region, spacing: int = 64) -> LastWrite | None:
    """The last write before a cycle; asking leaves the machine as it was."""
    debugger = debugger_on(LOOP, spacing=spacing)
    debugger.go_to(cycle)
    before = debugger.state.save()
    change = last_write(debugger.runner, where)
    assert (debugger.state.save(), debugger.cycle) == (before, cycle)
    if change is not None:
        debugger.go_to(change.cycle)
        assert debugger.state.program_counter == change.pc
    return change


@pytest.mark.parametrize("spacing", [4, 64, 4_096])
@pytest.mark.parametrize(
    ("name", "cycle", "pc", "instruction"),
    [
        ("lr4", 2 + 26 * 76, 2, "incr lr4 1"),
        ("lr3", 1, 1, "set lr3 128"),
        ("lr1", 1_997, 3, "incr lr1 1"),
        ("r0", 1_998, 4, "ldr_mult_reg r0 lr1 cr1"),
    ],
)
def test_the_last_write_to_a_register_is_found(
    name: str, cycle: int, pc: int, instruction: str, spacing: int
) -> None:
    assert check_write(2_000, whole_region(name), spacing) == LastWrite(cycle, pc, instruction)


def test_the_last_write_to_a_byte_of_memory_is_found() -> None:
    # The third store writes 512 bytes from 256 on, the fourth those from 384 on.
    assert check_write(2_000, region("xmem", 383, 1)) == LastWrite(9, 3, "str_acc_reg lr5 cr0")
    assert check_write(2_000, region("xmem", 384, 1)) == LastWrite(12, 3, "str_acc_reg lr5 cr0")
    assert check_write(9, region("xmem", 383, 1)) == LastWrite(6, 3, "str_acc_reg lr5 cr0")


@pytest.mark.parametrize("name", ["aaq1", "r_acc", "cr3", "r1"])
def test_nobody_has_written_to_what_the_program_leaves_alone(name: str) -> None:
    assert check_write(2_000, whole_region(name)) is None


def test_an_edit_is_a_write_by_the_user() -> None:
    debugger = debugger_on(LOOP, spacing=64)
    debugger.edit(whole_region("cr3"), bytes(4))
    assert last_write(debugger.runner, whole_region("cr3")) == LastWrite(0)
    debugger.go_to(500)
    debugger.edit(whole_region("lr4"), bytes([7, 0, 0, 0]))
    assert last_write(debugger.runner, whole_region("lr4")) == LastWrite(500)
    assert last_write(debugger.runner, whole_region("cr3")) == LastWrite(0)
    debugger.go_to(600)
    assert last_write(debugger.runner, whole_region("lr4")) == LastWrite(
        2 + 26 * 22, 2, "incr lr4 1"
    )
    debugger.go_to(499)
    assert last_write(debugger.runner, whole_region("lr4")) == LastWrite(
        2 + 26 * 19, 2, "incr lr4 1"
    )


@pytest.mark.parametrize(
    ("cycle", "expected"), [(0, None), (2 + 26 * 50, None), (3 + 26 * 50, 3 + 26 * 50),
                            (3_000, 3 + 26 * 50)],
)  # fmt: skip
def test_the_moment_at_which_a_condition_became_true_is_found(
    cycle: int, expected: int | None
) -> None:
    debugger = debugger_on(LOOP, spacing=100)
    debugger.go_to(cycle)
    assert when_true(debugger.runner, lambda state: state.regfile.get_lr(4) > 50) == expected
    assert debugger.cycle == cycle


def test_a_condition_that_came_and_went_became_true_the_last_time_it_came() -> None:
    debugger = debugger_on(LOOP, spacing=7)
    debugger.go_to(1_000)
    # lr1 was 3 in the outer loop before as well; the breaks of the past stop nobody.
    assert when_true(debugger.runner, lambda state: state.regfile.get_lr(1) == 3) == 2 + 26 * 38 + 8
    assert when_true(debugger.runner, lambda state: True) == 0
