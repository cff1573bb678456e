"""Messages of the client in their order, read by a thread of their own.

So a machine that runs can be told, between two bundles, that somebody wants something.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from typing import Any, Callable, Collection, Final, NamedTuple

from ipu_lsp.transport import bodies

Json = dict[str, Any]

MOST_WAITING: Final = 10_000
"""How many messages may wait. The reader stops reading until there is room again."""
MOST_BYTES: Final = 1 << 26
"""How many bytes a message may have, and all that wait but for the last."""
CANCEL: Final = "cancel"
_MOST_DIGITS: Final = 40
_LARGEST_EXACT: Final = 1 << 53


class Malformed(NamedTuple):
    """What is no request, and why."""

    reason: str


class EndOfInput(NamedTuple):
    """The client is gone."""


Message = Json | Malformed | EndOfInput
"""A request, whatever its fields are, or what came instead."""


class _Waiting(NamedTuple):
    message: Message
    size: int


class Inbox:
    """The messages that wait. `fill` belongs to the reading thread, the rest to the session's."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self.answering: object = None
        """The number of the request that is being answered."""

    def fill(self, read: Callable[[], bytes]) -> None:
        """Read messages until there are no more."""
        try:
            for body in bodies(read, MOST_BYTES):
                self._put(_Waiting(_decoded(body), len(body)))
        finally:
            with self._changed:
                self._waiting.append(_Waiting(EndOfInput(), 0))
                self._changed.notify_all()

    def take(self) -> Message:
        """The next message; waits for it."""
        with self._changed:
            while not self._waiting:
                self._changed.wait()
            return self._out(0)

    @property
    def is_empty(self) -> bool:
        """Whether no message waits."""
        return not self._waiting

    def has(self, commands: Collection[str]) -> bool:
        """Whether one of these requests waits, or the client is gone.

        A cancellation counts if it may mean the request that is being answered.
        """
        if not self._waiting:
            return False
        with self._changed:
            return any(self._is_urgent(waiting.message, commands) for waiting in self._waiting)

    def wait(self, is_done: Callable[[], bool], commands: Collection[str]) -> bool:
        """Wait for something that another thread does, which calls `wake` when it is done.

        False if one of these requests comes first, or the client goes.
        """
        with self._changed:
            self._changed.wait_for(lambda: is_done() or self.has(commands))
            return is_done()

    def wake(self) -> None:
        """Let `wait` look again."""
        with self._changed:
            self._changed.notify_all()

    def withdraw(self, seq: int) -> Json | None:
        """Take a request back that still waits, by its `seq`; None if it does not."""
        with self._changed:
            for place, (message, _) in enumerate(self._waiting):
                if isinstance(message, dict) and number_of(message) == seq:
                    self._out(place)
                    return message
        return None

    def _is_urgent(self, message: Message, commands: Collection[str]) -> bool:
        if not isinstance(message, dict):
            return isinstance(message, EndOfInput)
        command = message.get("command")
        if command not in commands:
            return False
        return command != CANCEL or _cancelled(message) in (None, self.answering)

    def _put(self, waiting: _Waiting) -> None:
        message = waiting.message
        with self._changed:
            while len(self._waiting) >= MOST_WAITING or self._bytes >= MOST_BYTES:
                self._changed.wait()
            if isinstance(message, dict) and message.get("command") == CANCEL:
                # What it is about may stand before it, and must still wait when it is read.
                self._waiting.appendleft(waiting)
            else:
                self._waiting.append(waiting)
            self._bytes += waiting.size
            self._changed.notify_all()

    def _out(self, place: int) -> Message:
        message, size = self._waiting[place]
        del self._waiting[place]
        self._bytes -= size
        self._changed.notify_all()
        return message


def number_of(request: Json) -> int:
    """The number that a request gives itself; 0 if it has none."""
    seq = request.get("seq")
    return seq if type(seq) is int else 0


def _decoded(body: bytes) -> Message:
    try:
        message = json.loads(body, parse_int=_integer, parse_float=_number)
    except (ValueError, RecursionError, MemoryError) as error:
        return Malformed(f"a message is JSON, found something else: {error}")
    if not isinstance(message, dict):
        return Malformed(f"a message is an object, found {type(message).__name__}")
    kind = message.get("type")
    if kind != "request":
        found = f"`{kind:.40}`" if isinstance(kind, str) else type(kind).__name__
        return Malformed(f"a message is of the type `request`, found {found}")
    return message


def _integer(text: str) -> int | float:
    """Of more digits than anybody needs, about how many there are."""
    return int(text) if len(text) <= _MOST_DIGITS else float(text)


def _number(text: str) -> int | float:
    """Some clients write whole numbers with a fraction."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < _LARGEST_EXACT else value


def _cancelled(message: Json) -> object:
    """The request that a cancellation names; None if it names none, 0 if it can be none."""
    arguments = message.get("arguments")
    request_id = arguments.get("requestId") if isinstance(arguments, dict) else None
    return request_id if request_id is None or type(request_id) is int else 0
