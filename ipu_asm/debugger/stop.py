"""Why the debugger stands still: a value for whoever shows it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Sequence

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
    LIMIT = "limit"
    PAUSE = "pause"
    START = "start of history"


class Stop(NamedTuple):
    """The machine stands in front of the bundle at `pc`, with `cycle` bundles executed.

    Of a machine that has halted, `pc` is the bundle that did it. `hits` are the breakpoints that
    stopped it here. After ENDED there is nothing to go on with, but one can still go back.
    """

    reason: Reason
    description: str
    cycle: int
    pc: int
    hits: tuple[Filters, ...] = ()
    fault: Fault | None = None


class Hit(NamedTuple):
    """Something that stops a run where it is."""

    reason: Reason
    description: str
    source: Filters | None = None


_WEIGHT = (Reason.PAUSE, Reason.BREAKPOINT, Reason.DATA, Reason.BREAK, Reason.STEP)


def stop_by(hits: Sequence[Hit], cycle: int, pc: int) -> Stop:
    """The stop that some hits make together: the weightiest gives the reason."""
    ordered = sorted(hits, key=lambda hit: _WEIGHT.index(hit.reason))
    description = "; ".join(dict.fromkeys(hit.description for hit in ordered))
    sources = tuple(hit.source for hit in ordered if hit.source is not None)
    return Stop(ordered[0].reason, description, cycle, pc, sources)
