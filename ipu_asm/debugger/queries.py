"""Questions to the past, answered by executing it once more from the keyframes, last ones first."""

from __future__ import annotations

from typing import NamedTuple

from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.breakpoints import Condition
from ipu_asm.debugger.history import History
from ipu_asm.debugger.regions import Region


class Change(NamedTuple):
    """Who wrote to a region: after `cycle` bundles the bundle at `pc`, by `instruction`.

    Both are None where the user did it. The machine can go to `cycle` to see it happen.
    """

    cycle: int
    pc: int | None = None
    instruction: str | None = None


def last_write(history: History, accesses: Accesses, where: Region) -> Change | None:
    """Who wrote to a region last, before the present cycle; the machine stays where it is."""
    now = history.cycle
    found = None
    for start, end in history.segments(now):
        found = _last_write(history, accesses, where, end) or found
        edited = _last_edit(history, where, start, now)
        if edited is not None and (found is None or found.cycle < edited):
            found = Change(edited)
        if found is not None:
            break
    else:
        edited = _last_edit(history, where, now, now)
        found = Change(edited) if edited is not None else None
    history.go_to(now)
    return found


def when_true(history: History, condition: Condition) -> int | None:
    """The last cycle up to now at which a condition holds but did not one cycle before.

    If it has held from the beginning, that is the first cycle. The machine stays where it is.
    """
    now = history.cycle
    found = None
    for _, end in history.segments(now):
        found = _became_true(history, condition, end)
        if found is not None:
            break
    else:
        history.go_to(history.first)
        if condition(history.ipu.state):
            found = history.first
    history.go_to(now)
    return found


def _last_write(history: History, accesses: Accesses, where: Region, until: int) -> Change | None:
    """The last write on the way to a cycle."""
    state = history.ipu.state
    bundles = accesses.bundles(where.name, reads=False, writes=True)
    found = None

    def note() -> bool:
        nonlocal found
        code = accesses.has_written(where)
        if code is not None:
            found = Change(history.cycle - 1, history.ipu.snapshot.pc, str(code))
        return False

    while history.cycle < until:
        if state.program_counter in bundles:
            history.advance(history.cycle + 1, None, note)
        else:
            history.advance(until, bundles.__contains__, lambda: state.program_counter in bundles)
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


def _became_true(history: History, condition: Condition, until: int) -> int | None:
    """The last cycle on the way at which a condition starts to hold."""
    state = history.ipu.state
    found, before = None, condition(state)
    while history.cycle < until:
        history.advance(history.cycle + 1)
        holds = condition(state)
        if holds and not before:
            found = history.cycle
        before = holds
    return found
