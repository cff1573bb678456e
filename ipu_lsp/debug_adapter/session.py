"""A debug session: its breakpoints, moves of the machine, and reports of its stops."""

from __future__ import annotations

import logging
import time
from enum import Enum
from functools import partial
from itertools import count
from typing import Callable, Final, Iterable, Sequence

from ipu_asm.debugger.breakpoints import (
    DEFAULT_TRAPS,
    Breakpoint,
    DataBreakpoint,
    HitFilter,
    Stop,
    Trap,
)
from ipu_asm.debugger.inspection import Group
from ipu_asm.diagnostics.rendering import render_place
from ipu_asm.emulator.stops import StopReason
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile
from ipu_lsp.debug_adapter.client import DebugClient, MemoryReference, VariableReferences
from ipu_lsp.debug_adapter.debuggee import Debuggee
from ipu_lsp.debug_adapter.messages import DebugInbox, Outbox, ProgressReporter
from ipu_lsp.debug_adapter.requests import Needs
from ipu_lsp.transport import Json


class BreakpointKind(Enum):
    """Types of breakpoint; the values are the `reason` of `stopped` events.

    For a filter, only the client's view is stored here.
    """

    SOURCE = "breakpoint"
    LABEL = "function breakpoint"
    ADDRESS = "instruction breakpoint"
    DATA = "data breakpoint"
    FILTER = "exception"


class BreakpointRecord(NamedTuple):
    """A breakpoint as the client sees it, and the debugger's one; None if it is unresolved."""

    id: int
    kind: BreakpointKind
    client_view: Json
    breakpoint: HitFilter | None


BreakpointOutcome = tuple[HitFilter | None, Json]
Resolve = Callable[[], Sequence[BreakpointOutcome]]


class BreakpointList:
    """Breakpoints in batches: a request replaces the previous batch of its kind and source."""

    def __init__(self) -> None:
        self._batches: dict[tuple[BreakpointKind, str], tuple[list[BreakpointRecord], Resolve]] = {}
        self._numbers = count(1)

    def replace(self, kind: BreakpointKind, source: str, resolve: Resolve) -> list[Json]:
        """Replace the breakpoints of a kind in a source; return the client's view of them.

        `resolve` resolves them in the program that is loaded at the time of the call.
        """
        records = [self._record(kind, next(self._numbers), *found) for found in resolve()]
        self._batches[kind, source] = records, resolve
        return [record.client_view for record in records]

    def resolve_again(self) -> list[Json]:
        """Resolve all breakpoints in a new program; return those whose client's view changed."""
        changed = []
        for (kind, source), (known, resolve) in list(self._batches.items()):
            pairs = zip(known, resolve())
            records = [self._record(kind, old.id, *found) for old, found in pairs]
            changed += [
                new.client_view
                for old, new in zip(known, records)
                if new.client_view != old.client_view
            ]
            self._batches[kind, source] = records, resolve
        return changed

    def records_of(self, hits: Iterable[HitFilter]) -> list[BreakpointRecord]:
        wanted = [id(hit) for hit in hits]
        return [record for record in self._records() if id(record.breakpoint) in wanted]

    @property
    def at_bundles(self) -> list[Breakpoint]:
        return [r.breakpoint for r in self._records() if isinstance(r.breakpoint, Breakpoint)]

    @property
    def at_data(self) -> list[DataBreakpoint]:
        return [r.breakpoint for r in self._records() if isinstance(r.breakpoint, DataBreakpoint)]

    def _records(self) -> list[BreakpointRecord]:
        return [record for records, _ in self._batches.values() for record in records]

    def _record(
        self, kind: BreakpointKind, number: int, breakpoint: HitFilter | None, client_view: Json
    ) -> BreakpointRecord:
        client_view = {"id": number, "verified": breakpoint is not None, **client_view}
        return BreakpointRecord(number, kind, client_view, breakpoint)


log = logging.getLogger("ipu_lsp")
Move = Callable[[], Stop]
THREAD: Final = 1
BETWEEN_BREATHS_S: Final = 0.01
_BREATH_S: Final = 0.0001
_URGENT: Final = ("pause", "cancel", "disconnect", "terminate")
HALTED: Final = (StopReason.BKPT, StopReason.HALTED, StopReason.ENDED)

EXCEPTIONS: Final = (
    StopReason.FAULT,
    StopReason.ASSERTION,
    StopReason.NAN,
    StopReason.OVERFLOW,
    StopReason.CYCLE_LIMIT,
)
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


class Execution:
    """Moves the machine of a debuggee, and sends the client an event for each stop."""

    def __init__(
        self,
        inbox: DebugInbox,
        outbox: Outbox,
        breakpoints: BreakpointList,
        progress: ProgressReporter,
    ) -> None:
        self.debuggee: Debuggee | None = None
        self.variables = VariableReferences[Group]()
        self.stop: Stop | None = None
        """The current stop; None before the first run and while the machine runs."""
        self.has_ended = False
        self._inbox = inbox
        self._outbox = outbox
        self._breakpoints = breakpoints
        self._progress = progress
        self._move: Move | None = None
        self._may_end = False
        self._yields = False
        self._breathed_at = 0.0
        self._left_at: Stop | None = None

    @property
    def is_running(self) -> bool:
        return self._move is not None

    @property
    def program(self) -> Debuggee:
        assert self.debuggee is not None
        return self.debuggee

    def start(self, move: Move, title: str, may_end: bool) -> None:
        """Begin a move of the machine.

        With `may_end`, the session ends if the machine cannot continue from its current stop.
        """
        self._left_at, self.stop = self.stop, None
        self._may_end = may_end
        self.variables.clear()
        self.program.moving()
        self._progress.begin(title)
        self._move = move

    def advance(self) -> None:
        """Let the machine run until it stops or a message arrives."""
        move, self._move = self._move, None
        assert move is not None
        self._yields = True
        try:
            stop = move()
        except Exception as error:
            log.exception("the debugger failed")
            self._outbox.tell(f"the debugger failed: {error!r}\n", "stderr")
            self.pause()
            return
        finally:
            self._yields = False
        if stop.reason is StopReason.PAUSE and stop.continuation is not None:
            self._move = partial(self.program.debugger.resume, stop.continuation)
        else:
            self.report_stop(stop)

    def pause(self) -> None:
        """Stop the machine at once and drop the current move."""
        self._move = None
        self.report_stop(self.program.debugger.stopped(StopReason.PAUSE, "paused"))

    def report_stop(self, stop: Stop, reason: str | None = None) -> None:
        """Report a stop, or the end of the program, to the client.

        `reason` overrides the stop's reason in the protocol.
        """
        self._progress.end()
        self.stop = stop
        self.variables.clear()
        self.program.stopped(stop)
        if stop.reason in HALTED and (self._left_at is None or self._left_at.reason not in HALTED):
            self.program.finish(self._outbox.tell)
        is_debugged = not self.program.configuration.no_debug
        status = exit_status(stop, self._left_at, self._may_end, is_debugged)
        if status is None:
            body = stopped_body(stop, self._breakpoints, THREAD)
            self._outbox.event("stopped", {**body, "reason": reason} if reason else body)
            if changed := self.program.new_text():
                self._outbox.tell(f"{changed}\n", "important")
        else:
            self._end(stop, status)

    def reset(self) -> None:
        """Forget the last run: the program was replaced or terminated."""
        self._move = None
        self._progress.end()
        self.stop = None
        self._left_at = None
        self.has_ended = False
        self.variables.clear()

    def close(self) -> None:
        """Free the program and its machine, which refer to this object."""
        self._move = self.debuggee = None

    def _end(self, stop: Stop, status: int) -> None:
        self.has_ended = True
        category, lines = "stdout" if status == 0 else "stderr", self.program.debugger.lines
        location = self.program.output_location(stop.pc)
        self._outbox.tell(end_message(stop, lines.source), category, **location)
        if missing := self.program.missing_inputs(stop):
            self._outbox.tell(f"{missing}\n", category)
        self._outbox.event("exited", {"exitCode": status})
        self._outbox.event("terminated")

    def should_pause(self) -> bool:
        """Return whether the machine should pause; called by the machine between bundles."""
        debuggee = self.debuggee
        if debuggee is not None:
            self._progress.tick(lambda: debuggee.debugger.cycle, lambda: debuggee.last_cycle)
        self._yield_to_reader()
        return not self._inbox.is_empty and (self._yields or self._inbox.has(_URGENT))

    def _yield_to_reader(self) -> None:
        """Sleep for a moment so that the reader thread runs.

        numpy releases the interpreter lock again and again, each time too briefly for another
        thread to get it, which also prevents Python from forcing a switch.
        """
        now = time.monotonic()
        if now - self._breathed_at > BETWEEN_BREATHS_S:
            time.sleep(_BREATH_S)
            self._breathed_at = time.monotonic()

    def log_text(self, text: str) -> None:
        debuggee = self.program
        address = debuggee.debugger.state.program_counter
        self._outbox.tell(f"{text}\n", **debuggee.output_location(address))


def stopped_body(stop: Stop, breakpoints: BreakpointList, thread: int) -> Json:
    records = breakpoints.records_of(stop.hits)
    reason = _NAMES[stop.reason]
    if stop.reason is StopReason.BREAKPOINT and records:
        reason = records[0].kind.value
    body: Json = {
        "reason": reason,
        "description": stop.description,
        "threadId": thread,
        "allThreadsStopped": True,
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


def end_message(stop: Stop, source: SourceFile) -> str:
    unit = "cycle" if stop.cycle == 1 else "cycles"
    words = f"{stop.description}; {stop.cycle:,} {unit}\n"
    if stop.fault is None or stop.fault.span is None:
        return words
    return f"{words}{render_place(source, stop.fault.span)}\n"


class DebugSession:
    """The state that handlers work on.

    A handler returns the body of its response. Actions passed to `later` run after the response is
    sent, and a move passed to `run` starts then.
    """

    def __init__(self, inbox: DebugInbox, outbox: Outbox) -> None:
        self.inbox = inbox
        self.outbox = outbox
        self.client: DebugClient | None = None
        self.launched: Json = {}
        """The arguments of the last `launch`."""
        self.breakpoints = BreakpointList()
        self.traps: dict[Trap, str | None] = dict.fromkeys(DEFAULT_TRAPS)
        """The enabled exception filters, with their conditions."""
        self.viewed: dict[str, MemoryReference] = {}
        """The memory references that the client shows, most recent last."""
        self.progress = ProgressReporter(self._send_progress)
        self.execution = Execution(inbox, outbox, self.breakpoints, self.progress)
        self.is_configured = False
        self.is_over = False
        self._later: list[Callable[[], None]] = []

    @property
    def has(self) -> Needs:
        if self.client is None:
            return Needs.NOTHING
        if self.debuggee is None:
            return Needs.CLIENT
        execution = self.execution
        return Needs.PROGRAM if execution.is_running or execution.has_ended else Needs.STOPPED

    @property
    def debuggee(self) -> Debuggee | None:
        return self.execution.debuggee

    @property
    def program(self) -> Debuggee:
        """The debuggee; only for handlers that need a program."""
        return self.execution.program

    def later(self, action: Callable[[], None]) -> None:
        self._later.append(action)

    def flush(self) -> None:
        waiting, self._later = self._later, []
        for action in waiting:
            action()

    def _send_progress(self, name: str, body: Json) -> None:
        if self.client is not None and self.client.has_progress:
            self.outbox.event(name, body)
