"""Work-done progress of requests that take long."""

from __future__ import annotations

import time
from itertools import count
from typing import Any

from lsprotocol import types as t

from ipu_lsp.server.client import LanguageClient
from ipu_lsp.server.protocol import LspProtocol

Token = int | str
REPORT_INTERVAL_S = 0.2
_numbers = count(1)


class WorkDoneProgress:
    """One progress bar. Without a token in the request, the client is asked to create one."""

    def __init__(
        self, protocol: LspProtocol, client: LanguageClient, token: Token | None, title: str
    ) -> None:
        self._protocol = protocol
        self._client = client
        self._token = token
        self._title = title
        self._is_shown = False
        self._is_over = False
        self._reported_at = 0.0

    def begin(self) -> None:
        """Show the progress bar, once the client has created it."""
        if self._token is not None:
            self._show(self._token)
        elif self._client.shows_progress:
            token = f"ipu-progress-{next(_numbers)}"
            self._protocol.ask(
                t.WINDOW_WORK_DONE_PROGRESS_CREATE, {"token": token}, lambda _: self._show(token)
            )

    def report(self, done: int, of: int) -> None:
        """Report progress, at most every `REPORT_INTERVAL_S` seconds."""
        now = time.monotonic()
        if self._is_shown and now - self._reported_at > REPORT_INTERVAL_S:
            self._reported_at = now
            status = {"message": f"{done} of {of} files", "percentage": 100 * done // max(of, 1)}
            self._send("report", status)

    def end(self) -> None:
        """Remove the progress bar."""
        self._is_over = True
        if self._is_shown:
            self._is_shown = False
            self._send("end", {})

    def _show(self, token: Token) -> None:
        if not self._is_over:
            self._token, self._is_shown = token, True
            self._send("begin", {"title": self._title, "cancellable": False, "percentage": 0})

    def _send(self, kind: str, members: dict[str, Any]) -> None:
        params = {"token": self._token, "value": {"kind": kind, **members}}
        self._protocol.notify(t.PROGRESS, params)
