"""Work on a thread of its own that the client can cancel."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Callable, Final, TypeVar

from ipu_lsp.debug_adapter.inbox import CANCEL, DebugInbox
from ipu_lsp.debug_adapter.table import RequestCancelledError

_T = TypeVar("_T")

_GIVES_UP: Final = (CANCEL, "disconnect", "terminate")


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
