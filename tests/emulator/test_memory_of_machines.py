"""A machine that is dropped is freed at once, without the garbage collector."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from typing import Callable, Iterator
from weakref import ref

import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.debugger.breakpoints import Breakpoint, Trap
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.emulator import (
    DebugAction,
    DType,
    ExecutionFault,
    Ipu,
    IpuState,
    run_until_complete,
    run_with_debug,
)
from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.emulator.machine import Engine
from ipu_asm.emulator.stops import StopReason
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable
from ipu_asm.testbench import Bench
from tests.emulator.core.engines import machine_on

KERNEL = "set lr0 128; ldr_mult_reg r0 lr1 cr0; mult.ve r0 lr1 lr1 lr1 lr1; acc;; break;; bkpt;;"
INVALID = b"\x7c\xfc" * 64
"""Infinities of both signs in fp8_e5m2: their sums are invalid operations."""


@pytest.fixture(autouse=True)
def _no_collections() -> Iterator[None]:
    """The garbage collector frees nothing during a test."""
    gc.disable()
    yield
    gc.enable()


def loaded(text: str = KERNEL) -> IpuState:
    state = IpuState()
    state.load_program(assemble(text))
    return state


def run_by_itself() -> IpuState:
    state = loaded()
    run_until_complete(state)
    return state


def run_on_the_core() -> IpuState:
    state = loaded("x: incr lr0 1; acc; b x;;")
    ipu = machine_on(Engine.CORE, state)
    ipu.run(100, ipu.break_test())
    return state


def run_to_a_fault() -> IpuState:
    state = loaded("set lr1 3;; ldr_cyclic_mult_reg lr1 cr0 lr1;;")
    with pytest.raises(ExecutionFault):
        Ipu(state).run(10)
    return state


def run_with_invalid_floats() -> IpuState:
    state = loaded("mult.ee r0 lr0 lr0 lr0; acc;; mult.ee r0 lr0 lr0 lr0; acc;; bkpt;;")
    state.set_cr_dtype(DType.FP8_E5M2)
    state.regfile.set_register_bytes("r", 0, INVALID)
    state.regfile.set_register_bytes("r_cyclic", 0, INVALID * 4)
    run_until_complete(state)
    return state


def run_step_by_step() -> IpuState:
    state = loaded()
    run_with_debug(state, lambda state, cycle: DebugAction.STEP)
    return state


def run_with_a_recording() -> IpuState:
    state = loaded()
    Recording(10).run(Ipu(state), 100)
    return state


def run_in_the_debugger() -> IpuState:
    state = loaded()
    debugger = Debugger(LineTable(read_program(load_isa("ipu"), KERNEL)), state)
    debugger.breakpoints.set_at_bundles([Breakpoint(1)])
    debugger.breakpoints.traps = dict.fromkeys(Trap)
    assert debugger.start().reason is StopReason.BREAKPOINT
    debugger.step()
    debugger.step_back_line()
    debugger.reverse_continue()
    debugger.restart()
    return state


def run_on_the_bench() -> IpuState:
    bench = Bench()
    bench.load_text(KERNEL)
    bench.r0 = bytes(range(128))
    bench.run()
    assert str(bench)
    assert isinstance(bench.state, IpuState)
    return bench.state


@pytest.mark.parametrize(
    "run",
    [
        run_by_itself,
        run_on_the_core,
        run_to_a_fault,
        run_with_invalid_floats,
        run_step_by_step,
        run_with_a_recording,
        run_in_the_debugger,
        run_on_the_bench,
    ],
)
def test_what_ran_is_freed_with_its_last_reference(run: Callable[[], IpuState]) -> None:
    state = ref(run())
    assert state() is None


def test_a_machine_with_a_method_of_its_own_runs_it() -> None:
    """A test that replaces a method on one machine sees it called."""
    ipu = Ipu(loaded("acc.first; set lr0 1;; bkpt;;"))
    called = []
    ipu.execute_acc_first = lambda: called.append("acc.first")  # type: ignore[method-assign]
    ipu.run(10)
    assert (called, ipu.state.regfile.get_lr(0)) == (["acc.first"], 1)


def test_a_thousand_machines_leave_nothing_behind() -> None:
    words = assemble(KERNEL)

    def run() -> ref[Ipu]:
        state = IpuState()
        state.load_program(words)
        ipu = Ipu(state)
        assert ipu.execute_vliw_cycle()
        return ref(ipu)

    run()
    before = sys.getallocatedblocks()
    machines = [run() for _ in range(1_000)]
    assert [machine() for machine in machines if machine()] == []
    gc.collect()  # Python keeps some small objects for reuse; this gives them back
    del machines
    assert sys.getallocatedblocks() - before < 1_000


def test_one_machine_takes_the_memory_of_another() -> None:
    assert Ipu(IpuState()).execute_vliw_cycle()
    tracemalloc.start()
    try:
        for _ in range(30):
            assert Ipu(IpuState()).execute_vliw_cycle()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2 * IpuState.memory_size
