"""Work on a thread of its own, given up as soon as the client wants to leave."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Callable, Final, TypeVar

from ipu_lsp.debug_adapter.inbox import CANCEL, DebugInbox
from ipu_lsp.debug_adapter.table import Cancelled

_T = TypeVar("_T")

_GIVES_UP: Final = (CANCEL, "disconnect", "terminate")


def interruptible(inbox: DebugInbox, work: Callable[[], _T]) -> _T:
    """What `work` returns or raises. It shares nothing with the session's thread.

    Raises `Cancelled` if the client cancels the request, or is about to leave or gone. Python
    cannot stop a thread: then the work goes on, unheeded, until it is done or the process ends.
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
        raise Cancelled
    return outcome.result()
