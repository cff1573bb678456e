"""Steps from line to line, forwards and backwards."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.debugger.debugger import Debugger
from ipu_asm.emulator.stops import StopReason
from tests.debugger.sessions import LOOP, NO_TRAPS, debugger_on

CROWDED = """\
set lr2 3;; set lr1 0;;
loop: incr lr1 1;; incr lr3 1;; inner: incr lr4 1;;
set lr5 1;
  incr lr6 1;; blt lr4 lr2 inner;;
b tail;;
one: incr lr7 1; blt lr7 lr2 one;; bkpt;;
tail: blt lr1 lr2 loop;; b one;;
"""
"""Bundles 0, 1 | 2, 3, 4 | 5, 6 (begins on the second line of 5) | 7 | 8, 9 | 10, 11 by line."""

LINES = (1, 1, 2, 2, 2, 3, 4, 5, 6, 6, 7, 7)


def check_steps(debugger: Debugger, steps: int) -> list[tuple[int, int]]:
    """Cycle and bundle after each step over a line; steps back lead through the same ones."""
    seen = [(debugger.cycle, debugger.state.program_counter)]
    while len(seen) <= steps and debugger.step_line().reason is StopReason.STEP:
        seen.append((debugger.cycle, debugger.state.program_counter))
    way_back = seen[:-1] if debugger.cycle == seen[-1][0] else seen
    for cycle, pc in reversed(way_back):
        stop = debugger.step_back_line()
        assert (stop.reason, stop.cycle, stop.pc) == (StopReason.STEP, cycle, pc)
    return seen


def test_a_step_over_a_line_ends_at_the_next_line_or_at_the_same_one_again() -> None:
    seen = check_steps(debugger_on(CROWDED, NO_TRAPS), 1_000)
    assert [LINES[pc] for _, pc in seen][:13] == [1, 2, 3, 4, 2, 3, 4, 2, 3, 4, 5, 7, 2]
    pcs = [pc for _, pc in seen]
    assert pcs[-6:] == [7, 10, 8, 8, 8, 8]


def test_a_step_back_in_the_middle_of_a_line_leads_to_its_beginning() -> None:
    debugger = debugger_on(CROWDED, NO_TRAPS)
    debugger.go_to(4)
    assert debugger.state.program_counter == 4
    back = [debugger.step_back_line(), debugger.step_back_line(), debugger.step_back_line()]
    assert [(stop.reason, stop.cycle) for stop in back] == [
        (StopReason.STEP, 2),
        (StopReason.STEP, 0),
        (StopReason.START, 0),
    ]


def test_a_loop_within_a_line_is_left_by_one_step() -> None:
    debugger = debugger_on("set lr2 99;;\nincr lr3 1;; in: incr lr1 1;; bne lr1 lr2 in;;\nbkpt;;")
    assert check_steps(debugger, 2) == [(0, 0), (1, 1), (200, 4)]


def test_a_step_over_a_line_stops_at_a_break_on_the_way() -> None:
    debugger = debugger_on("set lr1 1;; break; incr lr1 1;; incr lr1 1;;\nbkpt;;")
    stops = [debugger.step_line(), debugger.step_line(), debugger.step_line()]
    assert [(stop.reason, stop.pc) for stop in stops] == [
        (StopReason.BREAK, 1),
        (StopReason.STEP, 3),
        (StopReason.BKPT, 3),
    ]


def test_behind_the_program_each_bundle_is_a_line_of_its_own() -> None:
    debugger = debugger_on("acc;; acc;;")
    assert check_steps(debugger, 4) == [(0, 0), (2, 2), (3, 3), (4, 4), (5, 5)]


def test_a_step_over_a_line_moves_on_at_the_cycle_limit() -> None:
    debugger = debugger_on(CROWDED, NO_TRAPS, max_cycles=3)
    stops = [debugger.step_line(), debugger.step_line(), debugger.step_line()]
    assert [(stop.reason, stop.cycle) for stop in stops] == [
        (StopReason.STEP, 2),
        (StopReason.CYCLE_LIMIT, 3),
        (StopReason.STEP, 5),
    ]


@settings(max_examples=20)
@given(st.sampled_from([LOOP, CROWDED]), st.integers(0, 150), st.sampled_from([3, 50, 4_096]))
def test_steps_back_over_lines_undo_steps_over_lines(text: str, start: int, spacing: int) -> None:
    debugger = debugger_on(text, NO_TRAPS, spacing=spacing)
    debugger.go_to(start)
    debugger.step_line()
    check_steps(debugger, 30)
