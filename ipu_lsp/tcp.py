"""One client over a TCP socket, accepted only after a valid header.

Any web page can make a browser connect to this machine and send a request whose body is a valid
message of ours, and port scanners send arbitrary bytes. So a connection only counts as a client
after a complete header that consists of nothing but our protocols' fields: a browser's request
always starts with a request line. Other connections are closed, and the next may be the client.
"""

from __future__ import annotations

import re
import selectors
import socket
from typing import Any, Callable, Final

from ipu_lsp.transport import Channel, ClientDisconnectedError

_CHUNK: Final = 1 << 16
_MAX_HEADER_LENGTH: Final = 1 << 12
_MAX_PENDING_CONNECTIONS: Final = 32
"""Maximum number of open connections that have not sent a header yet."""
_LINE_END: Final = b"\r\n"
_FIELD: Final = re.compile(rb"content-(?:length|type)[ \t]*:[\t -~]*", re.IGNORECASE)
_LENGTH: Final = re.compile(rb"content-length[ \t]*:[ \t]*\d{1,15}[ \t]*", re.IGNORECASE)


def over_tcp(host: str, port: int, announce: Callable[[str], None]) -> Channel:
    """Return the channel of the first client; `announce` gets the address once the socket listens.

    Raises `OSError` if the address cannot be listened on.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    with socket.create_server((host, port), family=family) as listener:
        name, number = listener.getsockname()[:2]
        announce(f"[{name}]:{number}" if ":" in name else f"{name}:{number}")
        connection, received = _first_client(listener)
    connection.setblocking(True)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return _channel(connection, received)


def is_header(received: bytes) -> bool | None:
    """Return whether bytes start with a header of our protocols; None if more bytes are needed."""
    *lines, _ = received.split(_LINE_END)
    has_length = False
    for line in lines:
        if not line:
            return has_length
        if not _FIELD.fullmatch(line):
            return False
        has_length = has_length or _LENGTH.fullmatch(line) is not None
    return None if len(received) < _MAX_HEADER_LENGTH else False


def _first_client(listener: socket.socket) -> tuple[socket.socket, bytes]:
    """Return the first connection with a header, and its bytes so far. All others are closed."""
    listener.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        candidates = _Candidates(selector)
        try:
            while True:
                for key, _ in selector.select():
                    if key.fileobj is listener:
                        candidates.admit(listener)
                    elif candidates.hear(key.fileobj):
                        return candidates.chosen(key.fileobj)
        finally:
            candidates.close()


class _Candidates:
    """Connections that have not sent a complete header yet, with their bytes so far."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        self._received: dict[Any, bytes] = {}

    def admit(self, listener: socket.socket) -> None:
        """Accept a connection; if there are too many, close the oldest."""
        try:
            connection, _ = listener.accept()
        except OSError:  # closed before it was accepted
            return
        if len(self._received) >= _MAX_PENDING_CONNECTIONS:
            self._drop(next(iter(self._received)))
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ)
        self._received[connection] = b""

    def hear(self, connection: Any) -> bool:
        """Read from a connection; return whether its header is complete. Close it if invalid."""
        if connection not in self._received:
            return False  # closed in the meantime
        try:
            data = connection.recv(_MAX_HEADER_LENGTH)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        self._received[connection] += data
        verdict = is_header(self._received[connection]) if data else False
        if verdict is False:
            self._drop(connection)
        return bool(verdict)

    def chosen(self, connection: Any) -> tuple[socket.socket, bytes]:
        """Return a connection, with its bytes so far."""
        return connection, self._received.pop(connection)

    def close(self) -> None:
        """Close all remaining connections."""
        for connection in self._received:
            connection.close()

    def _drop(self, connection: Any) -> None:
        self._selector.unregister(connection)
        del self._received[connection]
        connection.close()


def _channel(connection: socket.socket, received: bytes) -> Channel:
    """Return the channel of a connection; `received` was read from it already."""
    ahead = [received]

    def read() -> bytes:
        try:
            return ahead.pop() if ahead else connection.recv(_CHUNK)
        except OSError:
            return b""

    def write(data: bytes) -> None:
        try:
            connection.sendall(data)
        except OSError as error:
            raise ClientDisconnectedError(str(error)) from error

    return Channel(read, write)
