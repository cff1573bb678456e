"""Work on a thread of its own, given up as soon as the client wants to leave."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Callable, Final, TypeVar

from ipu_lsp.debug_adapter.inbox import CANCEL, DebugInbox
from ipu_lsp.debug_adapter.table import RequestCancelledError

_T = TypeVar("_T")

_GIVES_UP: Final = (CANCEL, "disconnect", "terminate")


def run_interruptibly(inbox: DebugInbox, work: Callable[[], _T]) -> _T:
    """What `work` returns or raises. It shares nothing with the session's thread.

    Raises `RequestCancelledError` if the client cancels the request or leaves. Python
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
        raise RequestCancelledError
    return outcome.result()
