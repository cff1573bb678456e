"""Responses and events, numbered in the order in which they are sent."""

from __future__ import annotations

import json
import time
from itertools import count
from typing import Any, Callable, Final

from ipu_lsp.debug_adapter.inbox import number_of
from ipu_lsp.json_types import Json, ascii_encoder
from ipu_lsp.plain_text import with_plain_texts
from ipu_lsp.transport import frame

_encode = ascii_encoder(allow_nan=False)

PATIENCE_S: Final = 1.0
"""Seconds after which an operation is reported to the client."""
_PACE_S: Final = 0.25


class Outbox:
    """Sends messages to the client. Only used on the session's thread."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._numbers = count(1)

    def event(self, name: str, body: Json | None = None) -> None:
        """Send an event."""
        message: Json = {"type": "event", "event": name}
        if body is not None:
            message["body"] = body
        self._send(message)

    def tell(self, text: str, category: str = "stdout", **place: Any) -> None:
        """Send text to the debug console.

        `category` is `stdout` for output of a run and `stderr` for errors; some editors show
        `console` like a warning.
        """
        self.event("output", {"category": category, "output": text, **place})

    def respond(self, request: Json, body: Json | None = None) -> None:
        """Send a successful response."""
        answer = _answer(request, True)
        if body is not None:
            answer["body"] = body
        self._send(answer)

    def send_error(self, request: Json, reason: str, is_shown: bool = False) -> None:
        """Send a failed response; `reason` is a sentence, displayed to the user if `is_shown`."""
        answer = _answer(request, False)
        answer["message"] = reason
        if reason != CANCELLED:
            answer["body"] = {"error": {"id": 1, **_format(reason), "showUser": is_shown}}
        self._send(answer)

    def _send(self, message: Json) -> None:
        # ASCII, so that a lone surrogate can be sent.
        encoded = _encode({"seq": next(self._numbers), **message})
        if "`" in encoded:
            # Nothing in this protocol renders Markdown.
            encoded = _encode(with_plain_texts(json.loads(encoded)))
        self._write(frame(encoded.encode("ascii")))


CANCELLED = "cancelled"
"""The protocol's `message` of a cancelled request."""


def _format(reason: str) -> Json:
    """Return the format of an error message, and its variables if needed.

    A brace in a format starts a variable. Helix displays the raw format and variables, truncated to
    one line, so that the text should be in the format where possible.
    """
    if "{" in reason:
        return {"format": "{reason}", "variables": {"reason": reason}}
    return {"format": reason}


def _answer(request: Json, success: bool) -> Json:
    command = request.get("command")
    return {
        "type": "response",
        "request_seq": number_of(request),
        "success": success,
        "command": command if isinstance(command, str) else "",
    }


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

    def tick(self, cycle: Callable[[], int], last: Callable[[], int | None] = lambda: None) -> None:
        """Report progress if it is due: the current cycle, and the last one if it is known."""
        if self._title is None or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + _PACE_S
        now, end = cycle(), last()
        message = f"cycle {now:,}" + (f" of {end:,}" if end is not None and now <= end else "")
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
