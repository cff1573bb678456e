"""Moves backwards: re-execution of the segments between keyframes, from the latest to the first.

The last stop in a segment is known only at its end, so each segment is executed completely.
"""

from __future__ import annotations

from typing import Callable, Iterator

from ipu_asm.debugger.breakpoint_resolver import BreakpointResolver
from ipu_asm.debugger.history import History
from ipu_asm.debugger.line_stepping import last_line_start
from ipu_asm.debugger.runner import Runner
from ipu_asm.debugger.stop import PAUSED, ResumePoint, ScannedSegment, Stop
from ipu_asm.emulator.stops import StopReason

SegmentSearch = Callable[[int, Stop | None], tuple[Stop | None, bool]]
"""Executes up to a cycle; returns the last stop found or given, and whether it was paused."""


def run_back(runner: Runner, point: ResumePoint) -> Stop:
    """Move to the last stop before the end of a resume point, or else to the first cycle."""

    def find(end: int, found: Stop | None) -> tuple[Stop | None, bool]:
        while causes := runner.seek(end, is_logging=False):
            if causes == [PAUSED]:
                return found, True
            found = runner.stops.caused_by(causes)
        return found, False

    stop = _search(runner, point, find)
    if stop is not None:
        return stop
    causes = runner.causes_here() if point.until > runner.history.first else []
    return runner.stops.caused_by(causes) if causes else runner.stops.at_start()


def run_line_back(runner: Runner, resolver: BreakpointResolver, point: ResumePoint) -> Stop:
    """Move to the last line start before the end of a resume point, or else to the first cycle."""

    def find(end: int, found: Stop | None) -> tuple[Stop | None, bool]:
        start, is_paused = last_line_start(runner.history, resolver, end, runner.options.pause)
        if start is not None:
            found = Stop(StopReason.STEP, f"cycle {start[0]}", *start)
        return found, is_paused

    stop = _search(runner, point, find)
    if stop is not None:
        return stop
    is_moved = point.until > runner.history.first
    return runner.stops.arrived() if is_moved else runner.stops.at_start()


def _search(runner: Runner, point: ResumePoint, find: SegmentSearch) -> Stop | None:
    """Move to the last stop that `find` finds, or else to the first cycle."""
    history, now = runner.history, runner.history.cycle
    history.keep()
    found = _last(runner, point, find)
    if isinstance(found, ResumePoint):
        history.go_to(now)
        return runner.stops.paused(found)
    history.go_to(history.first if found is None else found.cycle)
    return found


def _last(runner: Runner, point: ResumePoint, find: SegmentSearch) -> Stop | ResumePoint | None:
    """The last stop before the end of a resume point, or the rest of the search after a pause.

    The first cycle is not searched. The machine remains at the cycle where the search ended.
    """
    history = runner.history
    for start, end, before in _segments(history, point):
        found, is_paused = find(end, before)
        if is_paused:
            history.keep()
            segment = ScannedSegment(start, history.cycle, found)
            return point._replace(until=end + 1, segment=segment)
        if found is not None:
            return found
        if runner.options.pause():
            return point._replace(until=start + 1, segment=None)
    return None


def _segments(history: History, point: ResumePoint) -> Iterator[tuple[int, int, Stop | None]]:
    """First and last cycle of each segment, and the stop found in it before a pause.

    The machine is at the cycle from which the segment must be executed.
    """
    until = point.until - 1
    if point.segment is not None:
        start, at, found = point.segment
        history.go_to(at)
        yield start, until, found
        until = start
    for start, end in history.segments(until):
        yield start, end, None
