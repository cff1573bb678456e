"""Random programs on random states: after every bundle the state is that of the scalar machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.assembler.encode import disassemble
from ipu_asm.emulator import ExecutionFault, Ipu
from ipu_asm.targets.ipu.machine import state as unit
from tests.emulator.machines import differences_of_twins, scalar_twin
from tests.emulator.random_programs import random_state, random_word
from tests.scalar_machine import ScalarFault

BUNDLES = 40


def check_twins(rng: Random) -> None:
    """Both machines do the same with every bundle; one that faults is stepped over."""
    state = random_state(rng)
    program = [random_word(rng) for _ in range(rng.randint(1, 20))]
    state.load_program(program)
    ipu, twin = Ipu(state, rng.choice((0, 0, 1, 24, 31))), scalar_twin(state)
    twin.aaq_shift = ipu.aaq_shift
    for _ in range(BUNDLES):
        if twin.pc > len(program):
            state.program_counter = twin.pc = rng.randrange(len(program))
        word = state.inst_mem[twin.pc]
        text = "" if word is None else disassemble([word])
        before = state.save()
        refused = refuses(ipu.execute_vliw_cycle)
        reason = f"tests/scalar_machine.py, the model to compare with, does not agree on `{text}`"
        assert refused == refuses(partial(twin.step, word)), reason
        assert differences_of_twins(state, twin) == [], text
        if refused:
            assert state.save() == before
            state.program_counter = twin.pc = twin.pc + 1


def refuses(execute: Callable[[], object]) -> bool:
    """Execute one bundle; whether it could not be executed."""
    try:
        execute()
    except (ExecutionFault, ScalarFault):
        return True
    return False


@settings(max_examples=100)
@given(st.randoms(use_true_random=True))
def test_every_bundle_leaves_the_state_of_the_scalar_machine(rng: Random) -> None:
    check_twins(rng)


@settings(max_examples=20)
@given(st.randoms(use_true_random=True))
def test_hardware_that_passes_nans_on_in_another_way_makes_no_difference(rng: Random) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unit, "NAN_PAYLOADS_PROPAGATE", False)
        check_twins(rng)
