"""Start and end of a session: `initialize`, `launch`, `restart`, `terminate`, `disconnect`."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from functools import partial
from typing import Callable, Final, TypeVar

from ipu_asm.assembler.kernel import RejectedSourceError
from ipu_asm.diagnostics.rendering import printable, render_concise
from ipu_asm.emulator.stops import StopReason
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.debug_adapter.client import DebugClient, Positions
from ipu_lsp.debug_adapter.configuration import LaunchError, read_configuration
from ipu_lsp.debug_adapter.debuggee import Debuggee
from ipu_lsp.debug_adapter.messages import CANCEL, DebugInbox
from ipu_lsp.debug_adapter.requests import (
    Needs,
    RequestCancelledError,
    RequestError,
    capabilities,
    request,
)
from ipu_lsp.debug_adapter.requests.breakpoints import use_breakpoints
from ipu_lsp.debug_adapter.session import THREAD, DebugSession, Execution
from ipu_lsp.transport import Json

_T = TypeVar("_T")
MAX_SHOWN_ERRORS: Final = 100
"""Maximum number of errors in a program that the debug console lists."""
_GIVES_UP: Final = (CANCEL, "disconnect", "terminate")


class _Mistakes(NamedTuple):
    """The errors that prevent loading: the first ones, each with its source position (or an empty
    object), and the total count.
    """

    shown: list[tuple[str, Json]]
    total: int


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
    if not session.execution.has_ended:
        session.execution.reset()
        session.execution.has_ended = True
        session.later(lambda: session.outbox.event("terminated"))


@request("disconnect", Needs.NOTHING)
def disconnect(session: DebugSession) -> None:
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
        session.later(partial(session.execution.start, debugger.start, "Running", may_end=True))
        session.flush()


def _process(session: DebugSession) -> Json:
    name = session.program.kernel.name
    return {"name": name, "isLocalProcess": True, "startMethod": "launch"}


def load(session: DebugSession, given: Json) -> None:
    """Load a program onto a new machine. Raises `RequestError`, `RequestCancelledError`."""
    assert session.client is not None
    # Loading a long source takes seconds; the client must be able to cancel.
    loaded = run_interruptibly(
        session.inbox, partial(_read, given, session.client, session.execution)
    )
    if isinstance(loaded, _Mistakes):
        raise _refused(session, loaded)
    for hint in loaded.hints:
        session.outbox.tell(f"{hint}\n", "console")
    session.execution.reset()
    session.execution.debuggee = loaded
    session.launched = given


def _read(given: Json, client: DebugClient, execution: Execution) -> Debuggee | _Mistakes:
    try:
        return Debuggee(
            read_configuration(given), client, execution.should_pause, execution.log_text
        )
    except RejectedSourceError as error:
        return _Mistakes(_findings(error, client), len(error.findings))
    except LaunchError as error:
        shown = error.mistakes[:MAX_SHOWN_ERRORS]
        return _Mistakes([(mistake, {}) for mistake in shown], len(error.mistakes))


def _findings(error: RejectedSourceError, client: DebugClient) -> list[tuple[str, Json]]:
    path, positions = error.source.path, Positions(error.source.text, client)
    source = {"name": os.path.basename(path), "path": client.path_to_client(path)}
    return [
        (
            render_concise(finding, error.source),
            {"source": source, **positions.start_to_client(finding.span)},
        )
        for finding in error.findings[:MAX_SHOWN_ERRORS]
    ]


def _refused(session: DebugSession, mistakes: _Mistakes) -> RequestError:
    """List the errors in the debug console; return the first one as the request's error."""
    for mistake, place in mistakes.shown:
        session.outbox.tell(f"{printable(mistake)}\n", "stderr", **place)
    hidden = mistakes.total - len(mistakes.shown)
    if hidden:
        session.outbox.tell(f"and {hidden:,} more\n", "stderr")
    more = mistakes.total - 1
    rest = f" (and {more:,} more: see the debug console)" if more else ""
    return RequestError(f"{printable(mistakes.shown[0][0])}{rest}", is_shown=True)


def run_interruptibly(inbox: DebugInbox, work: Callable[[], _T]) -> _T:
    """Return or raise the outcome of `work`, which must share nothing with the session's thread.

    Raises `RequestCancelledError` if the client cancels the request or ends the session. Python
    cannot stop a thread: `work` then continues, and its outcome is discarded.
    """
    outcome: Future[_T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)
        inbox.wake()

    threading.Thread(target=run, name="worker", daemon=True).start()
    if not inbox.wait(outcome.done, _GIVES_UP):
        raise RequestCancelledError
    return outcome.result()
