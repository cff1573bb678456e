"""Random programs on random states: after every bundle the state is that of the scalar model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.assembler.encode import disassemble
from ipu_asm.emulator import ExecutionFault, Ipu
from ipu_asm.targets.ipu2.machine import mult as ipu2_mult
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from ipu_asm.targets.ipu_family import machine as ipu_family
from tests.emulator import machines, random_programs
from tests.scalar_machine import ScalarFault
from tests.targets.ipu2.machine import machines as machines2
from tests.targets.ipu2.machine import random_states

BUNDLES = 40


def check_twins(rng: Random) -> None:
    """The machine of the IPU and its scalar model do the same with every bundle."""
    state = random_programs.random_state(rng)
    ipu, twin = Ipu(state, rng.choice((0, 0, 1, 24, 31))), machines.scalar_twin(state)
    twin.aaq_shift = ipu.aaq_shift
    check_bundles(rng, ipu, twin, random_programs.random_word, machines.differences_of_twins)


def check_twins_of_ipu2(rng: Random) -> None:
    """So do those of IPU 2, in all modes."""
    state = random_states.random_state(rng)
    twin, differences = machines2.scalar_twin(state), machines2.differences_of_twins
    check_bundles(rng, Ipu2(state), twin, random_states.random_word, differences)
    assert state.xmem.content == twin.xmem


def check_bundles(
    rng: Random,
    machine: Ipu | Ipu2,
    twin: Any,
    random_word: Callable[[Random], int],
    differences: Callable[[Any, Any], list[str]],
) -> None:
    """Both machines do the same with every bundle; one that faults is stepped over."""
    state = machine.state
    program = [random_word(rng) for _ in range(rng.randint(1, 20))]
    state.load_program(program)
    for _ in range(BUNDLES):
        if twin.pc > len(program):
            state.program_counter = twin.pc = rng.randrange(len(program))
        word = state.inst_mem[twin.pc]
        text = "" if word is None else disassemble([word], state.isa_name)
        before = state.save()
        refused = refuses(machine.execute_vliw_cycle)
        reason = f"`{type(twin).__name__}` of tests/, the model, does not agree on `{text}`"
        assert refused == refuses(partial(twin.step, word)), reason
        assert differences(state, twin) == [], text
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


@pytest.mark.parametrize("check", [check_twins, check_twins_of_ipu2])
@given(rng=st.randoms(use_true_random=True))
def test_every_bundle_leaves_the_state_of_the_scalar_model(
    check: Callable[[Random], None], rng: Random
) -> None:
    check(rng)


@pytest.mark.parametrize("check", [check_twins, check_twins_of_ipu2])
@settings(max_examples=20)
@given(rng=st.randoms(use_true_random=True))
def test_hardware_that_passes_nans_on_in_another_way_makes_no_difference(
    check: Callable[[Random], None], rng: Random
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for unit in (ipu_family, ipu2_mult):
            patch.setattr(unit, "NAN_PAYLOADS_PROPAGATE", False)
        check(rng)
