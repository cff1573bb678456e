"""Start and end of a session: `initialize`, `launch`, `restart`, `terminate`, `disconnect`."""

from __future__ import annotations

import os
from functools import partial
from typing import Final, NamedTuple

from ipu_asm.assembler.kernel import RejectedSource
from ipu_asm.debugger.stop import Stop
from ipu_asm.diagnostics.rendering import printable, render_concise
from ipu_asm.emulator.stops import StopReason
from ipu_lsp.debug_adapter.background import run_interruptibly
from ipu_lsp.debug_adapter.client import DebugClient, Positions
from ipu_lsp.debug_adapter.configuration import LaunchError, read_configuration
from ipu_lsp.debug_adapter.debuggee import Debuggee, Hooks
from ipu_lsp.debug_adapter.session import THREAD, DebugSession
from ipu_lsp.debug_adapter.table import Needs, RequestError, capabilities, request
from ipu_lsp.json_types import Json

_MOST_SHOWN: Final = 100
"""Maximum number of errors in a program that the debug console lists."""


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
) -> Json:
    """Store the client's capabilities; return the adapter's."""
    if session.client is not None:
        raise RequestError("a session begins once, found a second `initialize`")
    session.client = DebugClient(
        int(lines_start_at1),
        int(columns_start_at1),
        path_format == "uri",
        supports_variable_type,
        supports_progress_reporting,
        supports_invalidated_event,
        supports_memory_event,
    )
    return capabilities()


@request("launch", Needs.CLIENT)
def launch(session: DebugSession, *, everything: Json) -> None:
    """Load a program; execution starts after `configurationDone`."""
    if session.debuggee is not None:
        raise RequestError("a program is loaded already: `restart` it, or begin another session")
    _load(session, everything)
    session.later(lambda: _begin(session))


@request("attach", Needs.CLIENT)
def attach(session: DebugSession) -> None:
    """Refuse: the machine lives inside the adapter, so there is no process to attach to."""
    raise RequestError("a kernel runs inside of the debugger: use `launch`, found `attach`", True)


@request("configurationDone", Needs.CLIENT, "supportsConfigurationDoneRequest")
def configuration_done(session: DebugSession) -> None:
    """Start execution, or let `launch` start it if no program is loaded yet."""
    if session.is_configured:
        raise RequestError("the configuration is done once, found a second time")
    session.is_configured = True
    if session.debuggee is not None and not session.has_ended:
        session.later(lambda: _go(session))


@request("restart", Needs.PROGRAM, "supportsRestartRequest")
def restart(session: DebugSession, *, arguments: Json | None = None) -> None:
    """Reload the program, or load another one, and start it from the beginning.

    If loading fails, the current session remains unchanged.
    """
    stood = session.stop is not None and not session.has_ended
    _load(session, arguments or session.launched)
    session.later(lambda: _place_again(session))
    if session.is_configured:
        session.later(partial(_go, session, stood))


@request("terminate", Needs.CLIENT, "supportsTerminateRequest")
def terminate(session: DebugSession) -> None:
    """End the debugged program and send the event `terminated`."""
    if not session.has_ended:
        session.forget_run()
        session.has_ended = True
        session.later(lambda: session.event("terminated"))


@request("disconnect", Needs.NOTHING)
def disconnect(session: DebugSession) -> None:
    """End the session and this process, which also holds the machine."""
    session.is_over = True


def _load(session: DebugSession, given: Json) -> None:
    """Load a program onto a new machine. Raises `RequestError` and `Cancelled`."""
    assert session.client is not None
    # Loading a long source takes seconds; the client must be able to cancel.
    loaded = run_interruptibly(session.inbox, partial(_read, given, session.client, session.hooks))
    if isinstance(loaded, _Mistakes):
        raise _refused(session, loaded)
    for hint in loaded.configuration.hints:
        session.tell(f"{hint}\n", "console")
    session.forget_run()
    session.debuggee = loaded
    session.launched = given


class _Mistakes(NamedTuple):
    """The errors that prevent loading: the first ones, each with its source position (or an empty
    object), and the total count.
    """

    shown: list[tuple[str, Json]]
    total: int


def _read(given: Json, client: DebugClient, hooks: Hooks) -> Debuggee | _Mistakes:
    """Create a machine with the program, or return the errors that prevent it."""
    try:
        return Debuggee(read_configuration(given), client, hooks)
    except RejectedSource as error:
        return _Mistakes(_findings(error, client), len(error.findings))
    except LaunchError as error:
        shown = error.mistakes[:_MOST_SHOWN]
        return _Mistakes([(mistake, {}) for mistake in shown], len(error.mistakes))


def _findings(error: RejectedSource, client: DebugClient) -> list[tuple[str, Json]]:
    """Return the first errors of a source, each as text and source position."""
    path, positions = error.source.path, Positions(error.source.text, client)
    source = {"name": os.path.basename(path), "path": client.sent_path(path)}
    return [
        (
            render_concise(finding, error.source),
            {"source": source, **positions.sent_start(finding.span)},
        )
        for finding in error.findings[:_MOST_SHOWN]
    ]


def _refused(session: DebugSession, mistakes: _Mistakes) -> RequestError:
    """List the errors in the debug console; return the first one as the request's error."""
    for mistake, place in mistakes.shown:
        session.tell(f"{printable(mistake)}\n", "stderr", **place)
    hidden = mistakes.total - len(mistakes.shown)
    if hidden:
        session.tell(f"and {hidden:,} more\n", "stderr")
    more = mistakes.total - 1
    rest = f" (and {more:,} more: see the debug console)" if more else ""
    return RequestError(f"{printable(mistakes.shown[0][0])}{rest}", is_shown=True)


def _begin(session: DebugSession) -> None:
    """Resolve pending breakpoints, then send `initialized`, so that the client sends more."""
    _place_again(session)
    session.event("initialized")
    if session.is_configured:
        _go(session)


def _place_again(session: DebugSession) -> None:
    """Resolve all breakpoints in the newly loaded program and report those that changed."""
    changed = session.breakpoints.place_again()
    session.use_breakpoints()
    for shown in changed:
        session.event("breakpoint", {"reason": "changed", "breakpoint": shown})


def _go(session: DebugSession, stood: bool = False) -> None:
    """Start execution, or stop at entry.

    With `stood` the client saw a stopped machine and needs a `continued` event.
    """
    debuggee = session.program
    debugger = debuggee.debugger
    session.event("process", _process(session))
    if debuggee.configuration.stop_on_entry:
        pc = debugger.state.program_counter
        session.arrive(Stop(StopReason.ENTRY, "at the beginning", debugger.cycle, pc))
    else:
        if stood:
            session.event("continued", {"threadId": THREAD, "allThreadsContinued": True})
        session.run(debugger.start, "Running", may_end=True)
        session.flush()


def _process(session: DebugSession) -> Json:
    name = session.program.kernel.name
    return {"name": name, "isLocalProcess": True, "startMethod": "launch"}
