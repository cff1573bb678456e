"""Loading of a program, on a thread of its own; all its mistakes are reported."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from functools import partial
from typing import Callable, Final, TypeVar

from ipu_asm.assembler.kernel import RejectedSourceError
from ipu_asm.diagnostics.rendering import printable, render_concise
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.debug_adapter.client import DebugClient, Positions
from ipu_lsp.debug_adapter.configuration import read_configuration
from ipu_lsp.debug_adapter.debuggee import Debuggee, Hooks
from ipu_lsp.debug_adapter.inbox import CANCEL, DebugInbox
from ipu_lsp.debug_adapter.object_reader import LaunchError
from ipu_lsp.debug_adapter.request_table import RequestCancelledError, RequestError
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.json_types import Json

_T = TypeVar("_T")

MAX_SHOWN_ERRORS: Final = 100
"""Maximum number of errors in a program that the debug console lists."""
_GIVES_UP: Final = (CANCEL, "disconnect", "terminate")


def load(session: DebugSession, given: Json) -> None:
    """Load a program onto a new machine. Raises `RequestError`, `RequestCancelledError`."""
    assert session.client is not None
    # Loading a long source takes seconds; the client must be able to cancel.
    loaded = run_interruptibly(
        session.inbox, partial(_read, given, session.client, session.execution.hooks)
    )
    if isinstance(loaded, _Mistakes):
        raise _refused(session, loaded)
    for hint in loaded.hints:
        session.outbox.tell(f"{hint}\n", "console")
    session.execution.reset()
    session.execution.debuggee = loaded
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
    except RejectedSourceError as error:
        return _Mistakes(_findings(error, client), len(error.findings))
    except LaunchError as error:
        shown = error.mistakes[:MAX_SHOWN_ERRORS]
        return _Mistakes([(mistake, {}) for mistake in shown], len(error.mistakes))


def _findings(error: RejectedSourceError, client: DebugClient) -> list[tuple[str, Json]]:
    """Return the first errors of a source, each as text and source position."""
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
