"""From `initialize` to `disconnect`."""

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
"""How many mistakes of a program the debug console lists."""


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
    """The client says what it can do, and learns what we can."""
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
    """Load a program; it runs once the client has said all that it wants to say before."""
    if session.debuggee is not None:
        raise RequestError("a program is loaded already: `restart` it, or begin another session")
    _load(session, everything)
    session.later(lambda: _begin(session))


@request("attach", Needs.CLIENT)
def attach(session: DebugSession) -> None:
    """There is nothing to attach to."""
    raise RequestError("a kernel runs inside of the debugger: use `launch`, found `attach`", True)


@request("configurationDone", Needs.CLIENT, "supportsConfigurationDoneRequest")
def configuration_done(session: DebugSession) -> None:
    """All breakpoints are set: off we go, or as soon as a program is there."""
    if session.is_configured:
        raise RequestError("the configuration is done once, found a second time")
    session.is_configured = True
    if session.debuggee is not None and not session.has_ended:
        session.later(lambda: _go(session))


@request("restart", Needs.PROGRAM, "supportsRestartRequest")
def restart(session: DebugSession, *, arguments: Json | None = None) -> None:
    """Read the program again, or another one, and run it from the beginning.

    If that cannot be, everything stays as it was.
    """
    stood = session.stop is not None and not session.has_ended
    _load(session, arguments or session.launched)
    session.later(lambda: _place_again(session))
    if session.is_configured:
        session.later(partial(_go, session, stood))


@request("terminate", Needs.CLIENT, "supportsTerminateRequest")
def terminate(session: DebugSession) -> None:
    """End the program."""
    if not session.has_ended:
        session.forget_run()
        session.has_ended = True
        session.later(lambda: session.event("terminated"))


@request("disconnect", Needs.NOTHING)
def disconnect(session: DebugSession) -> None:
    """The client takes its leave; the program, which lives in this process, ends with it."""
    session.is_over = True


def _load(session: DebugSession, given: Json) -> None:
    """Put a program on a new machine. Raises `RequestError` and `Cancelled`."""
    assert session.client is not None
    # A long source takes seconds, and whoever launched it by mistake wants to leave.
    loaded = run_interruptibly(session.inbox, partial(_read, given, session.client, session.hooks))
    if isinstance(loaded, _Mistakes):
        raise _refused(session, loaded)
    for hint in loaded.configuration.hints:
        session.tell(f"{hint}\n", "console")
    session.forget_run()
    session.debuggee = loaded
    session.launched = given


class _Mistakes(NamedTuple):
    """Why a program cannot be loaded: messages, each with its place in the source, and how many
    there are in all.
    """

    shown: list[tuple[str, Json]]
    total: int


def _read(given: Json, client: DebugClient, hooks: Hooks) -> Debuggee | _Mistakes:
    """The program on a new machine."""
    try:
        return Debuggee(read_configuration(given), client, hooks)
    except RejectedSource as error:
        return _Mistakes(_findings(error, client), len(error.findings))
    except LaunchError as error:
        shown = error.mistakes[:_MOST_SHOWN]
        return _Mistakes([(mistake, {}) for mistake in shown], len(error.mistakes))


def _findings(error: RejectedSource, client: DebugClient) -> list[tuple[str, Json]]:
    """The first findings of a source, each with the place that it speaks of."""
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
    """Why a program cannot be loaded: a list as output, the first of it as the answer."""
    for mistake, place in mistakes.shown:
        session.tell(f"{printable(mistake)}\n", "stderr", **place)
    hidden = mistakes.total - len(mistakes.shown)
    if hidden:
        session.tell(f"and {hidden:,} more\n", "stderr")
    more = mistakes.total - 1
    rest = f" (and {more:,} more: see the debug console)" if more else ""
    return RequestError(f"{printable(mistakes.shown[0][0])}{rest}", is_shown=True)


def _begin(session: DebugSession) -> None:
    """The program is there: breakpoints can be placed."""
    _place_again(session)
    session.event("initialized")
    if session.is_configured:
        _go(session)


def _place_again(session: DebugSession) -> None:
    """Look for the breakpoints in the program that is loaded now."""
    changed = session.breakpoints.place_again()
    session.use_breakpoints()
    for shown in changed:
        session.event("breakpoint", {"reason": "changed", "breakpoint": shown})


def _go(session: DebugSession, stood: bool = False) -> None:
    """Let the program run from its beginning; `stood` if the client saw the machine stand."""
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
