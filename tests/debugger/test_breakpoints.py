"""What stops a run, forwards and backwards."""

from __future__ import annotations

from typing import Any, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.breakpoints import (
    AccessType,
    Breakpoint,
    DataBreakpoint,
    Stop,
    parse_hit_condition,
)
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.regions import Region
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import StopReason
from tests.debugger.ipu_regions import region, whole_region
from tests.debugger.sessions import LOOP, NO_TRAPS, debugger_on

FORWARD_ENDS = (
    StopReason.BKPT,
    StopReason.HALTED,
    StopReason.ENDED,
    StopReason.FAULT,
    StopReason.CYCLE_LIMIT,
)


def check_stops(
    stops: int | None = None,
    breakpoints: Sequence[Breakpoint] = (),
    data: Sequence[DataBreakpoint] = (),
    edits: Sequence[tuple[int, Region, bytes]] = (),
    **options: Any,
) -> list[tuple[str, int, int]]:
    """Reason, cycle and pc of the first stops, and that going back finds the same ones."""
    debugger = debugger_on(LOOP, **options)
    debugger.breakpoints.set_at_bundles(breakpoints)
    debugger.breakpoints.set_at_data(data)
    for cycle, where, content in edits:
        debugger.go_to(cycle)
        debugger.edit(where, content)
    debugger.go_to(0)
    found = [debugger.start()]
    while found[-1].reason not in FORWARD_ENDS and (stops is None or len(found) < stops):
        found.append(debugger.continue_())
    back = [debugger.reverse_continue()]
    while back[-1].reason is not StopReason.START and (back[-1].cycle > 0):
        back.append(debugger.reverse_continue())
    there = [_key(stop) for stop in found]
    returned = [_key(stop) for stop in reversed(back) if stop.reason is not StopReason.START]
    assert returned == there[:-1]
    assert debugger.cycle == 0
    return [(stop.reason.value, stop.cycle, stop.pc) for stop in found]


def _key(stop: Stop) -> tuple[object, ...]:
    return stop.reason, stop.cycle, stop.pc, stop.hits, stop.description


def even_lr4(state: object) -> bool:
    return state.regfile.get_lr(4) % 2 == 0  # type: ignore[attr-defined,no-any-return]


def test_a_breakpoint_stops_at_each_arrival() -> None:
    stops = check_stops(4, [Breakpoint(2)], traps=NO_TRAPS)
    assert stops == [("breakpoint", cycle, 2) for cycle in (2, 28, 54, 80)]


def test_a_breakpoint_at_the_first_bundle_stops_before_anything_has_happened() -> None:
    assert check_stops(1, [Breakpoint(0)]) == [("breakpoint", 0, 0)]


def test_break_instructions_stop_before_their_bundle_only_if_wanted() -> None:
    breaks = [("break", cycle, 5) for cycle in (17, 43)]
    assert check_stops(2) == breaks
    assert check_stops(traps=NO_TRAPS) == [("halt instruction", 3_331, 7)]


def test_conditions_and_hit_conditions_let_a_breakpoint_pass() -> None:
    third = parse_hit_condition("%3")
    stops = check_stops(3, [Breakpoint(2, even_lr4, third)], traps=NO_TRAPS)
    assert [cycle for _, cycle, _ in stops] == [2 + 26 * 4, 2 + 26 * 10, 2 + 26 * 16]


def test_a_data_breakpoint_stops_behind_the_change() -> None:
    stops = check_stops(3, data=[DataBreakpoint(whole_region("lr4"))], traps=NO_TRAPS)
    assert stops == [("data", cycle, 3) for cycle in (3, 29, 55)]


def test_a_data_breakpoint_on_memory_stops_behind_reads_of_these_bytes_only() -> None:
    reads = DataBreakpoint(region("xmem", 2, 1), AccessType.READ)
    stops = check_stops(3, data=[reads], traps=NO_TRAPS)
    assert [cycle for _, cycle, _ in stops] == [5, 8, 31]


def test_a_store_of_other_bytes_stops_a_data_breakpoint_on_memory() -> None:
    debugger = debugger_on("set lr1 64;; str_acc_reg lr1 cr0;; bkpt;;")
    debugger.breakpoints.set_at_data([DataBreakpoint(region("xmem", 68, 4))])
    debugger.edit(region("r_acc", 4, 4), bytes([1, 2, 0, 0]))
    stop = debugger.continue_()
    what = "`xmem[0x44..+4]` changed from 0x0 to 0x201 in bundle 1"
    assert (stop.reason, stop.cycle, stop.description) == (StopReason.DATA, 2, what)


def test_breakpoints_of_all_sorts_stop_together() -> None:
    check_stops(
        None,
        [Breakpoint(2, even_lr4), Breakpoint(6, None, parse_hit_condition(">=125"))],
        [DataBreakpoint(whole_region("lr4"), AccessType.BOTH, None, parse_hit_condition("%20"))],
        spacing=100,
    )


@given(
    st.sets(st.integers(0, 7), max_size=2),
    st.sampled_from(["%7", ">=100", "5", None]),
    st.sampled_from(["lr1", "lr4", "r_acc", "r0", None]),
    st.sampled_from([16, 500, 4_096]),
)
def test_going_back_finds_what_continuing_has_hit(
    addresses: set[int], hits: str | None, watched: str | None, spacing: int
) -> None:
    number = parse_hit_condition(hits) if hits else None
    data = [DataBreakpoint(whole_region(watched), AccessType.BOTH, even_lr4)] if watched else []
    check_stops(12, [Breakpoint(at, None, number) for at in addresses], data, spacing=spacing)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 400),
            st.sampled_from(["lr1", "lr4", "pc"]).map(whole_region),
            st.integers(0, 7).map(lambda number: number.to_bytes(4, "little")),
        ),
        max_size=4,
    ).map(sorted),
    st.integers(0, 7),
)
def test_recorded_edits_change_the_hits_of_both_directions_alike(
    edits: list[tuple[int, Region, bytes]], address: int
) -> None:
    second = parse_hit_condition("%2")
    data = [DataBreakpoint(whole_region("lr4"), AccessType.BOTH, None, second)]
    check_stops(20, [Breakpoint(address, even_lr4)], data, edits, spacing=50)


def test_hits_are_counted_from_the_beginning_whenever_the_breakpoint_was_set() -> None:
    debugger = debugger_on(LOOP, traps=NO_TRAPS, spacing=64)
    debugger.go_to(1_000)
    debugger.breakpoints.set_at_bundles([Breakpoint(2, None, parse_hit_condition("%50"))])
    assert debugger.continue_().cycle == 2 + 26 * 49
    assert debugger.continue_().cycle == 2 + 26 * 99


def test_a_log_breakpoint_says_its_text_and_goes_on() -> None:
    said: list[str] = []
    debugger = debugger_on(LOOP, traps=NO_TRAPS, log=said.append)
    tell = Breakpoint(6, log=lambda state: f"lr4 is {state.regfile.get_lr(4)}")
    debugger.breakpoints.set_at_bundles([tell])
    assert debugger.continue_().reason is StopReason.BKPT
    assert said == [f"lr4 is {number}" for number in range(1, 129)]
    assert debugger.reverse_continue().reason is StopReason.START
    assert len(said) == 128


def test_going_back_asks_no_log_breakpoint_for_its_condition() -> None:
    asked: list[int] = []

    def condition(state: AnyState) -> bool:
        asked.append(state.program_counter)
        return True

    debugger = debugger_on(LOOP, traps=NO_TRAPS)
    debugger.continue_()
    debugger.breakpoints.set_at_bundles([Breakpoint(6, condition, log=lambda state: "here")])
    assert debugger.reverse_continue().reason is StopReason.START
    assert asked == []
    debugger.continue_()
    assert asked == [6] * 128


def test_a_log_breakpoint_counts_also_when_going_back() -> None:
    said: list[str] = []
    debugger = debugger_on(LOOP, traps=NO_TRAPS, log=said.append)
    debugger.continue_()
    tell = Breakpoint(6, None, parse_hit_condition(">5"), log=lambda state: "here")
    debugger.breakpoints.set_at_bundles([tell])
    assert debugger.reverse_continue().reason is StopReason.START
    debugger.continue_()
    assert said == ["here"] * 123


@pytest.mark.parametrize("text", ["", "x", "=5", "%0", "5.5", "-1", "5 5", "9" * 30])
def test_what_is_no_hit_condition_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a hit condition is like"):
        parse_hit_condition(text)


@pytest.mark.parametrize(
    ("text", "passed"),
    [("3", [3]), ("== 3", [3]), (">=3", [3, 4]), (">3", [4]), ("<2", [1]), ("<=2", [1, 2]),
     (" %2 ", [2, 4])],
)  # fmt: skip
def test_hit_conditions_compare_the_number_of_the_hit(text: str, passed: list[int]) -> None:
    assert list(filter(parse_hit_condition(text), range(1, 5))) == passed


def stops_of(debugger: Debugger) -> list[tuple[StopReason, int]]:
    stops = [debugger.step_out(), debugger.step_out(), debugger.step_out()]
    return [(stop.reason, stop.pc) for stop in stops]


def test_breakpoints_that_stepping_out_passes_log_all_the_same() -> None:
    logged: list[str] = []
    debugger = debugger_on(LOOP, NO_TRAPS, steps_out_past_breakpoints=True, log=logged.append)
    debugger.breakpoints.set_at_bundles([Breakpoint(4), Breakpoint(3, log=lambda state: "here")])
    debugger.continue_()
    logged.clear()
    stop = debugger.step_out()
    assert (stop.reason, stop.pc, len(logged)) == (StopReason.STEP, 6, 7)


def test_stepping_out_leaves_one_loop_after_the_other() -> None:
    debugger = debugger_on(LOOP, traps=NO_TRAPS)
    debugger.breakpoints.set_at_bundles([Breakpoint(4)])
    debugger.continue_()
    debugger.breakpoints.set_at_bundles([])
    assert stops_of(debugger) == [(StopReason.STEP, 6), (StopReason.STEP, 7), (StopReason.BKPT, 7)]
