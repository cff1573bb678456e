"""Bytes to and from one client, and the frames that they are sent in."""

from __future__ import annotations

import os
import re
import sys
from typing import Callable, Iterator, NamedTuple

_STANDARD_INPUT, _STANDARD_OUTPUT = 0, 1
_CHUNK = 1 << 16
_HEADER_END = b"\r\n\r\n"
_LONGEST_HEADER = 1 << 16
LONGEST = 1 << 28
"""How many bytes a message may have. Who announces more has damaged the header."""
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*(?:\r\n|$)", re.IGNORECASE)


class ClientDisconnectedError(BaseException):
    """Nobody reads what we write any more. No handler may take this for a failure of its own."""


class Channel(NamedTuple):
    """A connection: `read` waits for some bytes, none at its end; `write` sends all it is given.

    `write` raises `ClientDisconnectedError`.
    """

    read: Callable[[], bytes]
    write: Callable[[bytes], None]


def frame(body: bytes) -> bytes:
    """A message as it is sent."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def bodies(read: Callable[[], bytes], longest: int = LONGEST) -> Iterator[bytes]:
    """The bodies of all messages that `read` delivers, each of at most `longest` bytes.

    What stands before the last length of a damaged header is passed over, so that one wrong length
    costs that message and perhaps the next one, not the connection.
    """
    received = bytearray()
    while True:
        searched = 0
        while (end := received.find(_HEADER_END, searched)) < 0:
            del received[:-_LONGEST_HEADER]
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
    """The last length that a header announces; negative if it announces none."""
    lengths = _LENGTH.findall(received, 0, end)
    return int(lengths[-1]) if lengths else -1


def over_stdio() -> Channel:
    """The client that started us. From here on, everything printed goes to standard error.

    Raises `OSError` if there is no standard output.
    """
    if sys.stderr is None:
        # Closed by who started us. Something must be there, or our own pipe gets its number.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    target = os.dup(_STANDARD_OUTPUT)
    os.dup2(sys.stderr.fileno(), _STANDARD_OUTPUT)
    sys.stdout = sys.stderr

    def read() -> bytes:
        # Not `sys.stdin.buffer`: a thread that waits in it makes the interpreter abort at exit.
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
