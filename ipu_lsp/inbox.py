"""Queue of the client's messages, filled by a reader thread.

A server that reads for itself sees nothing while it works on a message. Because a thread reads
ahead, the server learns during that work of a cancellation, a pause or further edits.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from typing import Any, Callable

from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.transport import MAX_BODY_LENGTH, Json, bodies

PARSE_ERROR = -32700
INVALID_REQUEST = -32600


class MalformedMessage(NamedTuple):
    """A message body that cannot be handled: why, and the JSON-RPC error code that fits."""

    reason: str
    code: int = INVALID_REQUEST


class EndOfInput(NamedTuple):
    """The last message of every client: `reason` says why there are no more."""

    reason: str


Message = Json | MalformedMessage | EndOfInput


class QueuedMessage(NamedTuple):
    """A message with the size in bytes of the body that it came in."""

    message: Message
    size: int


class Inbox:
    """Queue of the client's messages, filled by a reader thread and bounded in number and bytes.

    `fill` runs on the reader thread, `end` on any thread, everything else on the server's thread.
    """

    longest_message = MAX_BODY_LENGTH
    """Size limit in bytes. A header that announces more is skipped."""
    most_waiting = sys.maxsize
    """Maximum number of waiting messages before the reader thread blocks."""
    most_bytes = sys.maxsize
    """Maximum size in bytes of waiting messages before the reader thread blocks."""

    def __init__(self) -> None:
        self._waiting: deque[QueuedMessage] = deque()
        self._bytes = 0
        self._changed = threading.Condition()

    def start_reader(
        self, read: Callable[[], bytes], when_done: Callable[[], None] | None = None
    ) -> None:
        """Start the thread that fills the inbox; it calls `when_done` after the last message."""

        def run() -> None:
            self.fill(read)
            if when_done is not None:
                when_done()

        threading.Thread(target=run, name="reader", daemon=True).start()

    def fill(self, read: Callable[[], bytes]) -> None:
        """Queue all messages that `read` delivers, then the end of input."""
        try:
            for body in bodies(read, self.longest_message):
                self.accept(QueuedMessage(self.decode(body), len(body)))
        finally:
            self.end("it closed the connection")

    def end(self, reason: str) -> None:
        """Queue the end of input, after the waiting messages."""
        with self._changed:
            self._waiting.append(QueuedMessage(EndOfInput(reason), 0))
            self._changed.notify_all()

    def take(self) -> Message:
        """Remove and return the next message; block until there is one."""
        with self._changed:
            while not self._waiting:
                self._changed.wait()
            return self.remove(0)

    def peek(self, timeout: float = 0) -> Message | None:
        """Return the next message but keep it; None if none arrives within `timeout` seconds."""
        if not self._waiting and timeout > 0:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting), timeout)
        return self._waiting[0].message if self._waiting else None

    @property
    def is_empty(self) -> bool:
        """Whether no message waits."""
        return not self._waiting

    def decode(self, body: bytes) -> Message:
        return decode_object(body)

    def accept(self, queued: QueuedMessage, *, first: bool = False) -> None:
        """Queue a message, as the `first` or as the last; block while the inbox is full."""
        with self._changed:
            while len(self._waiting) >= self.most_waiting or self._bytes >= self.most_bytes:
                self._changed.wait()
            if first:
                self._waiting.appendleft(queued)
            else:
                self._waiting.append(queued)
            self._bytes += queued.size
            self._changed.notify_all()

    def remove(self, index: int) -> Message:
        """Remove and return the message at an index; only with the lock held."""
        message, size = self._waiting[index]
        del self._waiting[index]
        self._bytes -= size
        self._changed.notify_all()
        return message


def decode_object(body: bytes, **options: Any) -> Json | MalformedMessage:
    """Decode the JSON object in a body; `options` are those of `json.loads`."""
    try:
        message = json.loads(body, **options)
    except (ValueError, RecursionError, MemoryError) as error:
        return MalformedMessage(f"a message is JSON, found something else: {error}", PARSE_ERROR)
    if isinstance(message, dict):
        return message
    return MalformedMessage(f"a message is an object, found {type(message).__name__}")
