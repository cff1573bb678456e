"""Stops of the machine as DAP events and exit status."""

from __future__ import annotations

from typing import Final

from ipu_asm.debugger.stop import Stop
from ipu_asm.diagnostics.rendering import render_place
from ipu_asm.emulator.stops import StopReason
from ipu_asm.text import SourceFile
from ipu_lsp.debug_adapter.breakpoint_list import BreakpointList
from ipu_lsp.json_types import Json

HALTED: Final = (StopReason.BKPT, StopReason.HALTED, StopReason.ENDED)
EXCEPTIONS: Final = (StopReason.FAULT, StopReason.NAN, StopReason.OVERFLOW, StopReason.CYCLE_LIMIT)
"""Stop reasons for which `exceptionInfo` returns details."""

_NAMES: Final = {
    StopReason.ENTRY: "entry",
    StopReason.STEP: "step",
    StopReason.BREAKPOINT: "breakpoint",
    StopReason.DATA: "data breakpoint",
    StopReason.BREAK: "breakpoint",
    StopReason.BKPT: "breakpoint",
    StopReason.HALTED: "halted",
    StopReason.PAUSE: "pause",
    StopReason.START: "entry",
    **dict.fromkeys(EXCEPTIONS, "exception"),
}


def stopped_body(stop: Stop, breakpoints: BreakpointList, thread: int) -> Json:
    """Return the body of the event `stopped`."""
    records = breakpoints.records_of(stop.hits)
    reason = _NAMES[stop.reason]
    if stop.reason is StopReason.BREAKPOINT and records:
        reason = records[0].kind.value
    body: Json = {
        "reason": reason,
        "description": stop.description,
        "threadId": thread,
        "allThreadsStopped": True,
        "preserveFocusHint": False,
    }
    if stop.reason in EXCEPTIONS:
        body["text"] = stop.description
    if records:
        body["hitBreakpointIds"] = [record.id for record in records]
    return body


def exit_status(
    stop: Stop, left_at: Stop | None, may_end: bool, is_debugged: bool = True
) -> int | None:
    """Return the exit status if a stop ends the session, else None.

    `left_at` is the stop before the move. A fault or cycle limit that recurs in the same cycle ends
    the session if it `may_end`; without debugging the first one does.
    """
    if stop.reason is StopReason.ENDED:
        return 0
    if stop.reason is StopReason.FAULT and stop.trap is None:
        return 1
    if stop.reason is StopReason.CYCLE_LIMIT and not is_debugged:
        return 1
    is_stuck = (
        stop.reason in (StopReason.FAULT, StopReason.CYCLE_LIMIT)
        and left_at is not None
        and (left_at.reason, left_at.cycle) == (stop.reason, stop.cycle)
    )
    return 1 if is_stuck and may_end else None


def final_words(stop: Stop, source: SourceFile) -> str:
    """Return the final message, for a fault with the source line."""
    unit = "cycle" if stop.cycle == 1 else "cycles"
    words = f"{stop.description}; {stop.cycle:,} {unit}\n"
    if stop.fault is None or stop.fault.span is None:
        return words
    return f"{words}{render_place(source, stop.fault.span)}\n"
