"""Questions to the past, answered by executing it once more from the keyframes, last ones first."""

from __future__ import annotations

from typing import Final, NamedTuple

from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.breakpoints import Condition
from ipu_asm.debugger.history import PATIENCE, History, Pause
from ipu_asm.debugger.regions import Region

_PATIENCE_WITH_CONDITIONS: Final = 16
"""How many bundles are looked at one by one between two questions for a pause."""


class Interrupted(Exception):
    """A pause came before the answer; the machine is where it was when the question was asked."""


class LastWrite(NamedTuple):
    """Who wrote to a region: after `cycle` bundles the bundle at `pc`, by `instruction`.

    Both are None where the user did it. The machine can go to `cycle` to see it happen.
    """

    cycle: int
    pc: int | None = None
    instruction: str | None = None


def last_write(
    history: History, accesses: Accesses, where: Region, pause: Pause = lambda: False
) -> LastWrite | None:
    """Who wrote to a region last, before the present cycle; the machine stays where it is.

    Raises `Interrupted` once `pause` says so.
    """
    now = history.cycle
    history.keep()
    try:
        return _find_write(history, accesses, where, pause)
    finally:
        history.go_to(now)


def when_true(history: History, condition: Condition, pause: Pause = lambda: False) -> int | None:
    """The last cycle up to now at which a condition holds but did not one cycle before.

    If it has held from the beginning, that is the first cycle. The machine stays where it is.
    Raises `Interrupted` once `pause` says so.
    """
    now = history.cycle
    history.keep()
    try:
        for _, end in history.segments(now):
            found = _became_true(history, condition, end, pause)
            if found is not None:
                return found
        history.go_to(history.first)
        return history.first if condition(history.ipu.state) else None
    finally:
        history.go_to(now)


def _find_write(
    history: History, accesses: Accesses, where: Region, pause: Pause
) -> LastWrite | None:
    now = history.cycle
    for start, end in history.segments(now):
        found = _last_write(history, accesses, where, end, pause)
        edited = _last_edit(history, where, start, now)
        if edited is not None and (found is None or found.cycle < edited):
            return LastWrite(edited)
        if found is not None:
            return found
    edited = _last_edit(history, where, now, now)
    return LastWrite(edited) if edited is not None else None


def _last_write(
    history: History, accesses: Accesses, where: Region, until: int, pause: Pause
) -> LastWrite | None:
    """The last write on the way to a cycle."""
    state = history.ipu.state
    bundles = accesses.bundles(where.name, reads=False, writes=True)
    found = None

    def note() -> bool:
        nonlocal found
        code = accesses.has_written(where)
        if code is not None:
            found = LastWrite(history.cycle - 1, history.ipu.snapshot.pc, str(code))
        return False

    def look_ahead() -> bool:
        _check(pause)
        return state.program_counter in bundles

    while history.cycle < until:
        if state.program_counter not in bundles:
            goal = min(until, history.cycle + PATIENCE)
            history.advance(goal, bundles.__contains__, look_ahead)
            continue
        history.advance(history.cycle + 1, None, note)
        if not history.cycle % PATIENCE:
            _check(pause)
    return found


def _last_edit(history: History, where: Region, first: int, last: int) -> int | None:
    """The last cycle of a stretch at which the user changed a region."""
    return max(
        (
            cycle
            for cycle, edits in history.edits.items()
            for edit in edits
            if first <= cycle <= last
            and edit.region.name == where.name
            and where.overlaps(edit.region.start, edit.region.size)
        ),
        default=None,
    )


def _became_true(history: History, condition: Condition, until: int, pause: Pause) -> int | None:
    """The last cycle on the way at which a condition starts to hold."""
    state = history.ipu.state
    found, before = None, condition(state)
    while history.cycle < until:
        history.advance(history.cycle + 1)
        holds = condition(state)
        if holds and not before:
            found = history.cycle
        before = holds
        if not history.cycle % _PATIENCE_WITH_CONDITIONS:
            _check(pause)
    return found


def _check(pause: Pause) -> None:
    if pause():
        raise Interrupted("a pause came before the answer")
