"""A run that is paused again and again and resumed finds what it would have found at once."""

from __future__ import annotations

import random
from typing import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.debugger.breakpoints import (
    AccessType,
    Breakpoint,
    DataBreakpoint,
    ResumePoint,
    Stop,
    Trap,
    parse_hit_condition,
)
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.queries import QueryInterruptedError, last_write, when_true
from ipu_asm.emulator import IpuState
from ipu_asm.emulator.stops import StopReason
from tests.debugger.ipu_regions import region, whole_region
from tests.debugger.sessions import LOOP, NO_TRAPS, debugger_on

Pause = Callable[[], bool]
Act = Callable[[Debugger], Stop]

LAST = 3_331
OVERFLOWING = """\
set lr2 40; set lr3 32767;;
loop: add lr1 lr1 lr3; acc; mult.ve.cr lr3 lr0 lr0 cr1;
break.ifeq lr4 7;;
incr lr4 1; agg max value cr0 aaq0;; blt lr4 lr2 loop;;
set lr4 0;; break; b loop;;
"""


def at_random(seed: int, share: float) -> Pause:
    """A pause that comes for that share of the questions, but never three times in a row."""
    chance, streak = random.Random(seed), 0

    def pause() -> bool:
        nonlocal streak
        streak = streak + 1 if chance.random() < share else 0
        return 0 < streak < 3

    return pause


def check_pauses(
    make: Callable[[Pause], Debugger],
    acts: list[Act],
    pause: Pause,
    meanwhile: Callable[[Debugger], None] = lambda debugger: None,
) -> None:
    """Acts lead to the same stops and states whether they are paused and resumed, or not."""
    calm, nervous = make(lambda: False), make(pause)
    for act in acts:
        expected, found = act(calm), act(nervous)
        while found.reason is StopReason.PAUSE:
            assert isinstance(found.continuation, ResumePoint)
            assert (found.cycle, found.hits) == (nervous.cycle, ())
            meanwhile(nervous)
            found = nervous.resume(found.continuation)
        assert _seen(calm, expected) == _seen(nervous, found)
        assert nervous.state.save() == calm.state.save()


def _seen(debugger: Debugger, stop: Stop) -> tuple[object, ...]:
    filters = debugger.breakpoints.filters
    return stop._replace(hits=()), [filters.index(hit) for hit in stop.hits]


def watched_loop(pause: Pause) -> Debugger:
    """The loop of the other tests, with a breakpoint of each sort."""
    debugger = debugger_on(LOOP, pause=pause, spacing=64, max_cycles=3_000)
    set_loop_breakpoints(debugger)
    return debugger


def set_loop_breakpoints(debugger: Debugger) -> None:
    debugger.breakpoints.set_at_bundles(
        [
            Breakpoint(2, lambda state: state.regfile.get_lr(4) % 16 == 0),
            Breakpoint(6, None, parse_hit_condition("%50")),
        ]
    )
    watched = region("xmem", 0x1000, 4)
    debugger.breakpoints.set_at_data(
        [DataBreakpoint(watched, AccessType.BOTH, None, parse_hit_condition(">=3"))]
    )
    debugger.breakpoints.traps = {Trap.BREAK: lambda state: state.regfile.get_lr(4) % 8 == 3}


def set_again(debugger: Debugger) -> None:
    """Set what is set, as clients do that change something else."""
    breakpoints = debugger.breakpoints
    breakpoints.set_at_bundles(list(breakpoints.at_bundles))
    breakpoints.set_at_data(list(breakpoints.at_data))
    breakpoints.traps = dict(breakpoints.traps)


def overflowing_loop(pause: Pause) -> Debugger:
    """A loop whose sums wrap now and then, with a data breakpoint on what comes of them."""

    def prepare(state: IpuState) -> None:
        state.regfile.set_cr(1, 0x70)
        state.regfile.set_register_bytes("mult_res", 0, bytes([0, 0, 0x30, 0x03] * 128))
        state.regfile.set_register_bytes("r_acc", 0, bytes([7, 0, 0, 0x60] * 128))

    traps = {Trap.OVERFLOW: None, Trap.NAN: None, Trap.BREAK: None}
    debugger = debugger_on(OVERFLOWING, traps, prepare, pause=pause, spacing=32, max_cycles=1_500)
    debugger.breakpoints.set_at_data(
        [DataBreakpoint(whole_region("aaq0"), AccessType.WRITE, None, parse_hit_condition("%25"))]
    )
    return debugger


def calls(*names: str) -> st.SearchStrategy[Act]:
    return st.sampled_from(names).map(lambda name: lambda debugger: getattr(debugger, name)())


moves = calls(
    "continue_", "continue_", "reverse_continue", "reverse_continue", "step", "step_back",
    "step_line", "step_back_line", "step_out", "restart",
)  # fmt: skip
jumps = st.integers(0, 1_600).map(lambda cycle: lambda debugger: debugger.go_to(cycle))
acts = st.lists(st.one_of(moves, moves, jumps), min_size=1, max_size=8)
pauses = st.builds(at_random, st.integers(0, 1_000_000), st.sampled_from([0.05, 0.5, 0.9]))


@given(st.sampled_from([watched_loop, overflowing_loop]), acts, pauses)
def test_pauses_change_nothing(
    make: Callable[[Pause], Debugger], acts: list[Act], pause: Pause
) -> None:
    check_pauses(make, acts, pause)


@settings(max_examples=15)
@given(acts, pauses)
def test_what_is_set_once_more_during_a_pause_stops_as_it_would_have(
    acts: list[Act], pause: Pause
) -> None:
    check_pauses(watched_loop, acts, pause, set_again)


def every(number: int) -> Pause:
    """A pause that comes at each question of that number."""
    numbers = iter(range(1, 1 << 40))
    return lambda: next(numbers) % number == 0


@pytest.mark.parametrize("number", [2, 3, 7])
def test_every_way_goes_on_after_regular_pauses(number: int) -> None:
    there: list[Act] = [
        lambda debugger: debugger.continue_(),
        lambda debugger: debugger.continue_(),
        lambda debugger: debugger.continue_(),
        lambda debugger: debugger.step_out(),
        lambda debugger: debugger.step_out(),
    ]
    back: list[Act] = [
        lambda debugger: debugger.reverse_continue(),
        lambda debugger: debugger.reverse_continue(),
        lambda debugger: debugger.step_back_line(),
        lambda debugger: debugger.step_back_line(),
    ]
    far: list[Act] = [lambda d: d.go_to(1_500), lambda d: d.go_to(2), lambda d: d.go_to(1_499)]
    check_pauses(watched_loop, [*there, *back, *far, *back], every(number))
    check_pauses(overflowing_loop, [*there, *back, *far, *back], every(number))


def test_what_a_log_breakpoint_says_is_said_once() -> None:
    said: list[str] = []
    pause = at_random(1, 0.9)
    debugger = debugger_on(LOOP, NO_TRAPS, pause=pause, log=said.append, spacing=16)
    debugger.breakpoints.set_at_bundles(
        [Breakpoint(6, None, None, lambda state: str(state.regfile.get_lr(4)))]
    )
    stop = debugger.continue_()
    while stop.reason is StopReason.PAUSE:
        stop = debugger.resume(stop.continuation)
    assert said == [str(number) for number in range(1, 129)]


def test_a_breakpoint_that_comes_in_a_pause_stops_the_way_that_is_left() -> None:
    debugger = debugger_on(LOOP, NO_TRAPS, pause=every(2), spacing=64)
    stop = debugger.continue_()
    assert stop.reason is StopReason.PAUSE
    debugger.breakpoints.set_at_bundles([Breakpoint(7)])
    while stop.reason is StopReason.PAUSE:
        stop = debugger.resume(stop.continuation)
    assert (stop.reason, stop.pc, stop.cycle) == (StopReason.BREAKPOINT, 7, LAST - 1)


def test_without_a_rest_resuming_continues() -> None:
    debugger = debugger_on(LOOP)
    assert debugger.resume(None) == debugger_on(LOOP).continue_()


def test_where_something_stops_a_pause_is_not_asked_for() -> None:
    def pause() -> bool:
        raise AssertionError("a pause was asked for in front of a breakpoint")

    debugger = debugger_on(LOOP, NO_TRAPS, pause=pause)
    debugger.breakpoints.set_at_bundles([Breakpoint(2)])
    assert [debugger.continue_().cycle for _ in range(3)] == [2, 28, 54]


QUESTIONS: list[Callable[[Debugger], object]] = [
    lambda debugger: last_write(debugger.runner, whole_region("cr3")),
    lambda debugger: last_write(debugger.runner, whole_region("lr4")),
    lambda debugger: when_true(debugger.runner, lambda state: state.regfile.get_lr(4) == 50),
    lambda debugger: when_true(debugger.runner, lambda state: False),
]


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
@pytest.mark.parametrize("patience", [0, 1, 5, 20])
def test_a_question_that_is_interrupted_leaves_the_machine_where_it_was(
    number: int, patience: int
) -> None:
    left = [1 << 40]

    def pause() -> bool:
        left[0] -= 1
        return left[0] == -1

    debugger = debugger_on(LOOP, spacing=256, pause=pause)
    debugger.go_to(50)
    debugger.edit(whole_region("lr3"), bytes([120, 0, 0, 0]))
    debugger.go_to(3_000)
    expected = QUESTIONS[number](debugger)
    before, left[0] = debugger.state.save(), patience
    try:
        assert QUESTIONS[number](debugger) == expected
        assert left[0] >= 0
    except QueryInterruptedError:
        assert left[0] < 0
    assert (debugger.state.save(), debugger.cycle) == (before, 3_000)
    left[0] = 1 << 40
    assert QUESTIONS[number](debugger) == expected


def test_an_impatient_user_gets_no_answer() -> None:
    debugger = debugger_on(LOOP, pause=lambda: True)
    while debugger.go_to(3_000).reason is StopReason.PAUSE:
        pass
    with pytest.raises(QueryInterruptedError):
        when_true(debugger.runner, lambda state: False)
    with pytest.raises(QueryInterruptedError):
        last_write(debugger.runner, whole_region("cr3"))


def test_a_long_count_of_hits_can_be_paused() -> None:
    impatient = [False]
    debugger = debugger_on(LOOP, NO_TRAPS, pause=lambda: impatient[0], spacing=64)
    debugger.go_to(2_000)
    debugger.breakpoints.set_at_bundles([Breakpoint(2, None, parse_hit_condition("%100"))])
    impatient[0] = True
    stops = [debugger.continue_() for _ in range(5)]
    assert {(stop.reason, stop.cycle) for stop in stops} == {(StopReason.PAUSE, 2_000)}
    counted_until = debugger.breakpoints.filters[0].counted_until
    assert 0 < counted_until < 2_000
    impatient[0] = False
    assert debugger.resume(stops[-1].continuation).cycle == 2 + 26 * 99
