"""Executions and branches taken and not taken are counted alike on both engines and by hand."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Callable, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.assembler.kernel import assemble_kernel, read_kernel
from ipu_asm.emulator import ExecutionFault, machine_for
from ipu_asm.emulator.execution_counts import BranchCount, ExecutionCounts, conditional_branches
from ipu_asm.emulator.machine import Engine
from ipu_asm.isa import load_isa
from ipu_asm.text import SourceFile
from tests.emulator import random_programs as ipu
from tests.emulator.core.engines import CORE_NAME
from tests.emulator.machines import ipu_with
from tests.example_references import ROOT
from tests.targets.ipu2.machine import random_states as ipu2

EXAMPLES: Final = [
    path
    for folder in ("examples", "examples/ipu2")
    for path in sorted((ROOT / folder).glob("*.[as]*"))
]

Start = tuple[Callable[[], Any], list[int]]


def start_of(name: str, rng: Random) -> Start:
    """A random program of a set, and what makes the same random state again and again."""
    source: Any = {"ipu": ipu, "ipu2": ipu2}[name]
    seed = rng.random()
    return lambda: source.random_state(Random(seed)), [source.random_word(rng) for _ in range(8)]


def counted(name: str, start: Start, limits: list[int], engine: Engine | None) -> ExecutionCounts:
    """The counts of runs with limits; without an engine, of single bundles counted here."""
    make, program = start
    state = make()
    state.load_program(program)
    machine = machine_for(name).Machine(state)
    machine.engine_choice = engine or Engine.NUMPY
    counts = ExecutionCounts()
    machine.counter = counts if engine else None
    for limit in limits:
        state.program_counter %= len(program)
        with suppress(ExecutionFault):
            if engine:
                machine.run(limit)
            else:
                count_by_hand(machine, limit, counts)
    return counts


def count_by_hand(machine: Any, limit: int, counts: ExecutionCounts) -> None:
    """Count what single bundles do to the program counter."""
    for _ in range(limit):
        pc = machine.state.program_counter
        if not machine.execute_vliw_cycle():
            break
        counts.executions[pc] += 1
        counts.departures[pc, machine.state.program_counter] += 1


@pytest.mark.parametrize("name", ["ipu", "ipu2"])
@given(st.randoms(use_true_random=True))
def test_random_programs_are_counted_alike(name: str, rng: Random) -> None:
    start = start_of(name, rng)
    limits = [rng.choice((1, 8, 30)) for _ in range(12)]
    expected = counted(name, start, limits, None)
    for engine in (Engine.NUMPY, Engine.CORE):
        counts = counted(name, start, limits, engine)
        assert counts.executions == expected.executions
        assert +counts.departures == expected.departures


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_loops_of_examples_are_counted_alike(path: Path) -> None:
    kernel = read_kernel(path.read_bytes(), str(path))
    start = partial(machine_for(kernel.isa.name).make_state, {}), list(kernel.words)
    both = [
        counted(kernel.isa.name, start, [1, 700, 8, 91], engine)
        for engine in (Engine.NUMPY, Engine.CORE)
    ]
    assert both[0].executions == both[1].executions
    assert both[0].departures == both[1].departures


def test_the_core_counts_the_ways_of_a_branch() -> None:
    text = "set lr5 9;; x: incr lr0 1; bne lr0 lr5 x;; beq lr0 lr1 x;; bne lr0 lr1 y;; y: bkpt;;"
    machine = ipu_with(text)
    machine.engine_choice = Engine.CORE
    machine.counter = counts = ExecutionCounts()
    machine.run(100)
    assert machine.bundles_on_core == (14 if CORE_NAME == "core" else 0)
    assert counts.executions == Counter({0: 1, 1: 10, 2: 1, 3: 1, 4: 1})
    branches = conditional_branches(assemble_kernel(SourceFile(text), load_isa("ipu")))
    found = {branch.pc: counts.of_branch(branch) for branch in branches}
    assert found == {1: BranchCount(9, 1), 2: BranchCount(0, 1)}
