"""The debugger stops where recorded users of breaks have stopped."""

from __future__ import annotations

from itertools import cycle
from typing import Callable, Sequence

import pytest

from ipu_asm.debugger.breakpoints import Stop
from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.emulator.stops import StopReason
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable
from tests.emulator.machines import scalars, state_of
from tests.vectors import Record, records

RECORDS = records("break")
Pause = Callable[[], bool]
Move = Callable[[], Stop]

ENDS = (StopReason.BKPT, StopReason.HALTED)


def check_stops(record: Record, mode: str, pause: Pause = lambda: False) -> Debugger:
    """`mode` is `continue` (stop at breaks only) or `step` (every bundle from the first break)."""
    program = read_program(load_isa("ipu"), record["asm"])
    debugger = Debugger(LineTable(program), state_of(record), DebugOptions(pause=pause, spacing=8))
    move = debugger.step if mode == "step" else debugger.continue_
    stops = []
    stop = _resumed(debugger, debugger.start())
    while stop.reason not in ENDS:
        stops.append(_seen(debugger))
        stop = _resumed(debugger, move())
    assert stops == record[mode]["stops"], record["id"]
    final = {"pc": debugger.state.program_counter, "cycles": stop.cycle}
    expected = record[mode]["final"]
    assert final == {name: expected[name] for name in final}, record["id"]
    assert debugger.continue_().reason is StopReason.ENDED
    return debugger


def check_way_back(debugger: Debugger, move: Move, stops: Sequence[Record]) -> None:
    """Moves back lead through some stops, the last one first."""
    found: list[Record] = []
    while _resumed(debugger, move()).reason is not StopReason.START and len(found) < len(stops):
        found.append(_seen(debugger))
    assert found == list(reversed(stops))


def _resumed(debugger: Debugger, stop: Stop) -> Stop:
    while stop.reason is StopReason.PAUSE:
        stop = debugger.resume(stop.continuation)
    return stop


def _seen(debugger: Debugger) -> Record:
    state = debugger.state
    return {"pc": state.program_counter, "cycle": debugger.cycle, "lr": scalars(state, "lr")}


def every_other_time() -> Pause:
    """A pause that comes at every second question."""
    answers = cycle([False, True])
    return lambda: next(answers)


@pytest.mark.parametrize("mode", ["continue", "step"])
@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_the_debugger_stops_where_the_recorded_user_stopped(number: int, mode: str) -> None:
    check_stops(RECORDS[number], mode)


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_pauses_do_not_change_the_recorded_stops(number: int) -> None:
    check_stops(RECORDS[number], "continue", every_other_time())


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_the_recorded_stops_are_found_on_the_way_back(number: int) -> None:
    debugger = check_stops(RECORDS[number], "continue")
    stop = debugger.reverse_continue()
    assert stop.reason in ENDS
    check_way_back(debugger, debugger.reverse_continue, RECORDS[number]["continue"]["stops"])


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_the_recorded_steps_can_be_undone(number: int) -> None:
    debugger = check_stops(RECORDS[number], "step")
    check_way_back(debugger, debugger.step_back, RECORDS[number]["step"]["stops"])
