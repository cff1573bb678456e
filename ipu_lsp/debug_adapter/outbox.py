"""Responses and events, numbered in the order in which they are sent."""

from __future__ import annotations

from itertools import count
from typing import Callable

from ipu_lsp.debug_adapter.inbox import number_of
from ipu_lsp.json_types import Json, ascii_encoder
from ipu_lsp.transport import frame

_encode = ascii_encoder(allow_nan=False)


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

    def respond(self, request: Json, body: Json | None = None) -> None:
        """Send a successful response."""
        answer = _answer(request, True)
        if body is not None:
            answer["body"] = body
        self._send(answer)

    def refuse(self, request: Json, reason: str, is_shown: bool = False) -> None:
        """Send a failed response; `reason` is a sentence, displayed to the user if `is_shown`."""
        answer = _answer(request, False)
        answer["message"] = reason
        if reason != CANCELLED:
            answer["body"] = {"error": {"id": 1, **_format(reason), "showUser": is_shown}}
        self._send(answer)

    def _send(self, message: Json) -> None:
        # ASCII, so that a lone surrogate can be sent.
        numbered = {"seq": next(self._numbers), **message}
        self._write(frame(_encode(numbered).encode("ascii")))


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
