"""Counts of accesses to memory: equal on both engines, and those of a plain count."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.emulator import ExecutionFault, Ipu, IpuState
from ipu_asm.emulator.execution_counts import AccessCounts
from ipu_asm.emulator.machine import Engine
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from tests.emulator.machines import ipu_with, state_of
from tests.emulator.random_programs import random_state, random_word
from tests.targets.ipu2.machine.random_states import random_state as random_state2
from tests.targets.ipu2.machine.random_states import random_word as random_word2
from tests.vectors import records

LOOP = """
    set lr2 -64;;
row: ldr_cyclic_mult_reg lr2 cr0 lr0; incr lr2 128; incr lr1 1; bne lr1 lr4 row;;
    str_acc_reg lr2 cr1;;
    bkpt;;
"""


def counted(engine: Engine, machine: Any, limit: int = 60) -> tuple[Any, ...]:
    """What a run on an engine counts, and where it ends; a fault ends it."""
    machine.engine_choice = engine
    counts = AccessCounts(machine.state.xmem.size)
    with suppress(ExecutionFault):
        counts.run(machine, limit)
    ranges = [(each.start, each.stop, counts.counts(*_ends(each))) for each in counts.ranges()]
    return machine.cycles, machine.state.program_counter, ranges


def _ends(each: range) -> tuple[int, int]:
    return each.start, each.stop


def check_same(kind: Any, state: Any, program: list[int]) -> None:
    start, found = state.save(), []
    for engine in (Engine.NUMPY, Engine.CORE):
        state.restore(start)
        state.load_program(program)
        found.append(counted(engine, kind(state)))
    assert found[0] == found[1]


def test_a_loop_counts_each_of_its_accesses() -> None:
    ipu = ipu_with(LOOP)
    ipu.state.regfile.set_lr(4, 2)
    ipu.state.regfile.set_cr(1, 0x1000)
    for engine in (Engine.CORE, Engine.NUMPY):
        ipu.state.program_counter = 0
        ipu.state.regfile.set_lr(1, 0)
        counts = AccessCounts(ipu.state.xmem.size)
        ipu.engine_choice = engine
        counts.run(ipu, 1_000)
        # Three unaligned rows touch two blocks each; 512 bytes at 0x1140 touch five.
        assert counts.ranges() == [range(0x200), range(0x1100, 0x1380)]
        assert [counts.counts(start, start + 1) for start in (0, 128, 256, 384)] == [
            (1, 0), (2, 0), (2, 0), (1, 0),
        ]  # fmt: skip
        assert counts.counts(0x1000, 0x2000) == (0, 5)


@settings(max_examples=15)
@given(st.randoms(use_true_random=True))
def test_random_programs_count_alike_on_both_engines(rng: Random) -> None:
    program = [random_word(rng) for _ in range(rng.randint(1, 20))]
    check_same(Ipu, random_state(rng), program)


@settings(max_examples=8)
@given(st.randoms(use_true_random=True))
def test_random_programs_of_ipu2_count_alike_on_both_engines(rng: Random) -> None:
    program = [random_word2(rng) for _ in range(rng.randint(1, 20))]
    check_same(Ipu2, random_state2(rng), program)


def test_recorded_runs_count_alike_and_end_as_without_counting() -> None:
    for record in records("exec")[::7]:
        state = state_of(record)
        words = [word for word in state.inst_mem if word is not None]
        check_same(Ipu, state, words)
        counted_end = state.save()
        plain: IpuState = state_of(record)
        Ipu(plain).run(60)
        assert plain.save().differences(counted_end) == []
