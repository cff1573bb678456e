"""Byte channels over standard streams, and messages: types, encoding, framing and plain texts."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any, Callable, Iterator

from ipu_asm.named_tuple import NamedTuple

Json = dict[str, Any]
"""A JSON object."""
MessageId = int | str
"""The id of a JSON-RPC request."""


def ascii_encoder(
    default: Callable[[object], Any] | None = None, *, allow_nan: bool = True
) -> Callable[[object], str]:
    """Return a function that encodes a value as compact JSON.

    The text is ASCII, so that a lone surrogate in a message can be sent. `default` converts values
    of types that JSON does not have.
    """
    return json.JSONEncoder(
        default=default, allow_nan=allow_nan, check_circular=False, separators=(",", ":")
    ).encode


def is_message_id(value: object) -> bool:
    """Return whether a value can be the ID of a request: an integer or a string, but no boolean."""
    return type(value) in (int, str)


_STANDARD_INPUT, _STANDARD_OUTPUT = 0, 1
_CHUNK = 1 << 16
_HEADER_END = b"\r\n\r\n"
_MAX_HEADER_LENGTH = 1 << 16
MAX_BODY_LENGTH = 1 << 28
"""Maximum size of a message in bytes. A larger announced length means a damaged header."""
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*(?:\r\n|$)", re.IGNORECASE)


class ClientDisconnectedError(BaseException):
    """The client does not read any more.

    A `BaseException`, so that no handler catches it as an error of its own.
    """


class Channel(NamedTuple):
    """A connection. `read` blocks for bytes, empty at the end of input; `write` sends all bytes.

    `write` raises `ClientDisconnectedError`.
    """

    read: Callable[[], bytes]
    write: Callable[[bytes], None]


def frame(body: bytes) -> bytes:
    """Return a message with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def bodies(read: Callable[[], bytes], longest: int = MAX_BODY_LENGTH) -> Iterator[bytes]:
    """Yield the bodies of all messages that `read` delivers, each of at most `longest` bytes.

    Bytes before the last length field of a damaged header are skipped, so that a wrong length costs
    that message and perhaps the next one, but not the connection.
    """
    received = bytearray()
    while True:
        searched = 0
        while (end := received.find(_HEADER_END, searched)) < 0:
            del received[:-_MAX_HEADER_LENGTH]
            searched = max(0, len(received) - len(_HEADER_END) + 1)
            if not (chunk := read()):
                return
            received += chunk
        start = end + len(_HEADER_END)
        length = _length(received, end)
        is_message = 0 <= length <= longest
        stop = start + length if is_message else start
        while len(received) < stop:
            if not (chunk := read()):
                return
            received += chunk
        if is_message:
            yield bytes(received[start:stop])
        del received[:stop]


def _length(received: bytearray, end: int) -> int:
    """Return the last length in a header; negative if there is none."""
    lengths = _LENGTH.findall(received, 0, end)
    return int(lengths[-1]) if lengths else -1


def over_stdio() -> Channel:
    """Return the channel to the parent process. From now on, `print` writes to standard error.

    Raises `OSError` if there is no standard output.
    """
    if sys.stderr is None:
        # The parent closed it. The descriptor must be occupied, or our pipe would get its number.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    target = os.dup(_STANDARD_OUTPUT)
    os.dup2(sys.stderr.fileno(), _STANDARD_OUTPUT)
    sys.stdout = sys.stderr

    def read() -> bytes:
        # Not `sys.stdin.buffer`: a thread blocked in it makes the interpreter abort at exit.
        try:
            return os.read(_STANDARD_INPUT, _CHUNK)
        except OSError:
            return b""

    def write(data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(target, view) :]
        except OSError as error:
            raise ClientDisconnectedError(str(error)) from error

    return Channel(read, write)


_QUOTED, _WORD = re.compile(r"`(`(?=`)|[^`\n]*)`"), re.compile(r"\w")
_TEXTS = frozenset(
    (
        "conditionDescription", "description", "detail", "format", "label", "message", "output",
        "reason", "result", "stackTrace", "text", "title", "value",
    )
)  # fmt: skip
"""The fields of the Debug Adapter Protocol that people read."""


def plain(text: str) -> str:
    """Return a text without the backticks around names.

    Quotes show blanks at the ends of a name, and names of punctuation marks alone.
    """
    return _QUOTED.sub(_unquoted, text) if "`" in text else text


def with_plain_texts(message: Any) -> Any:
    """Return a message of the Debug Adapter Protocol with plain texts for people."""
    if isinstance(message, dict):
        return {
            key: plain(value)
            if key in _TEXTS and isinstance(value, str)
            else with_plain_texts(value)
            for key, value in message.items()
        }
    if isinstance(message, list):
        return [with_plain_texts(each) for each in message]
    return message


def _unquoted(match: re.Match[str]) -> str:
    name = match[1]
    return name if name == name.strip() and _WORD.search(name) else f'"{name}"'
