"""Why the debugger stands still, and what it was after: values for whoever shows it."""

from __future__ import annotations

from enum import Enum, StrEnum, auto
from typing import Collection, NamedTuple, Sequence

from ipu_asm.debugger.breakpoints import Filters
from ipu_asm.emulator.faults import Fault


class Reason(Enum):
    """Why a run went no further."""

    ENTRY = "entry"
    STEP = "step"
    BREAKPOINT = "breakpoint"
    DATA = "data"
    BREAK = "break instruction"
    BKPT = "halt instruction"
    HALTED = "halted"
    ENDED = "ended"
    FAULT = "fault"
    NAN = "nan"
    OVERFLOW = "overflow"
    LIMIT = "limit"
    PAUSE = "pause"
    START = "start of history"


class Trap(StrEnum):
    """What can stop a run without a breakpoint; the values are these names in small letters."""

    BREAK = auto()
    BKPT = auto()
    FAULT = auto()
    NAN = auto()
    OVERFLOW = auto()


class Way(Enum):
    """How a move looks for its goal.

    RUN goes forwards to the next stop, BACK goes backwards to the last one, LINE_BACK to where the
    line began; JUMP goes to a cycle, whatever could stop on the way.
    """

    RUN = "run"
    BACK = "back"
    LINE_BACK = "line back"
    JUMP = "jump"


class Stretch(NamedTuple):
    """A part of the past that a way back has looked at: from `start` to `at`, the last stop there
    being `found`. It is looked at forwards, so what lies behind `at` comes next.
    """

    start: int
    at: int
    found: Stop | None


class Goal(NamedTuple):
    """What a move is after, for `Debugger.resume`: it stays true however often one pauses.

    RUN and JUMP end at the cycle `until`, with the reason `at_end`; RUN also in front of the
    bundles at `targets`. The ways back look at what lies before `until`, but for a `stretch` that
    was begun with.
    """

    until: int
    targets: Collection[int] = ()
    at_end: Reason = Reason.LIMIT
    way: Way = Way.RUN
    stretch: Stretch | None = None


class Stop(NamedTuple):
    """The machine stands in front of the bundle at `pc`, with `cycle` bundles executed.

    Of a machine that has halted, `pc` is the bundle that did it. `hits` are the breakpoints that
    stopped it here, `trap` is the one that gave the reason. After PAUSE `rest` is what is left to
    do. After ENDED there is nothing to go on with, but one can still go back.
    """

    reason: Reason
    description: str
    cycle: int
    pc: int
    hits: tuple[Filters, ...] = ()
    fault: Fault | None = None
    trap: Trap | None = None
    rest: Goal | None = None


class Hit(NamedTuple):
    """Something that stops a run where it is; `source` is the breakpoint that does."""

    reason: Reason
    description: str
    source: Filters | None = None
    trap: Trap | None = None


_WEIGHT = (
    Reason.BKPT,
    Reason.HALTED,
    Reason.NAN,
    Reason.OVERFLOW,
    Reason.BREAKPOINT,
    Reason.DATA,
    Reason.BREAK,
    Reason.STEP,
)
"""Reasons that can come together, from the weightiest to the lightest."""


def stop_by(hits: Sequence[Hit], cycle: int, pc: int) -> Stop:
    """The stop that some hits make together: the weightiest gives reason and trap."""
    ordered = sorted(hits, key=_weight)
    description = "; ".join(dict.fromkeys(hit.description for hit in ordered))
    sources = tuple(hit.source for hit in ordered if hit.source is not None)
    return Stop(ordered[0].reason, description, cycle, pc, sources, trap=ordered[0].trap)


def _weight(hit: Hit) -> int:
    return _WEIGHT.index(hit.reason) if hit.reason in _WEIGHT else 0
