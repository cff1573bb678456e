"""Random programs in all modes: after every bundle the state is that of the scalar model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.assembler.encode import disassemble
from ipu_asm.emulator import ExecutionFault
from ipu_asm.targets.ipu2.machine import mult
from ipu_asm.targets.ipu2.machine import state as unit
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from tests.scalar_machine import ScalarFault
from tests.targets.ipu2.machine.machines import differences_of_twins, scalar_twin
from tests.targets.ipu2.machine.random_states import random_state, random_word

BUNDLES = 40


def check_twins(rng: Random) -> None:
    """Both machines do the same with every bundle; one that faults is stepped over."""
    state = random_state(rng)
    program = [random_word(rng) for _ in range(rng.randint(1, 20))]
    state.load_program(program)
    machine, twin = Ipu2(state), scalar_twin(state)
    for _ in range(BUNDLES):
        if twin.pc > len(program):
            state.program_counter = twin.pc = rng.randrange(len(program))
        word = state.inst_mem[twin.pc]
        text = "" if word is None else disassemble([word], "ipu2")
        before = state.save()
        refused = refuses(machine.execute_vliw_cycle)
        reason = f"tests/scalar_ipu2.py, the model to compare with, does not agree on `{text}`"
        assert refused == refuses(partial(twin.step, word)), reason
        assert differences_of_twins(state, twin) == [], text
        if refused:
            assert state.save() == before
            state.program_counter = twin.pc = twin.pc + 1
    assert state.xmem.content == twin.xmem


def refuses(execute: Callable[[], object]) -> bool:
    """Execute one bundle; whether it could not be executed."""
    try:
        execute()
    except (ExecutionFault, ScalarFault):
        return True
    return False


@settings(max_examples=100)
@given(st.randoms(use_true_random=True))
def test_every_bundle_leaves_the_state_of_the_scalar_model(rng: Random) -> None:
    check_twins(rng)


@settings(max_examples=20)
@given(st.randoms(use_true_random=True))
def test_hardware_that_passes_nans_on_in_another_way_makes_no_difference(rng: Random) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unit, "NAN_PAYLOADS_PROPAGATE", False)
        patch.setattr(mult, "NAN_PAYLOADS_PROPAGATE", False)
        check_twins(rng)
