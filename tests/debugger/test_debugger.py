"""The ends of a run: halts, faults, limits, pauses; and what one can still do there."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.breakpoints import Breakpoint
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.emulator import IpuState, ProgramError
from ipu_asm.emulator.stops import StopReason
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable
from tests.debugger.ipu_regions import whole_region
from tests.debugger.sessions import LOOP, NO_TRAPS, debugger_on

FAULTY = "set lr1 -1;;\nagain: incr lr2 1;;\nldr_mult_reg r0 lr1 cr0;;\nbkpt;;"
ENDLESS = "again: incr lr1 1; b again;;"


def check_moves(debugger: Debugger, *moves: str) -> list[tuple[str, int, int]]:
    """Reason, cycle and pc of the stops after some moves; each stop tells the machine's cycle."""
    seen = []
    for move in moves:
        stop = getattr(debugger, move)()
        assert stop.cycle == debugger.cycle
        assert stop.description
        seen.append((stop.reason.value, stop.cycle, stop.pc))
    return seen


def test_bkpt_stops_behind_its_bundle_and_continuing_ends() -> None:
    moves = check_moves(debugger_on("set lr1 3;; bkpt;;"), "continue_", "continue_", "step_back")
    assert moves == [("halt instruction", 2, 1), ("ended", 2, 1), ("step", 1, 1)]


def test_bkpt_ends_at_once_if_nobody_wants_to_look() -> None:
    debugger = debugger_on("set lr1 3;; bkpt;;", stop_on_halt=False)
    assert check_moves(debugger, "continue_") == [("ended", 2, 1)]


def test_leaving_program_memory_is_a_halt_without_bkpt() -> None:
    debugger = debugger_on("set lr1 1024;; br lr1;;")
    assert check_moves(debugger, "continue_", "step") == [("halted", 2, 1), ("ended", 2, 1)]


def test_a_fault_stops_at_its_bundle_and_one_can_step_back_from_it() -> None:
    debugger = debugger_on(FAULTY)
    moves = check_moves(debugger, "continue_", "continue_", "step", "step_back", "step", "step")
    fault, at = ("fault", 2, 2), ("step", 2, 2)
    assert moves == [fault, fault, fault, ("step", 1, 1), at, fault]
    stop = debugger.continue_()
    assert stop.fault is not None
    assert "line 3" in stop.description
    assert stop.fault.cause in stop.description


def test_there_is_nothing_before_the_beginning() -> None:
    debugger = debugger_on(LOOP)
    assert (
        check_moves(debugger, "step_back", "reverse_continue") == [("start of history", 0, 0)] * 2
    )


def test_the_cycle_limit_stops_an_endless_loop_but_not_a_step() -> None:
    debugger = debugger_on(ENDLESS, max_cycles=10_000)
    moves = check_moves(debugger, "continue_", "continue_", "step")
    assert moves == [("cycle-limit", 10_000, 0), ("cycle-limit", 10_000, 0), ("step", 10_001, 0)]


def test_all_runs_stay_at_the_cycle_limit() -> None:
    debugger = debugger_on(ENDLESS, max_cycles=1_000)
    debugger.breakpoints.set_at_bundles(
        [Breakpoint(0, lambda state: state.regfile.get_lr(1) == 1_000)]
    )
    moves = check_moves(debugger, "continue_", "continue_", "step_out", "reverse_continue")
    at_limit = ("cycle-limit", 1_000, 0)
    assert moves == [("breakpoint", 1_000, 0), at_limit, at_limit, ("breakpoint", 1_000, 0)]
    assert check_moves(debugger, "restart", "continue_")[0] == ("entry", 0, 0)


def test_after_the_end_only_an_edit_of_the_program_counter_goes_on() -> None:
    debugger = debugger_on("set lr1 3;; bkpt;;")
    ended = ("ended", 2, 1)
    forward = ["continue_", "step", "step_line", "step_out", "start"]
    assert check_moves(debugger, "continue_", *forward)[1:] == [ended] * 5
    debugger.edit(whole_region("lr1"), bytes(4))
    assert check_moves(debugger, "continue_") == [ended]
    debugger.edit(whole_region("pc"), bytes(4))
    assert check_moves(debugger, "step", "continue_") == [
        ("step", 3, 1),
        ("halt instruction", 4, 1),
    ]


def test_a_user_who_leaves_program_memory_is_told_so() -> None:
    debugger = debugger_on(LOOP)
    debugger.step()
    debugger.edit(whole_region("pc"), (2_000).to_bytes(4, "little"))
    stop = debugger.continue_()
    assert (stop.reason, stop.cycle, stop.pc) == (StopReason.ENDED, 1, 2_000)
    assert stop.description == "halted, as the program counter was set to 2000"
    assert debugger.step_back().reason is StopReason.STEP
    assert debugger.state.program_counter == 0


def test_the_way_back_from_a_fault_finds_a_breakpoint_in_front_of_it() -> None:
    debugger = debugger_on(FAULTY)
    debugger.breakpoints.set_at_bundles([Breakpoint(2), Breakpoint(1)])
    moves = ["continue_", "continue_", "continue_", *["reverse_continue"] * 3]
    early, late, start = ("breakpoint", 1, 1), ("breakpoint", 2, 2), ("start of history", 0, 0)
    assert check_moves(debugger, *moves) == [early, late, ("fault", 2, 2), late, early, start]


def test_an_edit_that_removes_the_cause_of_a_fault_lets_the_program_go_on() -> None:
    debugger = debugger_on(FAULTY)
    assert debugger.continue_().reason is StopReason.FAULT
    debugger.edit(whole_region("lr1"), bytes(4))
    assert check_moves(debugger, "continue_", "reverse_continue") == [
        ("halt instruction", 4, 3),
        ("start of history", 0, 0),
    ]


def test_a_breakpoint_that_comes_back_counts_the_past_as_it_is_now() -> None:
    debugger = debugger_on(LOOP, NO_TRAPS)
    third = Breakpoint(2, None, lambda hits: hits == 3)
    debugger.breakpoints.set_at_bundles([third])
    assert debugger.continue_().cycle == 2 + 26 * 2
    debugger.breakpoints.set_at_bundles([])
    debugger.go_to(2)
    debugger.edit(whole_region("pc"), (1).to_bytes(4, "little"))
    debugger.go_to(100)
    debugger.breakpoints.set_at_bundles([third])
    assert debugger.reverse_continue().cycle == 3 + 26


def test_a_pause_stops_an_endless_loop_and_a_way_back() -> None:
    answers = iter([False] * 5)
    debugger = debugger_on(ENDLESS, pause=lambda: next(answers, True))
    stop = debugger.continue_()
    assert (stop.reason, next(answers, None)) == (StopReason.PAUSE, None)
    assert stop.cycle > 5
    back = debugger.reverse_continue()
    assert (back.reason, back.cycle) == (StopReason.PAUSE, stop.cycle)


def test_restarting_forgets_edits_and_hits() -> None:
    debugger = debugger_on(LOOP, traps=NO_TRAPS)
    beginning = debugger.state.save()
    debugger.breakpoints.set_at_bundles([Breakpoint(2, None, lambda hits: hits == 2)])
    first = debugger.continue_()
    assert debugger.restart().reason is StopReason.ENTRY
    assert debugger.state.save() == beginning
    assert debugger.continue_() == first


def test_breaks_can_be_switched_off_while_it_runs() -> None:
    debugger = debugger_on(LOOP)
    assert check_moves(debugger, "continue_") == [("break", 17, 5)]
    debugger.breakpoints.traps = NO_TRAPS
    assert check_moves(debugger, "continue_") == [("halt instruction", 3_331, 7)]


def test_a_program_that_the_machine_cannot_take_is_refused_before_it_runs() -> None:
    state = IpuState()
    state.load_program([0, 1 << 200])
    with pytest.raises(ProgramError, match="bundle 1: a word"):
        Debugger(LineTable(read_program(load_isa("ipu"), "acc;; acc;;")), state)
