"""Why the debugger stands still, and what it was after: values for whoever shows it."""

from __future__ import annotations

from enum import Enum, StrEnum, auto
from typing import Collection, NamedTuple, Sequence

from ipu_asm.debugger.breakpoints import HitFilter
from ipu_asm.emulator.faults import Fault
from ipu_asm.emulator.stops import StopReason


class Trap(StrEnum):
    """What can stop a run without a breakpoint; the values are these names in small letters."""

    BREAK = auto()
    BKPT = auto()
    FAULT = auto()
    NAN = auto()
    OVERFLOW = auto()


class Direction(Enum):
    """How a move looks for its goal.

    RUN goes forwards to the next stop, BACK goes backwards to the last one, LINE_BACK to where the
    line began; JUMP goes to a cycle, whatever could stop on the way.
    """

    RUN = "run"
    BACK = "back"
    LINE_BACK = "line back"
    JUMP = "jump"


class ScannedSegment(NamedTuple):
    """A part of the past that a way back has looked at: from `start` to `at`, the last stop there
    being `found`. It is looked at forwards, so what lies behind `at` comes next.
    """

    start: int
    at: int
    found: Stop | None


class ResumePoint(NamedTuple):
    """What a move is after, for `Debugger.resume`: it stays true however often one pauses.

    RUN and JUMP end at the cycle `until`, with the reason `at_end`; RUN also in front of the
    bundles at `targets`. The ways back look at what lies before `until`, but for a `stretch` that
    was begun with.
    """

    until: int
    targets: Collection[int] = ()
    at_end: StopReason = StopReason.CYCLE_LIMIT
    direction: Direction = Direction.RUN
    stretch: ScannedSegment | None = None


class Stop(NamedTuple):
    """Where and why the debugger stands still: in front of the bundle at `pc`, at a cycle.

    `cycle` counts the bundles executed. If the machine has halted, `pc` is the bundle that halted
    it. `hits` are the breakpoints that stopped it, `trap` is the trap that gave the reason. A PAUSE
    has the rest of its run as `continuation`. After ENDED only moves backwards do anything.
    """

    reason: StopReason
    description: str
    cycle: int
    pc: int
    hits: tuple[HitFilter, ...] = ()
    fault: Fault | None = None
    trap: Trap | None = None
    continuation: ResumePoint | None = None


class StopCause(NamedTuple):
    """Something that stops a run where it is; `source` is the breakpoint that does."""

    reason: StopReason
    description: str
    source: HitFilter | None = None
    trap: Trap | None = None


_WEIGHT = (
    StopReason.BKPT,
    StopReason.HALTED,
    StopReason.NAN,
    StopReason.OVERFLOW,
    StopReason.BREAKPOINT,
    StopReason.DATA,
    StopReason.BREAK,
    StopReason.STEP,
)
"""Reasons that can come together, from the weightiest to the lightest."""


def stop_by(hits: Sequence[StopCause], cycle: int, pc: int) -> Stop:
    """The stop that some hits make together: the weightiest gives reason and trap."""
    ordered = sorted(hits, key=_weight)
    description = "; ".join(dict.fromkeys(hit.description for hit in ordered))
    sources = tuple(hit.source for hit in ordered if hit.source is not None)
    return Stop(ordered[0].reason, description, cycle, pc, sources, trap=ordered[0].trap)


def _weight(hit: StopCause) -> int:
    return _WEIGHT.index(hit.reason) if hit.reason in _WEIGHT else 0
