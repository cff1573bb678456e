"""One client and one program: what is loaded, whether it runs, and what the client is told."""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import Any, Callable, Final

from ipu_asm.config.files import FileError
from ipu_asm.debugger.breakpoints import Condition
from ipu_asm.debugger.expressions import ExpressionError, holds
from ipu_asm.debugger.inspection import Group
from ipu_asm.debugger.stop import Stop, Trap
from ipu_asm.debugger.traps import TRAPS
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
    """What handlers work on. A handler returns the body of its response; what it tells `later`
    is sent behind that, and what it lets the machine do with `run` begins then.
    """

    def __init__(self, inbox: DebugInbox, outbox: Outbox) -> None:
        self.inbox = inbox
        self.outbox = outbox
        self.client: DebugClient | None = None
        self.debuggee: Debuggee | None = None
        self.launched: Json = {}
        """The arguments of the last launch."""
        self.breakpoints = BreakpointList()
        self.traps: dict[Trap, str | None] = dict.fromkeys(TRAPS)
        """The exception filters that are on, with their conditions."""
        self.handles = VariableReferences[Group]()
        self.viewed: dict[str, MemoryReference] = {}
        """The memory references that the client has looked at."""
        self.progress = ProgressReporter(self._send_progress)
        self.stop: Stop | None = None
        """Where the machine stands; None before it ran, and while it runs."""
        self.is_configured = False
        self.has_ended = False
        self.is_over = False
        self.current: int | None = None
        """The number of the request that is being answered."""
        self._later: list[Callable[[], None]] = []
        self._move: Move | None = None
        self._may_end = False
        self._yields = False
        self._breathed_at = 0.0
        self._left_at: Stop | None = None

    @property
    def is_running(self) -> bool:
        """Whether the machine moves as soon as no message waits."""
        return self._move is not None

    @property
    def has(self) -> Needs:
        """What requests may count on."""
        if self.client is None:
            return Needs.NOTHING
        if self.debuggee is None:
            return Needs.CLIENT
        return Needs.PROGRAM if self.is_running or self.has_ended else Needs.STANDING

    @property
    def program(self) -> Debuggee:
        """What is debugged; only for handlers that need a program."""
        assert self.debuggee is not None
        return self.debuggee

    @property
    def hooks(self) -> Hooks:
        """What the machine asks and tells while it runs."""
        return Hooks(self._is_wanted, self._log)

    def later(self, action: Callable[[], None]) -> None:
        """Do something once the response is sent."""
        self._later.append(action)

    def flush(self) -> None:
        """Do what was left for later."""
        waiting, self._later = self._later, []
        for action in waiting:
            action()

    def event(self, name: str, body: Json | None = None) -> None:
        """Tell the client something now."""
        self.outbox.event(name, body)

    def tell(self, text: str, category: str = "stdout", **place: Any) -> None:
        """Show a text to the user.

        What a run says is `stdout`, what is amiss `stderr`; `console` reads like a warning in some
        editors.
        """
        self.event("output", {"category": category, "output": text, **place})

    def run(self, move: Move, title: str, may_end: bool = False) -> None:
        """Let the machine move once the response is sent.

        If it `may_end`, the session ends where nothing more can be done.
        """
        self.later(partial(self._start, move, title, may_end))

    def advance(self) -> None:
        """Let the machine go on until it stops or a message comes."""
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
        """Stop the machine where it is; what it was to do is forgotten."""
        debugger = self.program.debugger
        pc = debugger.state.program_counter
        self._move = None
        self.arrive(Stop(StopReason.PAUSE, "paused", debugger.cycle, pc))

    def arrive(self, stop: Stop, reason: str | None = None) -> None:
        """Tell the client where the machine stands now, or that it has come to its end.

        `reason` is the protocol's name for it, if it is not that of the stop.
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
        """The program has come to its end."""
        self.has_ended = True
        category, kernel = "stdout" if status == 0 else "stderr", self.program.kernel
        self.tell(final_words(stop, kernel.source), category, **self.program.place(stop.pc))
        self.event("exited", {"exitCode": status})
        self.event("terminated")

    def close(self) -> None:
        """The session is over: free the program and its machine, which refer to the session."""
        self._move = self.debuggee = None

    def use_breakpoints(self) -> None:
        """Tell the machine where to stop; a program that is not to be debugged stops nowhere."""
        debuggee = self.debuggee
        if debuggee is None:
            return
        if debuggee.configuration.no_debug:
            debuggee.debugger.set_traps({})
            return
        debuggee.debugger.set_breakpoints(self.breakpoints.at_bundles)
        debuggee.debugger.set_data_breakpoints(self.breakpoints.at_data)
        debuggee.debugger.set_traps(
            {trap: self.condition(text) for trap, text in self.traps.items()}
        )

    def condition(self, text: str | None) -> Condition | None:
        """A condition that a user has written; where it cannot be answered it holds."""
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
        """Another run begins: what was known of the last one does not count."""
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
        """Whether the machine should pause: asked by the machine between bundles."""
        debuggee = self.debuggee
        if debuggee is not None:
            self.progress.tick(lambda: debuggee.debugger.cycle)
        self._breathe()
        return not self.inbox.is_empty and (self._yields or self.inbox.has(_URGENT))

    def _breathe(self) -> None:
        """Let the reading thread run now and then.

        It waits for the interpreter, whose lock numpy gives back again and again, each time for too
        short a moment, which keeps Python from ever taking it away from us.
        """
        now = time.monotonic()
        if now - self._breathed_at > BETWEEN_BREATHS_S:
            time.sleep(_BREATH_S)
            self._breathed_at = time.monotonic()

    def _log(self, text: str) -> None:
        """What a log breakpoint says, with the place from which it does."""
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
