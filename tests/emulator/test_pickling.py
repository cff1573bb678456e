"""States and machines that are pickled, for other processes: exact and small."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm import assemble
from ipu_asm.emulator import Ipu, IpuState, SavedState, machine_for
from ipu_asm.emulator.state import image_of, parts_of

PROGRAM = (
    "set lr0 100;; row: incr lr0 128; incr lr1 1; blt lr1 lr2 row; str_acc_reg lr0 cr0;; bkpt;;"
)


def used_state(seed: int = 1) -> IpuState:
    """A state with a program, data in all registers, and in a few places of memory."""
    state, rng = IpuState(), np.random.default_rng(seed)
    state.load_program(assemble(PROGRAM))
    state.regfile.block[:] = rng.bytes(len(state.regfile.block))
    state.regfile.set_lr(2, 40)
    for address in (0, 4090, 0x20000, (1 << 21) - 300):
        state.xmem.write_address(address, rng.bytes(300))
    return state


def pickled(value: Any) -> Any:
    """A value after its way through another process."""
    return pickle.loads(pickle.dumps(value))


@given(st.lists(st.tuples(st.integers(0, 9_700), st.binary(max_size=300)), max_size=8))
def test_parts_of_a_memory_are_exact(writes: list[tuple[int, bytes]]) -> None:
    state = IpuState()
    for address, content in writes:
        state.xmem.write_address(address, content)
    image = state.xmem.image()
    assert image_of(state.xmem.size, parts_of(image)) == image


def test_a_memory_that_is_no_whole_number_of_pages_is_exact_too() -> None:
    pages = [page for group in image_of(10_000, ()) for page in group]
    assert [len(page) for page in pages] == [4096, 4096, 1808]
    parts = ((3, b"\1\0\2"), (8192, b"\3" + bytes(1806) + b"\4"))
    assert parts_of(image_of(10_000, parts)) == parts


def test_a_saved_state_comes_back_equal_and_small() -> None:
    saved = used_state().save()
    data = pickle.dumps(saved)
    assert pickle.loads(data) == saved
    assert hash(pickle.loads(data)) == hash(saved)
    assert len(data) < len(saved.block) + 4_096 + 3 * 300 + 1_000
    assert len(pickle.dumps(IpuState().save())) < 3_000


def test_a_saved_state_from_elsewhere_shares_the_pages_that_are_zero() -> None:
    saved = pickled(used_state().save())
    blank = IpuState().xmem.image()
    shared = sum(mine is theirs for one in zip(saved.memory, blank) for mine, theirs in zip(*one))
    assert shared == 512 - 4


def test_a_state_comes_back_with_its_program_and_runs_on() -> None:
    state = used_state()
    for other in (pickled(state), copy.deepcopy(state)):
        assert other.save() == state.save()
        assert other.inst_mem == state.inst_mem
        assert other.regfile.acc_words.base is not None
        Ipu(other).run(1_000)
        expected = used_state()
        Ipu(expected).run(1_000)
        assert other.save() == expected.save()


def test_a_machine_comes_back_in_the_middle_of_a_run_with_its_options() -> None:
    machine = Ipu(used_state(), 3)
    machine.run(7)
    other = pickled(machine)
    assert (other.cycles, other.aaq_shift, other.snapshot.pc) == (7, 3, machine.snapshot.pc)
    machine.run(1_000)
    other.run(1_000)
    assert (other.cycles, other.state.save()) == (machine.cycles, machine.state.save())


@pytest.mark.parametrize("wide", [None, "fp32"])
def test_the_settings_of_the_other_ipu_come_along(wide: str | None) -> None:
    model = machine_for("ipu2")
    state = model.State(dtype="E5", wide=wide, elu_alpha=0.5)
    state.load_program(assemble("INC lr1 3;; BKPT;;", isa="ipu2"))
    machine = pickled(model.Machine(state))
    assert machine.state.settings == state.settings
    assert model.run_until_complete(machine.state, machine=machine) == 2
    assert machine.state.regfile.get_lr(1) == 3
    saved: SavedState = pickled(state.save())
    assert saved == state.save() != machine.state.save()
