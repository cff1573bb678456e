"""Messages to the client: responses and events, numbered in the order in which they are sent."""

from __future__ import annotations

from itertools import count
from typing import Callable

from ipu_lsp.debug_adapter.inbox import number_of
from ipu_lsp.json_types import Json, ascii_encoder
from ipu_lsp.transport import frame

_encode = ascii_encoder(allow_nan=False)


class Outbox:
    """Sends what it is told at once. Belongs to the session's thread."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._numbers = count(1)

    def event(self, name: str, body: Json | None = None) -> None:
        """Tell the client something that it has not asked for."""
        message: Json = {"type": "event", "event": name}
        if body is not None:
            message["body"] = body
        self._send(message)

    def respond(self, request: Json, body: Json | None = None) -> None:
        """Answer a request."""
        answer = _answer(request, True)
        if body is not None:
            answer["body"] = body
        self._send(answer)

    def refuse(self, request: Json, reason: str, is_shown: bool = False) -> None:
        """Answer a request that cannot be done; `reason` is a sentence for people."""
        answer = _answer(request, False)
        answer["message"] = reason
        if reason != CANCELLED:
            answer["body"] = {"error": {"id": 1, **_format(reason), "showUser": is_shown}}
        self._send(answer)

    def _send(self, message: Json) -> None:
        # ASCII, so that half a surrogate pair harms nobody on the way.
        numbered = {"seq": next(self._numbers), **message}
        self._write(frame(_encode(numbered).encode("ascii")))


CANCELLED = "cancelled"
"""What the protocol says of a request that was given up."""


def _format(reason: str) -> Json:
    """The format of a message, and its variables where there are any.

    A brace in the format begins the name of a variable. Helix shows both as they come, from the
    left as far as they fit, so that the text had better stand in the format itself.
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
