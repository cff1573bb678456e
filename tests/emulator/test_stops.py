"""Why a machine stands still, told in one line."""

from __future__ import annotations

import pytest

from ipu_asm.assembler.encode import encode
from ipu_asm.emulator import ExecutionFault, Fault, Ipu, IpuState
from ipu_asm.emulator.run import run_end_of
from ipu_asm.emulator.stops import RunEnd, StopReason, describe_stop, describe_word
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable

LOOP = """\
set lr1 3;;
loop:
  break.ifeq lr0 2; incr lr0 1;
  add lr2 cr4 lr1; bne lr0 lr1 loop;;
bkpt
"""


def check_stop(
    text: str, cycles: int, reason: StopReason, expected: str, with_source: bool = True
) -> RunEnd:
    """After so many bundles a stop reads like this."""
    program = read_program(load_isa("ipu"), text)
    state = IpuState()
    state.load_program(encode(program), LineTable(program))
    state.regfile.set_cr(4, 0xFFFF_FFF0)
    ipu, fault = Ipu(state), None
    try:
        ipu.run(cycles)
    except ExecutionFault as error:
        fault = error.fault
    stop = run_end_of(ipu, reason, LineTable(program) if with_source else None, fault)
    assert describe_stop(stop) == expected
    return stop


def test_a_break_tells_the_registers_that_its_bundle_names() -> None:
    stop = check_stop(
        LOOP,
        3,
        StopReason.BREAK,
        "stopped by `break.ifeq lr0 2` in front of bundle 1 (`loop`, line 3): "
        "lr0 = 2, lr2 = -13 (0xfffffff3), cr4 = -16 (0xfffffff0), lr1 = 3",
    )
    assert (stop.pc, stop.instruction) == (1, "break.ifeq lr0 2")


def test_a_halt_tells_which_instruction_did_it() -> None:
    stop = check_stop(
        LOOP, 99, StopReason.HALTED, "halted by `bkpt` in bundle 2 (`loop+1`, line 5)"
    )
    assert (stop.pc, stop.registers) == (2, {})
    check_stop(
        "set lr3 -1;;\nbr lr3;;", 99, StopReason.HALTED, "halted by `br lr3` in bundle 1 (line 2)"
    )


def test_a_program_that_runs_off_its_end_is_told_so() -> None:
    expected = "halted at the end of program memory: bundle 1023 was never loaded"
    check_stop("acc;;", 2000, StopReason.HALTED, expected)


def test_a_machine_that_never_ran_is_told_so() -> None:
    ipu = Ipu(IpuState())
    ipu.state.program_counter = 1024
    ipu.run(1)
    assert describe_stop(run_end_of(ipu, StopReason.HALTED)) == "halted before the first bundle"


@pytest.mark.parametrize(
    ("reason", "start"),
    [
        (StopReason.CYCLE_LIMIT, "stopped at the cycle limit"),
        (StopReason.INTERRUPTED, "interrupted"),
    ],
)
def test_an_unfinished_run_tells_where_it_stands(reason: StopReason, start: str) -> None:
    expected = f"{start} in front of bundle 0 (`x`, line 1): lr7 = 20 (0x14)"
    check_stop("x: incr lr7 4; b x;;", 5, reason, expected)


def test_a_fault_tells_what_its_instruction_saw() -> None:
    stop = check_stop(
        "acc;;\nx:\n  incr lr0 5;\n  ldr_cyclic_mult_reg lr1 cr4 lr0;;",
        9,
        StopReason.FAULT,
        "fault in bundle 1 (`x`, line 4): the cyclic index must be a multiple of 128, found 0x5: "
        "lr1 = 0, cr4 = -16 (0xfffffff0), lr0 = 5",
    )
    assert stop.instruction == "ldr_cyclic_mult_reg lr1 cr4 lr0"


def test_without_a_source_a_stop_names_the_bundle_alone() -> None:
    check_stop(LOOP, 99, StopReason.HALTED, "halted by `bkpt` in bundle 2", with_source=False)


def test_a_description_needs_no_machine() -> None:
    fault = Fault(3, 7, 0, "acc", "acc", "no luck", {})
    assert describe_stop(RunEnd(StopReason.FAULT, 3, fault=fault)) == "fault in bundle 3: no luck"


def test_words_are_signed_and_hexadecimal_where_that_differs() -> None:
    words = [describe_word(word) for word in (0, 9, 10, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)]
    assert words == [
        "0",
        "9",
        "10 (0xa)",
        "2147483647 (0x7fffffff)",
        "-2147483648 (0x80000000)",
        "-1 (0xffffffff)",
    ]
