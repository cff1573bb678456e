"""The ends of a run: halts, faults, limits, pauses; and what one can still do there."""

from __future__ import annotations

from ipu_asm.debugger.breakpoints import Breakpoint
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.stop import Reason
from tests.debugger.sessions import LOOP, debugger_on

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
    assert moves == [("limit", 10_000, 0), ("limit", 10_000, 0), ("step", 10_001, 0)]


def test_a_pause_stops_an_endless_loop_and_a_way_back() -> None:
    answers = iter([False] * 5)
    debugger = debugger_on(ENDLESS, pause=lambda: next(answers, True))
    stop = debugger.continue_()
    assert (stop.reason, next(answers, None)) == (Reason.PAUSE, None)
    assert stop.cycle > 5
    back = debugger.reverse_continue()
    assert (back.reason, back.cycle) == (Reason.PAUSE, stop.cycle)


def test_restarting_forgets_edits_and_hits() -> None:
    debugger = debugger_on(LOOP, stop_at_breaks=False)
    beginning = debugger.state.save()
    debugger.set_breakpoints([Breakpoint(2, None, lambda hits: hits == 2)])
    first = debugger.continue_()
    assert debugger.restart().reason is Reason.ENTRY
    assert debugger.state.save() == beginning
    assert debugger.continue_() == first


def test_breaks_can_be_switched_off_while_it_runs() -> None:
    debugger = debugger_on(LOOP)
    assert check_moves(debugger, "continue_") == [("break instruction", 17, 5)]
    debugger.stop_at_breaks = False
    assert check_moves(debugger, "continue_") == [("halt instruction", 3_331, 7)]
