"""A debug session: one client, one program, and the state of its execution."""

from __future__ import annotations

from typing import Callable

from ipu_asm.debugger.breakpoints import DEFAULT_TRAPS, Trap
from ipu_lsp.debug_adapter.client import DebugClient, MemoryReference
from ipu_lsp.debug_adapter.debuggee import Debuggee
from ipu_lsp.debug_adapter.execution import BreakpointList, Execution
from ipu_lsp.debug_adapter.messages import DebugInbox, Outbox, ProgressReporter
from ipu_lsp.debug_adapter.request_table import Needs
from ipu_lsp.json_types import Json


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
