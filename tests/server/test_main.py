"""The command itself: its arguments, its ways to talk, and how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Iterator

import pytest

from ipu_asm import __version__
from ipu_lsp.command import is_alive
from ipu_lsp.server.server import main
from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, INITIALIZE, PATIENCE_S, framed, opened
from tests.server.editor import SERVER

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
SHUTDOWN: Json = {"id": 99, "method": "shutdown"}
URI = "untitled:kernel.s"


def check_usage(arguments: list[str], status: int, *said: str) -> None:
    """The command ends at once with that status, and its words are among what it prints."""
    run = subprocess.run(
        [*SERVER, *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE_S
    )
    assert run.returncode == status
    assert "Traceback" not in run.stderr
    for words in said:
        assert words in run.stdout + run.stderr


@contextlib.contextmanager
def server(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A running server."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*SERVER, *arguments], env=ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[bytes], *messages: Json) -> None:
    """Say something to a server."""
    assert process.stdin is not None
    process.stdin.write(b"".join(map(framed, messages)))
    process.stdin.flush()


def message(stream: IO[bytes]) -> Json:
    """The next thing that a server says."""
    size = int(stream.readline().removeprefix(b"Content-Length: "))
    assert stream.readline() == b"\r\n"
    said: Json = json.loads(stream.read(size))
    return said


def test_version_is_the_projects() -> None:
    check_usage(["--version"], 0, f"ipu-lsp {__version__}")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pipe", "x"], "ipu-lsp: error: unknown option `--pipe` (see `ipu-lsp --help`)"),
        (["--stdio", "--tcp", "127.0.0.1:0"], "not allowed with"),
        (["--log-level", "l\nd"], "error, found `l␊d` (see `ipu-lsp --help`)"),
        (["--log-level", "loud"], "expected one of debug, info, warning, error, found `loud`"),
    ],
)
def test_wrong_usage_is_status_2(arguments: list[str], words: str) -> None:
    check_usage(arguments, 2, words)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("localhost", "an address is HOST:PORT, found `localhost`"),
        ("localhost:http", "an address is HOST:PORT"),
        ("[::1]:70000", "an address is HOST:PORT"),
    ],
)
def test_an_address_is_a_port_of_this_machine(
    address: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--tcp", address])
    assert end.value.code == 2
    assert words in capsys.readouterr().err


def test_a_port_that_is_taken_is_status_2() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        check_usage(["--tcp", f"127.0.0.1:{port}"], 2, "cannot be listened on")


def test_a_log_file_that_cannot_be_written_is_status_2(tmp_path: Path) -> None:
    message = f"the log file cannot be written: {tmp_path}: is a directory"
    check_usage(["--log-file", str(tmp_path)], 2, message)


def test_over_pipes_it_says_nothing_but_messages() -> None:
    with server("--stdio") as process:
        send(process, INITIALIZE, opened(URI, "nope;;"), SHUTDOWN, EXIT)
        output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert errors == b""
    assert output.count(b"Content-Length: ") == 3
    assert b'"code":"E101"' in output


def test_what_goes_wrong_is_logged_in_the_file_that_is_named(tmp_path: Path) -> None:
    log = tmp_path / "ipu.log"
    with server("--log-file", str(log), "--log-level", "info") as process:
        send(process, {"id": 1, "method": "textDocument/hover"}, EXIT)
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert errors == b""
    assert "the first request is `initialize`" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", ""])
def test_over_tcp_it_serves_one_client_and_ends(host: str) -> None:
    with server("--tcp", f"{host}:0") as process:
        assert process.stderr is not None
        announced = process.stderr.readline().decode()
        port = int(announced.removeprefix("listening on ").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
            for part in (INITIALIZE, SHUTDOWN, EXIT):
                connection.sendall(framed(part))
            stream = connection.makefile("rb")
            assert message(stream)["id"] == 0
            assert message(stream)["id"] == 99
            assert stream.read() == b""
        assert process.wait(PATIENCE_S) == 0


def test_a_tcp_client_that_vanishes_ends_the_server() -> None:
    with server("--tcp", "127.0.0.1:0") as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rpartition(b":")[2])
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
            connection.sendall(framed(INITIALIZE))
        assert process.wait(PATIENCE_S) == 1


def test_a_client_that_closes_both_pipes_ends_the_server_without_a_traceback() -> None:
    with server() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        send(process, INITIALIZE)
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 1
        assert process.stderr.read() == b""


def test_the_server_ends_with_the_process_that_it_is_told_to_watch() -> None:
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as parent, server() as process:
        params = {"capabilities": {}, "processId": parent.pid}
        send(process, {**INITIALIZE, "params": params})
        assert process.stdout is not None
        assert message(process.stdout)["id"] == 0
        time.sleep(0.2)
        assert process.poll() is None
        parent.communicate(b"\n")
        assert process.wait(PATIENCE_S) == 1


def test_processes_that_live_are_told_from_those_that_do_not() -> None:
    assert is_alive(os.getpid())
    assert is_alive(1)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    assert not is_alive(ended.pid)


def test_an_interrupt_ends_it_quietly() -> None:
    with server() as process:
        send(process, INITIALIZE)
        assert process.stdout is not None
        message(process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.parametrize(("closed", "status"), [("2>&-", 0), ("0<&-", 1), ("1>&-", 2)])
def test_a_standard_stream_may_be_closed(closed: str, status: int) -> None:
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *SERVER]
    said = b"".join(map(framed, (INITIALIZE, SHUTDOWN, EXIT)))
    run = subprocess.run(
        command, input=said, capture_output=True, env=ENVIRONMENT, timeout=PATIENCE_S
    )
    assert run.returncode == status
    assert b"Traceback" not in run.stderr
    assert run.stdout.count(b"Content-Length: ") == (2 if status == 0 else 0)


def test_prints_of_others_cannot_break_the_messages() -> None:
    """What is printed on standard output goes to standard error, even from below Python."""
    script = (
        "import os, sys\n"
        "from ipu_lsp import transport\n"
        "channel = transport.over_stdio()\n"
        "print('from python', flush=True)\n"
        "os.system('echo from a child')\n"
        "channel.write(transport.frame(b'{}'))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=ENVIRONMENT, timeout=PATIENCE_S
    )
    assert run.stdout == b"Content-Length: 2\r\n\r\n{}"
    assert b"from python" in run.stderr
    assert b"from a child" in run.stderr


def test_a_client_that_reads_late_loses_nothing() -> None:
    """More than a pipe holds, in both directions, while nobody reads."""
    texts = "\n".join(f"nope{n};;" for n in range(400))
    count = 60
    with server() as process:
        assert process.stdin is not None
        documents = [opened(f"untitled:{n}", texts) for n in range(count)]
        send(process, INITIALIZE, *documents, SHUTDOWN, EXIT)
        output, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert output.count(b"publishDiagnostics") == count
