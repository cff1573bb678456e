"""Over TCP, whoever speaks the protocol is the client; browsers and port scanners are not."""

from __future__ import annotations

import contextlib
import socket
import struct
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_lsp.command import is_header, over_tcp
from ipu_lsp.transport import Channel, frame
from tests.server.conversation import PATIENCE_S
from tests.server.test_main import ENVIRONMENT

HELLO = frame(b'{"jsonrpc":"2.0","id":1,"method":"nope","params":{}}')
LENGTH = b"Content-Length: %d\r\n" % len(HELLO)
MODULES = ["ipu_lsp", "ipu_lsp.debug_adapter"]
# Each with a whole message of ours after it.
STRANGERS = {
    "nothing": b"",
    "garbage": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "blank lines": b"\r\n\r\n",
    "a browser": b"POST / HTTP/1.1\r\nHost: localhost\r\n" + LENGTH + b"\r\n",
    "a method in lower case": b"post / HTTP/1.1\r\n" + LENGTH + b"\r\n",
    "a method of its own": b"content-length /:5 HTTP/1.1\r\n\r\n",
    "a host after the length": LENGTH + b"Host: localhost\r\n\r\n",
    "an origin after the length": LENGTH + b"origin: https://evil.example\r\n\r\n",
    "a request line after the length": LENGTH + b"GET / HTTP/1.1\r\n\r\n",
    "no length": b"Content-Type: application/vscode-jsonrpc\r\n\r\n",
    "a length that is none": b"Content-Length: x\r\n\r\n",
    "a header without an end": b"Content-Type: x\r\n" * 300,
    "a line without an end": b"x" * 5_000,
}


@contextlib.contextmanager
def listening() -> Iterator[tuple[int, Future[Channel]]]:
    """A port at which somebody is waited for, and the channel to come."""
    port: Future[int] = Future()
    with ThreadPoolExecutor(1) as pool:
        channel = pool.submit(
            over_tcp, "127.0.0.1", 0, lambda address: port.set_result(int(address.split(":")[1]))
        )
        number = port.result(PATIENCE_S)
        try:
            yield number, channel
        finally:
            with contextlib.suppress(OSError), connected(number) as last:
                last.sendall(HELLO)  # lets it go, if the test has not


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE_S)


def check_turned_away(connection: socket.socket) -> None:
    """The other end is closed, and nothing was said."""
    with contextlib.suppress(ConnectionResetError):
        assert connection.recv(1) == b""


def check_serves(port: int, channel: Future[Channel]) -> None:
    """The next connection that speaks the protocol is the client."""
    with connected(port) as client:
        client.sendall(HELLO)
        read, write = channel.result(PATIENCE_S)
        assert read() == HELLO
        write(b"hello")
        assert client.recv(5) == b"hello"


@pytest.mark.parametrize("said", STRANGERS.values(), ids=STRANGERS)
def test_a_stranger_is_turned_away_and_the_next_one_is_served(said: bytes) -> None:
    with listening() as (port, channel):
        with connected(port) as stranger:
            with contextlib.suppress(OSError):  # turned away before it has said all
                stranger.sendall(said + HELLO if said else b"")
                stranger.shutdown(socket.SHUT_WR)
            check_turned_away(stranger)
        assert not channel.done()
        check_serves(port, channel)


def test_a_stranger_is_known_when_its_words_come_in_pieces() -> None:
    with listening() as (port, channel), connected(port) as stranger:
        for piece in b"PO", b"ST", b" / HT", b"TP/1.1", b"\r", b"\n":
            stranger.sendall(piece)
        check_turned_away(stranger)
        check_serves(port, channel)


def test_a_client_may_speak_in_pieces() -> None:
    with listening() as (port, channel), connected(port) as client:
        received = b""
        for byte in HELLO:
            client.sendall(bytes([byte]))
        read = channel.result(PATIENCE_S).read
        while len(received) < len(HELLO):
            received += read()
        assert received == HELLO


def test_a_scan_that_breaks_off_is_passed_over() -> None:
    with listening() as (port, channel):
        for _ in range(5):
            with connected(port) as scanner:
                linger = struct.pack("ii", 1, 0)
                scanner.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        check_serves(port, channel)


def test_connections_that_say_nothing_hold_nobody_up() -> None:
    with contextlib.ExitStack() as stack, listening() as (port, channel):
        silent = [stack.enter_context(connected(port)) for _ in range(40)]
        check_serves(port, channel)
        for connection in silent:
            check_turned_away(connection)


@given(st.integers(0, len(LENGTH) + 1), st.sampled_from([b"", b"content-type:x\r\n"]))
def test_a_header_is_not_judged_before_it_is_whole(size: int, more: bytes) -> None:
    header = LENGTH.lower() + more + b"\r\n"
    assert is_header(header[:size]) is None
    assert is_header(header) is True
    assert is_header(header + b"GET / HTTP/1.1\r\n\r\n") is True


@pytest.mark.parametrize("module", MODULES)
def test_a_process_outlives_a_port_scan(module: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", module, "--tcp", "127.0.0.1:0"],
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rpartition(b":")[2])
        connected(port).close()
        with connected(port) as browser:
            browser.sendall(b"get / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            check_turned_away(browser)
        assert process.poll() is None
        with connected(port) as client:
            client.sendall(HELLO)
            client.shutdown(socket.SHUT_WR)
            assert process.wait(PATIENCE_S) in (0, 1)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--tcp", "0.0.0.0:0"], "HOST is a loopback address, found `0.0.0.0`; --allow-remote"),
        (["--tcp", "[::]:0"], "HOST is a loopback address, found `::`"),
        (["--tcp", "example.org:80"], "HOST is a loopback address, found `example.org`"),
        (["--allow-remote"], "--allow-remote is for --tcp"),
        (["--allow-remote", "--tcp", "192.0.2.1:0"], "warning: others can connect to 192.0.2.1"),
    ],
)
def test_others_may_connect_only_where_that_is_asked_for(
    module: str, arguments: list[str], words: str
) -> None:
    run = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 2
    assert words in run.stderr
