"""Progress events for operations that take long."""

from __future__ import annotations

import time
from itertools import count
from typing import Callable, Final

from ipu_lsp.json_types import Json

PATIENCE_S: Final = 1.0
"""Seconds after which an operation is reported to the client."""
_PACE_S: Final = 0.25


class ProgressReporter:
    """Reports one operation at a time; `send` takes the names and bodies of events."""

    def __init__(self, send: Callable[[str, Json], None]) -> None:
        self._send = send
        self._numbers = count(1)
        self._title: str | None = None
        self._request: int | None = None
        self._due = 0.0
        self.running: str | None = None
        """The ID of the progress that the client currently shows."""

    def begin(self, title: str, request: int | None = None) -> None:
        """Start an operation; `request` is the number of the request that caused it."""
        if self._title is None:
            self._title, self._request = title, request
            self._due = time.monotonic() + PATIENCE_S

    def tick(self, cycle: Callable[[], int]) -> None:
        """Report progress if it is due; `cycle` returns the current cycle."""
        if self._title is None or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + _PACE_S
        message = f"cycle {cycle():,}"
        if self.running is not None:
            self._send("progressUpdate", {"progressId": self.running, "message": message})
            return
        self.running = f"run-{next(self._numbers)}"
        body: Json = {"progressId": self.running, "title": self._title, "message": message}
        if self._request is not None:
            body["requestId"] = self._request
        self._send("progressStart", {**body, "cancellable": True})

    def end(self) -> None:
        """End the operation."""
        if self.running is not None:
            self._send("progressEnd", {"progressId": self.running})
        self._title = self._request = self.running = None
