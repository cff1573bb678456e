"""Start and end of a session: `initialize`, `launch`, `restart`, `terminate`, `disconnect`."""

from __future__ import annotations

from functools import partial

from ipu_asm.emulator.stops import StopReason
from ipu_lsp.debug_adapter.client import DebugClient
from ipu_lsp.debug_adapter.execution import THREAD
from ipu_lsp.debug_adapter.loading import load
from ipu_lsp.debug_adapter.request_table import Needs, RequestError, capabilities, request
from ipu_lsp.debug_adapter.requests.breakpoints import use_breakpoints
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.json_types import Json


@request("initialize", Needs.NOTHING)
def initialize(
    session: DebugSession,
    *,
    lines_start_at1: bool = True,
    columns_start_at1: bool = True,
    path_format: str = "path",
    supports_variable_type: bool = False,
    supports_progress_reporting: bool = False,
    supports_invalidated_event: bool = False,
    supports_memory_event: bool = False,
    client_id: str = "",
) -> Json:
    """Store the client's capabilities; return the adapter's."""
    if session.client is not None:
        raise RequestError("`initialize` is sent once, found a second one")
    session.client = DebugClient(
        int(lines_start_at1),
        int(columns_start_at1),
        path_format == "uri",
        supports_variable_type,
        supports_progress_reporting,
        supports_invalidated_event,
        supports_memory_event,
        client_id,
    )
    return capabilities()


@request("launch", Needs.CLIENT)
def launch(session: DebugSession, *, raw_arguments: Json) -> None:
    """Load a program; execution starts after `configurationDone`."""
    if session.debuggee is not None:
        raise RequestError("a program is loaded already: `restart` it, or start another session")
    load(session, raw_arguments)
    session.later(lambda: _after_load(session))


@request("attach", Needs.CLIENT)
def attach(session: DebugSession) -> None:
    """Refuse: the machine lives inside the adapter, so there is no process to attach to."""
    raise RequestError("a kernel runs inside of the debugger: use `launch`, found `attach`", True)


@request("configurationDone", Needs.CLIENT, "supportsConfigurationDoneRequest")
def configuration_done(session: DebugSession) -> None:
    """Start execution, or let `launch` start it if no program is loaded yet."""
    if session.is_configured:
        raise RequestError("`configurationDone` is sent once, found a second one")
    session.is_configured = True
    if session.debuggee is not None and not session.execution.has_ended:
        session.later(lambda: _start_execution(session))


@request("restart", Needs.PROGRAM, "supportsRestartRequest")
def restart(session: DebugSession, *, arguments: Json | None = None) -> None:
    """Reload the program, or load another one, and start it from the beginning.

    If loading fails, the current session remains unchanged.
    """
    was_stopped = session.execution.stop is not None and not session.execution.has_ended
    load(session, arguments or session.launched)
    session.later(lambda: _resolve_again(session))
    if session.is_configured:
        session.later(partial(_start_execution, session, was_stopped))


@request("terminate", Needs.CLIENT, "supportsTerminateRequest")
def terminate(session: DebugSession) -> None:
    """End the debugged program and send the event `terminated`."""
    if not session.execution.has_ended:
        session.execution.reset()
        session.execution.has_ended = True
        session.later(lambda: session.outbox.event("terminated"))


@request("disconnect", Needs.NOTHING)
def disconnect(session: DebugSession) -> None:
    """End the session and this process, which also holds the machine."""
    session.is_over = True


def _after_load(session: DebugSession) -> None:
    """Resolve pending breakpoints, then send `initialized`, so that the client sends more."""
    _resolve_again(session)
    session.outbox.event("initialized")
    if session.is_configured:
        _start_execution(session)


def _resolve_again(session: DebugSession) -> None:
    """Resolve all breakpoints in the newly loaded program and report those that changed."""
    changed = session.breakpoints.resolve_again()
    use_breakpoints(session)
    for shown in changed:
        session.outbox.event("breakpoint", {"reason": "changed", "breakpoint": shown})


def _start_execution(session: DebugSession, was_stopped: bool = False) -> None:
    """Start execution, or stop at entry.

    With `was_stopped` the client saw a stopped machine and needs a `continued` event.
    """
    debuggee = session.program
    debugger = debuggee.debugger
    session.outbox.event("process", _process(session))
    if debuggee.configuration.stop_on_entry:
        session.execution.report_stop(debugger.stopped(StopReason.ENTRY, "at the beginning"))
    else:
        if was_stopped:
            session.outbox.event("continued", {"threadId": THREAD, "allThreadsContinued": True})
        session.run(debugger.start, "Running", may_end=True)
        session.flush()


def _process(session: DebugSession) -> Json:
    name = session.program.kernel.name
    return {"name": name, "isLocalProcess": True, "startMethod": "launch"}
