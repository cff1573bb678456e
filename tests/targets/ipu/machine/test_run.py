"""How a run goes on and how it ends."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import (
    CycleLimitError,
    DebugAction,
    EmulatorError,
    ExecutionFault,
    Ipu,
    IpuState,
    ProgramError,
    run_until_complete,
    run_with_debug,
)
from ipu_asm.isa import load_isa
from tests.emulator.machines import busy_ipu, ipu_with

COUNT_TO_THREE = "set lr1 3;; x: incr lr0 1; bne lr0 lr1 x;; bkpt;;"


def check_run(text: str, cycles: int, pc: int, max_cycles: int = 10_000) -> IpuState:
    """A program halts after so many cycles, at that program counter."""
    ipu = ipu_with(text)
    assert run_until_complete(ipu.state, max_cycles) == cycles
    assert ipu.state.program_counter == pc
    assert ipu.state.is_halted
    return ipu.state


def test_a_run_ends_when_the_program_counter_leaves_program_memory() -> None:
    assert check_run(COUNT_TO_THREE, 6, 1024).regfile.get_lr(0) == 4
    check_run("set lr0 -1;; br lr0;;", 2, 0xFFFF_FFFF)
    check_run("set lr0 2000;; br lr0;;", 2, 2000)


def test_bundles_that_were_never_loaded_take_a_cycle_each() -> None:
    state = check_run("incr lr0 1;;", 1024, 1024)
    assert state.regfile.get_lr(0) == 1
    state = IpuState()
    assert run_until_complete(state) == 1024


def test_a_halted_machine_does_nothing() -> None:
    ipu = ipu_with("bkpt;;")
    assert ipu.execute_vliw_cycle()
    before = ipu.state.save()
    assert not ipu.execute_vliw_cycle()
    assert ipu.run(10) == 0
    assert run_until_complete(ipu.state) == 0
    assert (ipu.cycles, ipu.state.save()) == (1, before)


def test_a_run_may_take_exactly_its_cycles() -> None:
    check_run(COUNT_TO_THREE, 6, 1024, max_cycles=6)
    ipu = ipu_with(COUNT_TO_THREE)
    with pytest.raises(CycleLimitError, match="did not halt within 5 cycles; bundle 2 is next"):
        run_until_complete(ipu.state, 5)
    assert run_until_complete(ipu.state, 1) == 1


def test_an_endless_loop_ends_at_the_limit() -> None:
    ipu = ipu_with("x: incr lr0 1; b x;;")
    with pytest.raises(EmulatorError) as raised:
        run_until_complete(ipu.state)
    assert isinstance(raised.value, CycleLimitError)
    assert (raised.value.limit, raised.value.pc) == (100_000, 0)
    assert ipu.state.regfile.get_lr(0) == 100_000


def test_a_run_ignores_breaks() -> None:
    check_run("break;; break.ifeq lr0 0; set lr1 1;; bkpt;;", 3, 1024)


def test_someone_who_looks_on_can_quit() -> None:
    ipu = ipu_with("incr lr0 1;; break; incr lr0 1;; bkpt;;")
    seen = []

    def quit_there(state: IpuState, cycle: int) -> DebugAction:
        seen.append((state.program_counter, cycle, state.regfile.get_lr(0)))
        return DebugAction.QUIT

    assert run_with_debug(ipu.state, quit_there) == 1
    assert seen == [(1, 1, 1)]
    assert ipu.state.program_counter == 1


def test_someone_who_looks_on_can_change_where_it_goes_on() -> None:
    ipu = ipu_with("break;; set lr0 1;; break;; bkpt;;")

    def skip(state: IpuState, cycle: int) -> DebugAction:
        state.program_counter += 2
        return DebugAction.CONTINUE

    assert run_with_debug(ipu.state, skip) == 2
    assert ipu.state.regfile.get_lr(0) == 0


def test_someone_who_looks_on_can_change_the_program() -> None:
    ipu = ipu_with("break;; set lr0 1;; bkpt;;")

    def patch(state: IpuState, cycle: int) -> DebugAction:
        state.inst_mem[1] = assemble("acc;; set lr0 7;;")[1]
        return DebugAction.CONTINUE

    run_with_debug(ipu.state, patch)
    assert ipu.state.regfile.get_lr(0) == 7


@pytest.mark.parametrize("action", [DebugAction.CONTINUE, DebugAction.STEP])
def test_looking_on_does_not_lift_the_limit(action: DebugAction) -> None:
    ipu = ipu_with("x: break; b x;;")
    calls = []

    def note(state: IpuState, cycle: int) -> DebugAction:
        calls.append(cycle)
        return action

    with pytest.raises(CycleLimitError):
        run_with_debug(ipu.state, note, 10)
    assert calls == list(range(10))


def test_a_run_can_stop_where_it_is_told_to() -> None:
    ipu = ipu_with("x: incr lr0 1;; incr lr0 1;; b x;;")
    assert ipu.run(100, lambda pc: pc == 2) == 2
    assert ipu.run(100, lambda pc: pc == 2) == 3
    assert (ipu.state.program_counter, ipu.cycles) == (2, 5)


def test_machines_on_one_state_do_not_disturb_each_other() -> None:
    ipu = busy_ipu()
    ipu.run(10)
    other = Ipu(ipu.state)
    other.run(10)
    ipu.run(10)
    alone = busy_ipu()
    alone.run(30)
    assert ipu.state.save() == alone.state.save()


def test_the_program_is_the_one_in_memory_now() -> None:
    ipu = ipu_with("incr lr0 1;;")
    ipu.execute_vliw_cycle()
    for text in ("incr lr0 10;;", "incr lr0 100;;"):
        ipu.state.load_program(assemble(text))
        ipu.state.program_counter = 0
        ipu.execute_vliw_cycle()
    assert ipu.state.regfile.get_lr(0) == 111


def test_a_number_that_is_no_word_is_refused_before_the_run() -> None:
    state = IpuState()
    state.load_program([assemble("incr lr0 1;;")[0], 1 << 179, -1])
    with pytest.raises(ProgramError) as raised:
        run_until_complete(state)
    assert [mistake[:44] for mistake in raised.value.mistakes] == [
        "bundle 1: a word of the program has 179 bits",
        "bundle 2: a word of the program has 179 bits",
    ]
    assert state.regfile.get_lr(0) == 0


@pytest.mark.parametrize(("shift", "expected"), [(0, 127), (8, 16), (24, 0), (31, 0)])
def test_the_machine_can_shift_before_it_quantizes(shift: int, expected: int) -> None:
    ipu = ipu_with("aaq;;", aaq_shift=shift)
    ipu.state.regfile.set_r_acc_bytes(b"\0\x10\0\0" * 128)
    ipu.execute_vliw_cycle()
    assert ipu.state.regfile.get_register_bytes("aaq_result") == bytes([expected] * 128)


@pytest.mark.parametrize("shift", [-1, 32])
def test_a_shift_beyond_a_word_is_refused(shift: int) -> None:
    with pytest.raises(ValueError, match="aaq_shift must be 0 to 31"):
        Ipu(IpuState(), shift)


def test_float_errors_are_no_warnings(capfd: pytest.CaptureFixture[str]) -> None:
    infinities = b"\x7c\xfc" * 256
    ipu = ipu_with("x: mult.ee r0 lr0 lr0 lr0; acc.add_aaq aaq0; agg sum inv cr0 aaq0; b x;;", 2)
    ipu.state.regfile.set_register_bytes("r_cyclic", 0, infinities)
    ipu.state.regfile.set_register_bytes("r", 0, infinities[:64] + bytes(64))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ipu.run(100)
    assert capfd.readouterr() == ("", "")


def test_an_error_of_the_onlooker_leaves_the_state_alone() -> None:
    ipu, twin = busy_ipu(), busy_ipu()

    def fail_at_seven(pc: int) -> bool:
        if ipu.state.regfile.get_lr(3) == 7:
            raise RuntimeError("seven")
        return False

    with pytest.raises(RuntimeError, match="seven"):
        ipu.run(100, fail_at_seven)
    twin.run(14)
    assert (ipu.cycles, ipu.state.save()) == (14, twin.state.save())


def test_a_limit_that_is_no_whole_number_changes_nothing() -> None:
    ipu = busy_ipu()
    ipu.run(5)
    ipu.state.regfile.set_lr(9, 1)
    before = ipu.state.save()
    with pytest.raises(TypeError):
        ipu.run(2.5)  # type: ignore[arg-type]
    assert (ipu.cycles, ipu.state.save()) == (5, before)


def test_breaks_can_be_asked_about() -> None:
    ipu = ipu_with("break;; break.ifeq lr0 1;; break_nop;; acc;;")
    stops = [pc for pc in (0, 1, 2, 3, 500, 1023, 1024, 0xFFFF_FFFF) if ipu.stops_at(pc)]
    assert stops == [0]
    ipu.state.regfile.set_lr(0, 1)
    assert ipu.stops_at(1)


def test_instructions_that_do_nothing_do_nothing() -> None:
    ipu = busy_ipu()
    ipu.run(9)
    before = ipu.state.save()
    nops = [spec for spec in load_isa("ipu").instructions.values() if spec.nop]
    assert len(nops) == 5
    for spec in nops:
        assert not getattr(ipu, spec.execute_fn)()
    assert ipu.state.save() == before


def test_a_fault_counts_no_cycle() -> None:
    ipu = ipu_with("incr lr0 1;; ldr_cyclic_mult_reg lr1 cr0 lr0;;")
    with pytest.raises(ExecutionFault):
        ipu.run(10)
    assert ipu.cycles == 1


def test_numpy_is_loaded_with_the_first_machine_and_not_before() -> None:
    code = (
        "import sys, ipu_asm.emulator as e; assert 'numpy' not in sys.modules;"
        "e.IpuState; assert 'numpy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
