"""Stops of the debugger, their causes, and resumable moves: plain values."""

from __future__ import annotations

from enum import Enum
from typing import Collection

from ipu_asm.debugger.breakpoints import HitFilter, Trap
from ipu_asm.emulator.faults import Fault
from ipu_asm.emulator.stops import StopReason
from ipu_asm.named_tuple import NamedTuple


class Direction(Enum):
    """The way in which a move passes through the history.

    RUN goes forwards to the next stop, BACK backwards to the last one, LINE_BACK to the start of
    the source line; JUMP goes to a cycle and ignores breakpoints and traps.
    """

    RUN = "run"
    BACK = "back"
    LINE_BACK = "line back"
    JUMP = "jump"


class ScannedSegment(NamedTuple):
    """A segment of the past that a move backwards has partly re-executed.

    It begins at the cycle `start` and is executed up to the cycle `at`; `found` is the last stop so
    far.
    """

    start: int
    at: int
    found: Stop | None


class ResumePoint(NamedTuple):
    """The rest of a move, to be passed to `Debugger.resume`; it remains valid across pauses.

    RUN and JUMP end at the cycle `until`, with the reason `at_end`; RUN also in front of the
    bundles at `targets`, and it passes breakpoints at the bundles of `passing`. BACK and LINE_BACK
    search the cycles before `until`, beginning with `segment` if a pause has interrupted its
    search.
    """

    until: int
    targets: Collection[int] = ()
    at_end: StopReason = StopReason.CYCLE_LIMIT
    direction: Direction = Direction.RUN
    segment: ScannedSegment | None = None
    passing: Collection[int] = ()


class Stop(NamedTuple):
    """Where and why the debugger stopped: in front of the bundle at `pc`, at a cycle.

    `cycle` counts the bundles executed. If the machine has halted, `pc` is the bundle that halted
    it. `hits` are the breakpoints that stopped it, `trap` is the trap that gave the reason. A PAUSE
    has the rest of its move as `continuation`. After ENDED only moves backwards have an effect.
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
    """One of the causes of a stop; `source` is the breakpoint, `trap` the trap, if it is one."""

    reason: StopReason
    description: str
    source: HitFilter | None = None
    trap: Trap | None = None


PAUSED = StopCause(StopReason.PAUSE, "paused")
