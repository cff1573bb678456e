"""The inbox, which the machine polls between bundles, and numbered responses and events."""

from __future__ import annotations

import json
import time
from itertools import count
from typing import Any, Callable, Collection, Final

from ipu_lsp.inbox import EndOfInput, Inbox, MalformedMessage, Message, QueuedMessage, decode_object
from ipu_lsp.transport import Json, ascii_encoder, frame, with_plain_texts

CANCEL: Final = "cancel"
_MAX_DIGITS: Final = 40
_MAX_EXACT: Final = 1 << 53


class DebugInbox(Inbox):
    """Requests of a debug client, in bounded memory."""

    longest_message = most_bytes = 1 << 26
    most_waiting = 10_000

    def __init__(self) -> None:
        super().__init__()
        self.answering: int | None = None
        """The `seq` of the request that is being answered."""

    def has(self, commands: Collection[str]) -> bool:
        """Return whether a request with one of these commands is waiting, or the end of input.

        A `cancel` only counts if it names the request that is being handled, or none.
        """
        if not self._waiting:
            return False
        with self._changed:
            return any(self._is_urgent(queued.message, commands) for queued in self._waiting)

    def wait(self, is_done: Callable[[], bool], commands: Collection[str]) -> bool:
        """Block until `is_done`, which another thread makes true before it calls `wake`.

        Returns False if one of the `commands` or the end of input arrives first.
        """
        with self._changed:
            self._changed.wait_for(lambda: is_done() or self.has(commands))
            return is_done()

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def withdraw(self, seq: int) -> Json | None:
        with self._changed:
            for index, (message, _) in enumerate(self._waiting):
                if isinstance(message, dict) and number_of(message) == seq:
                    self.remove(index)
                    return message
        return None

    def decode(self, body: bytes) -> Message:
        message = decode_object(body, parse_int=_integer, parse_float=_number)
        if isinstance(message, MalformedMessage) or message.get("type") == "request":
            return message
        kind = message.get("type")
        found = f"`{kind:.40}`" if isinstance(kind, str) else type(kind).__name__
        return MalformedMessage(f"a message is of the type `request`, found {found}")

    def accept(self, queued: QueuedMessage, *, first: bool = False) -> None:
        """Queue a request. A `cancel` is queued first, to precede the request that it names."""
        message = queued.message
        is_cancel = isinstance(message, dict) and message.get("command") == CANCEL
        super().accept(queued, first=first or is_cancel)

    def _is_urgent(self, message: Message, commands: Collection[str]) -> bool:
        if not isinstance(message, dict):
            return isinstance(message, EndOfInput)
        command = message.get("command")
        if command not in commands:
            return False
        return command != CANCEL or _cancelled(message) in (None, self.answering)


def number_of(request: Json) -> int:
    """Return the `seq` of a request; 0 if it has none."""
    seq = request.get("seq")
    return seq if type(seq) is int else 0


def _integer(text: str) -> int | float:
    """Parse an integer; return a float if it has more digits than any field of the protocol."""
    return int(text) if len(text) <= _MAX_DIGITS else float(text)


def _number(text: str) -> int | float:
    """Parse a number; return an int for `3.0`, because some clients write integers that way."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < _MAX_EXACT else value


def _cancelled(message: Json) -> object:
    """Return the `seq` that a `cancel` names; None if it names none, 0 if it is invalid."""
    arguments = message.get("arguments")
    request_id = arguments.get("requestId") if isinstance(arguments, dict) else None
    return request_id if request_id is None or type(request_id) is int else 0


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
        if self.running is not None:
            self._send("progressEnd", {"progressId": self.running})
        self._title = self._request = self.running = None
