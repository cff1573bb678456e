"""The test bench and the debugger work on kernels of IPU 2 as on those of the IPU."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.debugger.breakpoints import Trap
from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.emulator.stops import StopReason
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable
from ipu_asm.targets.ipu2.machine.state import Ipu2State
from ipu_asm.testbench import Bench

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
LOOP = """\
SET lr0 cr0;;
loop: INC lr0 1; STR_ACC_REG lr0 cr2;;
    BREAK.IFEQ lr0 3; BLT lr0 cr3 loop;;
BKPT;;
"""


def debugger_on(text: str, state: Ipu2State, *traps: Trap) -> Debugger:
    """A debugger on a program in a state, stopping at breaks and at some traps."""
    program = read_program(load_isa("ipu2"), text)
    state.load_program(assemble(text, "ipu2"), LineTable(program))
    debugger = Debugger(LineTable(program), state, DebugOptions(max_cycles=1000))
    debugger.breakpoints.traps = dict.fromkeys((Trap.BREAK, *traps))
    return debugger


def test_a_bench_runs_the_kernel_of_its_file() -> None:
    bench = Bench([EXAMPLES])
    bench.load("ipu2/fully_connected.s")
    bench.put(0, np.fromfile(EXAMPLES / "data" / "inputs.bin", np.int8))
    bench.put(0x20000, np.fromfile(EXAMPLES / "data" / "weights.bin", np.int8))
    bench.cr[2:7] = 0, 0x400, 0x800, 126, 9
    assert bench.run().cycles == 1293
    expected = np.fromfile(EXAMPLES / "data" / "results.bin", "<i4")
    bench.assert_bit_exact(bench.get(0x40000, expected.shape, "<i4"), expected)


def test_a_bench_runs_in_the_32_bit_mode() -> None:
    bench = Bench([EXAMPLES], isa="ipu2", wide="fp32")
    bench.load("ipu2/l2_normalize.s")
    bench.put(0, np.fromfile(EXAMPLES / "data" / "ipu2" / "numbers.bin", "<f4"))
    bench.cr[2:6] = 0, 0x400, 0x800, 7
    bench.run()
    expected = np.fromfile(EXAMPLES / "data" / "ipu2" / "normalized.bin", "<f4")
    bench.assert_bit_exact(bench.get(0x400 * 512, expected.shape, "<f4"), expected)


def test_a_debugger_goes_back_in_time() -> None:
    state = Ipu2State()
    state.regfile.set_cr(3, 8)
    debugger = debugger_on(LOOP, state)
    stop = debugger.start()
    assert (stop.reason, state.program_counter, state.regfile.get_lr(0)) == (StopReason.BREAK, 2, 3)
    before = state.save()
    debugger.continue_()
    assert state.is_halted
    debugger.reverse_continue()
    assert state.save() == before
    debugger.reverse_continue()
    assert (state.program_counter, state.regfile.get_lr(0)) == (0, 0)


@pytest.mark.parametrize(
    ("wide", "trap", "reason"),
    [("fp32", Trap.NAN, StopReason.NAN), ("int32", Trap.OVERFLOW, StopReason.OVERFLOW)],
)
def test_a_debugger_stops_at_a_numeric_event(wide: str, trap: Trap, reason: StopReason) -> None:
    state = Ipu2State(wide=wide)
    word = struct.pack("<f", math.inf) if wide == "fp32" else struct.pack("<i", 1 << 20)
    state.regfile.set_register_bytes("r_cyclic_wide", 0, word + bytes(2044))
    mult = "MULT.RC.VE lr0 cr0 0 lr0 cr15" if wide == "fp32" else "MULT.RC.VS lr0 0 lr0 cr15"
    debugger = debugger_on(f"SET lr0 cr0;; {mult};; BKPT;;", state, trap)
    assert debugger.start().reason is reason
    assert state.program_counter == 2
