"""The last stop before now: stretches of the past, latest first, each executed once more."""

from __future__ import annotations

from typing import Callable, Iterator

from ipu_asm.debugger.history import History, Pause
from ipu_asm.debugger.stop import ResumePoint, ScannedSegment, Stop

Find = Callable[[int, Stop | None], tuple[Stop | None, bool]]
"""Goes on to a cycle; the last stop on the way, or else the one given, and whether a pause came."""


def search_back(
    history: History, goal: ResumePoint, find: Find, pause: Pause
) -> Stop | ResumePoint | None:
    """The last stop before the end of a goal; None if there is none, what is left after a pause.

    The stop of the first cycle is not looked for. The machine is left on the way.
    """
    for start, end, before in _stretches(history, goal):
        found, is_paused = find(end, before)
        if is_paused:
            history.keep()
            stretch = ScannedSegment(start, history.cycle, found)
            return goal._replace(until=end + 1, stretch=stretch)
        if found is not None:
            return found
        if pause():
            return goal._replace(until=start + 1, stretch=None)
    return None


def _stretches(history: History, goal: ResumePoint) -> Iterator[tuple[int, int, Stop | None]]:
    """First and last cycle of each stretch, and what was found before where the machine stands."""
    until = goal.until - 1
    if goal.stretch is not None:
        start, at, found = goal.stretch
        history.go_to(at)
        yield start, until, found
        until = start
    for start, end in history.segments(until):
        yield start, end, None
