"""The inbox of the debug adapter, which the machine polls between bundles."""

from __future__ import annotations

from typing import Callable, Collection, Final

from ipu_lsp.inbox import EndOfInput, Inbox, MalformedMessage, Message, QueuedMessage, decode_object
from ipu_lsp.json_types import Json

CANCEL: Final = "cancel"
_MAX_DIGITS: Final = 40
_LARGEST_EXACT: Final = 1 << 53


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
        """Make `wait` check its condition again."""
        with self._changed:
            self._changed.notify_all()

    def withdraw(self, seq: int) -> Json | None:
        """Remove the waiting request with that `seq`; None if it does not wait."""
        with self._changed:
            for index, (message, _) in enumerate(self._waiting):
                if isinstance(message, dict) and number_of(message) == seq:
                    self.remove(index)
                    return message
        return None

    def decode(self, body: bytes) -> Message:
        """Decode the request in a message body."""
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
    return int(value) if value.is_integer() and abs(value) < _LARGEST_EXACT else value


def _cancelled(message: Json) -> object:
    """Return the `seq` that a `cancel` names; None if it names none, 0 if it is invalid."""
    arguments = message.get("arguments")
    request_id = arguments.get("requestId") if isinstance(arguments, dict) else None
    return request_id if request_id is None or type(request_id) is int else 0
