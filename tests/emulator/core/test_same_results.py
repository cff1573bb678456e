"""Both engines do the same: states, cycles, faults and breaks."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.emulator import ExecutionFault, Ipu, IpuState
from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.emulator.machine import VARIABLE, Engine
from tests.emulator.core.engines import CORE_NAME, TwiceIpu, check_same, machine_on
from tests.emulator.machines import MAX_CYCLES, state_of
from tests.emulator.random_programs import random_state, random_word
from tests.vectors import records


@pytest.fixture(autouse=True)
def _on_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, Engine.CORE.value)


def test_faults_are_the_same_values() -> None:
    for record in records("faults"):
        faults = []
        for engine in (Engine.NUMPY, Engine.CORE):
            with pytest.raises(ExecutionFault) as raised:
                machine_on(engine, state_of(record)).run(MAX_CYCLES)
            faults.append(raised.value.fault)
        assert faults[0] == faults[1], record["id"]


@given(st.randoms(use_true_random=True))
def test_random_programs_give_the_same(rng: Random) -> None:
    check_same(rng)


@settings(max_examples=20)
@given(st.randoms(use_true_random=True))
def test_replaced_methods_give_the_same(rng: Random) -> None:
    check_same(rng, TwiceIpu)


def test_the_core_executes_the_recorded_runs() -> None:
    record = max(records("exec"), key=lambda record: int(record["final"]["cycles"]))
    ipu = Ipu(state_of(record))
    ipu.run(MAX_CYCLES)
    assert ipu.engine == CORE_NAME
    assert ipu.bundles_on_core == (ipu.cycles if CORE_NAME == "core" else 0)


@pytest.mark.parametrize("tail_limit", [0, 50])
@given(st.randoms(use_true_random=True))
def test_recordings_are_the_same(tail_limit: int, rng: Random) -> None:
    """With and without addresses, in pieces, with branches to registers and with faults."""
    start, program = random_state(rng).save(), [random_word(rng) for _ in range(8)]
    limits = [rng.choice((1, 8, 30)) for _ in range(12)]
    recordings = []
    for engine in (Engine.NUMPY, Engine.CORE):
        state = IpuState()
        state.restore(start)
        state.load_program(program)
        recording, ipu = Recording(tail_limit), machine_on(engine, state)
        for limit in limits:
            state.program_counter %= len(program)
            with suppress(ExecutionFault):
                recording.run(ipu, limit)
        recordings.append(recording)
    one, other = recordings
    assert (one.first, one.transitions) == (other.first, other.transitions)
    assert one.tail == other.tail
