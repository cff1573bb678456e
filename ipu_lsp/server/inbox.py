"""Messages of the client in their order, read by a thread of their own.

The thread is there so that a cancellation is seen while an earlier request is still being worked
on, and so that the loop can look ahead: whether more edits are waiting decides when to publish.
"""

from __future__ import annotations

import json
from collections import deque
from queue import Empty, SimpleQueue
from typing import Any, Callable, NamedTuple

from ipu_lsp.transport import bodies

CANCEL = "$/cancelRequest"
Json = dict[str, Any]
MessageId = int | str


class Malformed(NamedTuple):
    """A message that cannot be understood: the JSON-RPC error code that fits, and why."""

    code: int
    reason: str


class EndOfInput(NamedTuple):
    """The client is gone; `reason` says how we know."""

    reason: str


Message = Json | Malformed | EndOfInput


class Inbox:
    """The messages that wait. `fill` and `end` belong to other threads, the rest to the loop."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Message] = SimpleQueue()
        self._ahead: deque[Message] = deque()
        self._unanswered: set[MessageId] = set()
        self._cancelled: set[MessageId] = set()

    def fill(self, read: Callable[[], bytes]) -> None:
        """Read messages until there are no more."""
        try:
            for body in bodies(read):
                self._accept(_decoded(body))
        finally:
            self.end("its end of the connection is closed")

    def end(self, reason: str) -> None:
        """Let the end of input follow the messages that wait."""
        self._queue.put(EndOfInput(reason))

    def first(self, patience: float = 0) -> Message | None:
        """The next message, which keeps waiting; None if none comes within so many seconds."""
        if not self._ahead:
            try:
                self._ahead.append(self._queue.get(patience > 0, patience or None))
            except Empty:
                return None
        return self._ahead[0]

    def take(self) -> Message:
        """The next message; waits for it."""
        return self._ahead.popleft() if self._ahead else self._queue.get()

    def is_cancelled(self, message_id: MessageId) -> bool:
        """Whether the client no longer wants the answer to a request."""
        return message_id in self._cancelled

    def answered(self, message_id: MessageId) -> None:
        """Forget a request: it has its answer."""
        self._unanswered.discard(message_id)
        self._cancelled.discard(message_id)

    def _accept(self, message: Message) -> None:
        if isinstance(message, dict):
            if message.get("method") == CANCEL and "id" not in message:
                self._cancel(message.get("params"))
                return
            if "method" in message and is_message_id(message.get("id")):
                self._unanswered.add(message["id"])
        self._queue.put(message)

    def _cancel(self, params: object) -> None:
        message_id = params.get("id") if isinstance(params, dict) else None
        if is_message_id(message_id) and message_id in self._unanswered:
            self._cancelled.add(message_id)


def is_message_id(value: object) -> bool:
    """Whether a request may have this as its id: a whole number or a string, no boolean."""
    return type(value) in (int, str)


def _decoded(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        return Malformed(-32700, f"a message that is not JSON: {error}")
    if isinstance(message, dict):
        return message
    return Malformed(-32600, f"a message that is no object but {type(message).__name__}")
