"""States are saved, restored and compared; what they have in common is kept once."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.emulator import EmulatorError, Ipu, IpuState, SavedState
from ipu_asm.emulator.state import Origin
from tests.emulator.machines import ipu_with
from tests.emulator.random_programs import random_state, random_word

LAST = (1 << 21) - 1


def check_differences(before: SavedState, after: SavedState, *names: str) -> None:
    """Exactly these registers and rows differ, whichever way one looks."""
    assert before.differences(after) == after.differences(before) == list(names)
    assert (before == after) == (not names)


def test_a_new_state_is_all_zero_and_has_no_program() -> None:
    state = IpuState()
    blank = IpuState().xmem.image()
    zero = SavedState(bytes(2176), (0,) * 36, 0, blank, Origin("ipu", state.registers))
    check_differences(state.save(), zero)
    assert state.inst_mem == [None] * 1024
    assert not any(state.xmem.content)


def test_what_changed_is_named() -> None:
    state = IpuState()
    before = state.save()
    state.regfile.set_lr(3, 1)
    state.regfile.set_cr(15, 1)
    state.regfile.set_aaq(2, 1)
    state.regfile.set_pc(7)
    state.regfile.set_register_bytes("r", 1, b"\1" * 128)
    state.regfile.set_register_bytes("r_mask", 0, b"\1" * 128)
    state.xmem.write_address(4095, b"\1\1")
    state.xmem.write_address(LAST, b"\1")
    rows = ["xmem[0xf80]", "xmem[0x1000]", "xmem[0x1fff80]"]
    check_differences(before, state.save(), "pc", "lr3", "cr15", "aaq2", "r1", "r_mask", *rows)


def test_a_write_of_what_is_there_changes_nothing() -> None:
    state = IpuState()
    before = state.save()
    state.xmem.write_address(100, bytes(1000))
    check_differences(before, state.save())


@given(st.randoms(use_true_random=True))
def test_restoring_goes_back_and_forth_in_time(rng: Random) -> None:
    state = random_state(rng)
    program = [random_word(rng) for _ in range(20)]
    ipu = Ipu(state)
    moments = []
    for word in program:
        state.load_program([word])
        state.program_counter = 0
        try:
            ipu.execute_vliw_cycle()
        except EmulatorError:
            state.xmem.write_address(rng.randrange(1 << 21), b"\5")
        moments.append((state.save(), bytes(state.xmem.content), bytes(state.regfile.block)))
    for saved, memory, block in rng.choices(moments, k=30):
        state.restore(saved)
        check_differences(saved, state.save())
        assert state.xmem.content == memory
        assert state.regfile.block == block
        state.xmem.write_address(rng.randrange(1 << 21), rng.randbytes(1))


def test_a_restored_machine_runs_on_as_before() -> None:
    ipu = ipu_with("x: incr lr0 1; str_acc_reg lr0 cr0; mult.ee r0 lr0 lr1 lr1; acc; b x;;", 1)
    ipu.state.regfile.set_register_bytes("r", 0, b"\x38" * 128)
    ipu.state.regfile.set_register_bytes("r_cyclic", 0, bytes(range(128)) * 4)
    ipu.run(5)
    saved = ipu.state.save()
    ipu.run(50)
    later = ipu.state.save()
    ipu.state.restore(saved)
    ipu.run(50)
    check_differences(later, ipu.state.save())


def test_saved_states_share_the_pages_that_did_not_change() -> None:
    state = IpuState()
    before = state.save()
    assert state.save().memory is before.memory
    state.xmem.write_address(5000, b"\1")
    after = state.save()
    shared = [
        mine is theirs
        for group, other in zip(before.memory, after.memory, strict=True)
        for mine, theirs in zip(group, other, strict=True)
    ]
    assert shared.count(False) == 1


@pytest.mark.parametrize(("address", "size"), [(1 << 21, 1), (LAST, 2), (-1, 1), (0, LAST + 2)])
def test_memory_ends_at_2_mib(address: int, size: int) -> None:
    state = IpuState()
    before = state.save()
    with pytest.raises(EmulatorError, match="must end within"):
        state.xmem.read_address(address, size)
    with pytest.raises(EmulatorError, match="must end within"):
        state.xmem.write_address(address, bytes(size))
    check_differences(before, state.save())


def test_memory_takes_whatever_has_bytes_and_gives_a_copy() -> None:
    state = IpuState()
    state.xmem.write_address(LAST - 1, memoryview(b"ab"))
    state.xmem.write_address(LAST, bytearray())
    content = state.xmem.read_address(LAST - 1, 2)
    content[0] = 0
    assert state.xmem.read_address(LAST - 1, 2) == b"ab"


def test_a_program_of_more_than_1024_bundles_is_refused() -> None:
    state = IpuState()
    state.load_program(range(1024))
    with pytest.raises(ValueError, match="holds 1024 bundles, found 1025"):
        state.load_program(range(1025))
    assert state.inst_mem == list(range(1024))


def test_loading_a_program_replaces_all_of_the_old_one() -> None:
    state = IpuState()
    state.load_program([1, 2, 3])
    state.inst_mem = [4]
    assert state.inst_mem == [4] + [None] * 1023


def test_the_element_type_is_what_cr15_holds() -> None:
    state = IpuState()
    state.regfile.set_cr(15, 2)
    assert state.get_cr_dtype() == 2
    state.set_cr_dtype(1)
    assert state.regfile.get_cr(15) == 1
