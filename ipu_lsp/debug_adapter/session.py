"""A debug session: one client, one program, and the state of its execution."""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import Any, Callable, Final

from ipu_asm.config.files import FileError
from ipu_asm.debugger.breakpoints import DEFAULT_TRAPS, Condition, Trap
from ipu_asm.debugger.expressions import ExpressionError, holds
from ipu_asm.debugger.inspection import Group
from ipu_asm.debugger.stop import Stop
from ipu_asm.emulator.state import IpuState
from ipu_asm.emulator.stops import StopReason
from ipu_lsp.debug_adapter.breakpoint_list import BreakpointList
from ipu_lsp.debug_adapter.client import DebugClient
from ipu_lsp.debug_adapter.debuggee import Debuggee, Hooks
from ipu_lsp.debug_adapter.handles import VariableReferences
from ipu_lsp.debug_adapter.inbox import DebugInbox
from ipu_lsp.debug_adapter.outbox import Outbox
from ipu_lsp.debug_adapter.progress import ProgressReporter
from ipu_lsp.debug_adapter.references import MemoryReference
from ipu_lsp.debug_adapter.stopping import HALTED, exit_status, final_words, stopped_body
from ipu_lsp.debug_adapter.table import Needs
from ipu_lsp.json_types import Json

log = logging.getLogger("ipu_lsp")

Move = Callable[[], Stop]

THREAD: Final = 1
BETWEEN_BREATHS_S: Final = 0.01
_BREATH_S: Final = 0.0001
_URGENT: Final = ("pause", "cancel", "disconnect", "terminate")


class DebugSession:
    """The state that handlers work on.

    A handler returns the body of its response. Actions passed to `later` run after the response is
    sent, and a move passed to `run` starts then.
    """

    def __init__(self, inbox: DebugInbox, outbox: Outbox) -> None:
        self.inbox = inbox
        self.outbox = outbox
        self.client: DebugClient | None = None
        self.debuggee: Debuggee | None = None
        self.launched: Json = {}
        """The arguments of the last `launch`."""
        self.breakpoints = BreakpointList()
        self.traps: dict[Trap, str | None] = dict.fromkeys(DEFAULT_TRAPS)
        """The enabled exception filters, with their conditions."""
        self.handles = VariableReferences[Group]()
        self.viewed: dict[str, MemoryReference] = {}
        """The memory references that the client shows, most recent last."""
        self.progress = ProgressReporter(self._send_progress)
        self.stop: Stop | None = None
        """The current stop; None before the first run and while the machine runs."""
        self.is_configured = False
        self.has_ended = False
        self.is_over = False
        self.current: int | None = None
        """The `seq` of the request that is being handled."""
        self._later: list[Callable[[], None]] = []
        self._move: Move | None = None
        self._may_end = False
        self._yields = False
        self._breathed_at = 0.0
        self._left_at: Stop | None = None

    @property
    def is_running(self) -> bool:
        """Whether the machine moves as soon as no message is waiting."""
        return self._move is not None

    @property
    def has(self) -> Needs:
        """The preconditions of requests that are currently satisfied."""
        if self.client is None:
            return Needs.NOTHING
        if self.debuggee is None:
            return Needs.CLIENT
        return Needs.PROGRAM if self.is_running or self.has_ended else Needs.STANDING

    @property
    def program(self) -> Debuggee:
        """The debuggee; only for handlers that need a program."""
        assert self.debuggee is not None
        return self.debuggee

    @property
    def hooks(self) -> Hooks:
        """The callbacks of the running machine."""
        return Hooks(self._is_wanted, self._log)

    def later(self, action: Callable[[], None]) -> None:
        """Run an action after the response is sent."""
        self._later.append(action)

    def flush(self) -> None:
        """Run the actions that were deferred by `later`."""
        waiting, self._later = self._later, []
        for action in waiting:
            action()

    def event(self, name: str, body: Json | None = None) -> None:
        """Send an event immediately."""
        self.outbox.event(name, body)

    def tell(self, text: str, category: str = "stdout", **place: Any) -> None:
        """Send text to the debug console.

        `category` is `stdout` for output of a run and `stderr` for errors; some editors show
        `console` like a warning.
        """
        self.event("output", {"category": category, "output": text, **place})

    def run(self, move: Move, title: str, may_end: bool = False) -> None:
        """Start a move of the machine after the response is sent.

        With `may_end`, the session ends if the machine cannot continue from its current stop.
        """
        self.later(partial(self._start, move, title, may_end))

    def advance(self) -> None:
        """Let the machine run until it stops or a message arrives."""
        move, self._move = self._move, None
        assert move is not None
        self._yields = True
        try:
            stop = move()
        except Exception as error:
            log.exception("the debugger failed")
            self.tell(f"the debugger failed: {error!r}\n", "stderr")
            self.hold()
            return
        finally:
            self._yields = False
        if stop.reason is StopReason.PAUSE and stop.continuation is not None:
            self._move = partial(self.program.debugger.resume, stop.continuation)
        else:
            self.arrive(stop)

    def hold(self) -> None:
        """Stop the machine at once and drop the current move."""
        debugger = self.program.debugger
        pc = debugger.state.program_counter
        self._move = None
        self.arrive(Stop(StopReason.PAUSE, "paused", debugger.cycle, pc))

    def arrive(self, stop: Stop, reason: str | None = None) -> None:
        """Report a stop, or the end of the program, to the client.

        `reason` overrides the stop's reason in the protocol.
        """
        self.progress.end()
        self.stop = stop
        self.handles.clear()
        self.program.arrive(stop)
        if stop.reason in HALTED and (self._left_at is None or self._left_at.reason not in HALTED):
            self._write_dumps()
        is_debugged = not self.program.configuration.no_debug
        status = exit_status(stop, self._left_at, self._may_end, is_debugged)
        if status is None:
            body = stopped_body(stop, self.breakpoints, THREAD)
            self.event("stopped", {**body, "reason": reason} if reason else body)
        else:
            self.finish(stop, status)

    def finish(self, stop: Stop, status: int) -> None:
        """Report the end of the program with its exit status."""
        self.has_ended = True
        category, kernel = "stdout" if status == 0 else "stderr", self.program.kernel
        self.tell(final_words(stop, kernel.source), category, **self.program.place(stop.pc))
        self.event("exited", {"exitCode": status})
        self.event("terminated")

    def close(self) -> None:
        """Free the program and its machine, which refer to the session."""
        self._move = self.debuggee = None

    def use_breakpoints(self) -> None:
        """Pass all breakpoints to the debugger; with `noDebug`, none."""
        debuggee = self.debuggee
        if debuggee is None:
            return
        breakpoints = debuggee.debugger.breakpoints
        if debuggee.configuration.no_debug:
            breakpoints.traps = {}
            return
        breakpoints.set_at_bundles(self.breakpoints.at_bundles)
        breakpoints.set_at_data(self.breakpoints.at_data)
        breakpoints.traps = {trap: self.condition(text) for trap, text in self.traps.items()}

    def condition(self, text: str | None) -> Condition | None:
        """Compile a condition. If its evaluation fails, it holds, and the user is told once."""
        if not text:
            return None
        told = list[str]()

        def test(state: IpuState) -> bool:
            try:
                return holds(self.program.context, text)
            except ExpressionError as error:
                if not told:
                    told.append(error.message)
                    self.tell(f"the condition `{text}` has no answer: {error.message}\n", "stderr")
                return True

        return test

    def forget_run(self) -> None:
        """Reset the state of execution for a new run."""
        self._move = None
        self.progress.end()
        self.stop = None
        self._left_at = None
        self.has_ended = False
        self.handles.clear()

    def _start(self, move: Move, title: str, may_end: bool) -> None:
        self._left_at, self.stop = self.stop, None
        self._may_end = may_end
        self.handles.clear()
        self.program.leave()
        self.progress.begin(title)
        self._move = move

    def _is_wanted(self) -> bool:
        """Return whether the machine should pause; called by the machine between bundles."""
        debuggee = self.debuggee
        if debuggee is not None:
            self.progress.tick(lambda: debuggee.debugger.cycle)
        self._breathe()
        return not self.inbox.is_empty and (self._yields or self.inbox.has(_URGENT))

    def _breathe(self) -> None:
        """Sleep for a moment so that the reader thread runs.

        numpy releases the interpreter lock again and again, each time too briefly for another
        thread to get it, which also prevents Python from forcing a switch.
        """
        now = time.monotonic()
        if now - self._breathed_at > BETWEEN_BREATHS_S:
            time.sleep(_BREATH_S)
            self._breathed_at = time.monotonic()

    def _log(self, text: str) -> None:
        """Send the output of a log breakpoint, with its location."""
        debuggee = self.program
        address = debuggee.debugger.state.program_counter
        self.tell(f"{text}\n", **debuggee.place(address))

    def _write_dumps(self) -> None:
        try:
            for line in self.program.write_dumps():
                self.tell(f"wrote {line}\n")
        except FileError as error:
            self.tell(f"{error}\n", "stderr")

    def _send_progress(self, name: str, body: Json) -> None:
        if self.client is not None and self.client.has_progress:
            self.event(name, body)
