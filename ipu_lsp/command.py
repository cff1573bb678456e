"""The command line of both servers: transport, logging and exit status; end with the client.

Over TCP, one client is accepted, and only after a valid header. Any web page can make a browser
connect to this machine and send a request whose body is a valid message of ours, and port scanners
send arbitrary bytes. So a connection only counts as a client after a complete header that consists
of nothing but our protocols' fields: a browser's request always starts with a request line. Other
connections are closed, and the next may be the client.
"""

from __future__ import annotations

import argparse
import gc
import ipaddress
import logging
import os
import re
import selectors
import socket
import sys
import threading
import time
from functools import partial
from typing import Any, Callable, Final, NoReturn, Sequence

from ipu_asm import __version__
from ipu_asm.diagnostics.command_line import CommandLineParser
from ipu_asm.emulator.interrupts import Interrupts
from ipu_lsp.transport import Channel, ClientDisconnectedError, over_stdio

_LEVELS = ("debug", "info", "warning", "error")
_FORMAT = "%(asctime)s %(levelname)s %(message)s"
_EPILOG = """\
Editors start it; a person does so to see its log, or to let an editor connect.

examples:
  {0}                          serve the editor that has started it
  {0} --log-file log.txt --log-level debug
  {0} --tcp 127.0.0.1:4567     wait for one client on this port
  {0} --tcp 127.0.0.1:0        choose a free port, and print it

exit status:
  0    the client has ended the session
  1    ipu-lsp alone: the client has left without the request `shutdown`
  2    wrong usage, or an address that cannot be used
  130  interrupted by Ctrl-C
"""


class _Parser(CommandLineParser):
    """A parser with one-line messages about wrong usage."""

    def error(self, message: str) -> NoReturn:
        from ipu_asm.diagnostics.rendering import printable  # for wrong usage alone

        shown = printable(message)
        self.exit(2, f"{self.prog}: error: {shown} (see `{self.prog} --help`)\n")


class ServerCommand:
    """The command line of a server."""

    def __init__(self, program: str, description: str) -> None:
        self.program = program
        self.parser = _Parser(prog=program, description=description, epilog=_EPILOG.format(program))
        self._add_arguments()

    def run(
        self, arguments: Sequence[str] | None, load: Callable[[], Callable[[Channel], int]]
    ) -> int:
        """Serve one client with the function that `load` returns; return its exit status.

        `load` is called after the arguments are parsed, because it takes most of the start-up time.
        Wrong usage exits with status 2, an interrupt returns 130.
        """
        try:
            self._complete()
            options = self.parser.all_known(*self.parser.parse_known_args(arguments))
            self._check_address(options)
            self._start_log(options)
            with Interrupts():
                # What is loaded lives until the end. To look for garbage meanwhile takes 7 % of the
                # start. Frozen, a full collection takes under 0.1 ms instead of 49 ms (language
                # server) or 13 ms (debug adapter).
                gc.disable()
                serve = load()
                gc.freeze()
                gc.enable()
                return serve(self._connect(options))
        except KeyboardInterrupt:
            return 130

    def _complete(self) -> None:
        """Answer a shell that asks for completions, and exit."""
        if "_ARGCOMPLETE" in os.environ:
            import argcomplete

            argcomplete.autocomplete(self.parser)

    def _add_arguments(self) -> None:
        way = self.parser.add_mutually_exclusive_group()
        way.add_argument(
            "--stdio", action="store_true", help="use standard input and output (default)"
        )
        way.add_argument(
            "--tcp",
            metavar="HOST:PORT",
            type=_address,
            help="wait for one client on a loopback address; port 0 means any free port",
        )
        add = self.parser.add_argument
        add(
            "--allow-remote",
            action="store_true",
            help="with --tcp: allow other addresses. Anyone who can connect can read and write "
            "your files: there is no encryption and no password",
        )
        add("--version", action="version", version=f"{self.program} {__version__}")
        add("--log-file", metavar="FILE", help="write the log to FILE (default: standard error)")
        add(
            "--log-level",
            choices=_LEVELS,
            default="warning",
            help="the lowest level to log (default: %(default)s)",
        )

    def _connect(self, options: argparse.Namespace) -> Channel:
        connect: Callable[[], Channel]
        if options.tcp is None:
            connect, what = over_stdio, "standard output cannot be used"
        else:
            host, port = options.tcp
            connect = partial(over_tcp, host, port, _announce)
            what = f"{host}:{port} cannot be listened on"
        try:
            return connect()
        except OSError as error:
            self.parser.error(f"{what}: {error}")

    def _check_address(self, options: argparse.Namespace) -> None:
        """Reject non-loopback addresses without `--allow-remote`: any client can read files."""
        if options.tcp is None:
            if options.allow_remote:
                self.parser.error("--allow-remote is for --tcp, found none")
            return
        host, _ = options.tcp
        if host == "localhost" or _is_loopback(host):
            return
        if not options.allow_remote:
            self.parser.error(
                f"HOST is a loopback address, found `{host}`; --allow-remote takes any"
            )
        print(f"{self.program}: warning: others can connect to {host}", file=sys.stderr)

    def _start_log(self, options: argparse.Namespace) -> None:
        """Configure logging: all our messages of the level, but only errors of libraries."""
        file = options.log_file
        try:
            handler = (
                logging.FileHandler(file, encoding="utf-8", errors="replace") if file else None
            )
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            self.parser.error(f"the log file cannot be written: {file}: {reason}")
        logging.basicConfig(
            handlers=[handler or logging.StreamHandler(sys.stderr)],
            format=_FORMAT,
            level=logging.ERROR,
            force=True,
        )
        logging.getLogger("ipu_lsp").setLevel(options.log_level.upper())


def _address(text: str) -> tuple[str, int]:
    """Parse `HOST:PORT`."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not (port.isascii() and port.isdecimal() and len(port) < 6) or int(port) > 65_535:
        raise argparse.ArgumentTypeError(f"an address is HOST:PORT, found `{text}`")
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _announce(address: str) -> None:
    print(f"listening on {address}", file=sys.stderr, flush=True)


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


SECONDS_BETWEEN_LOOKS: Final = 1.0
"""Seconds between two checks whether the client's process is alive."""


def watch_process(pid: int, when_gone: Callable[[], None]) -> None:
    """Start a thread that calls `when_gone` after the process `pid` has ended."""

    def watch() -> None:
        while is_alive(pid):
            time.sleep(SECONDS_BETWEEN_LOOKS)
        when_gone()

    threading.Thread(target=watch, name="watchdog", daemon=True).start()


def end_in(seconds: float) -> None:
    """End this process with status 0 after some seconds, unless it has ended before.

    Blocks the calling thread.
    """
    time.sleep(seconds)
    os._exit(0)


def is_alive(pid: int) -> bool:
    """Return whether a process exists."""
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        # A process of another user, or an ID that this system cannot check.
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    """Check on Windows, where `os.kill` would terminate the process."""
    import ctypes

    synchronize, still_running = 0x0010_0000, 0x102
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == still_running)
    finally:
        kernel.CloseHandle(handle)
