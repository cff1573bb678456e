"""The command itself: its arguments, and what it loads."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ipu_asm import __version__
from ipu_lsp.debug_adapter.__main__ import main
from tests.debug_adapter.client import DapClient, framed
from tests.debug_adapter.conftest import Connect
from tests.debug_adapter.wires import ADAPTER, PATIENCE_S, ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
HELLO = framed({"seq": 1, "type": "request", "command": "initialize", "arguments": {}})
BYE = framed({"seq": 2, "type": "request", "command": "disconnect"})


def run(
    *arguments: str, given: bytes = b"", command: list[str] = ADAPTER
) -> subprocess.CompletedProcess[bytes]:
    """The command, after it has read this and ended."""
    return subprocess.run(
        [*command, *arguments],
        input=given,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=PATIENCE_S,
    )


def check_usage(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The arguments are wrong, and standard error says why in these words."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.splitlines()[-1].startswith("ipu-dap: error: ")
    assert "usage: " not in said.err
    assert said.out == ""


def test_version_is_the_projects(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"ipu-dap {__version__}\n"


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    said = capsys.readouterr().out
    options = ("--stdio", "--tcp HOST:PORT", "--version", "--log-file", "--log-level")
    assert [option for option in options if option not in said] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pipe", "x"], "unknown option `--pipe`"),
        (["kernel.s"], "unexpected argument `kernel.s`"),
        (["--stdio", "--tcp", "127.0.0.1:0"], "not allowed with"),
        (["--tcp"], "expected HOST:PORT after it, found no value"),
        (["--log-level", "loud"], "expected one of debug, info, warning, error, found `loud`"),
        (["--tcp", "localhost"], "an address is HOST:PORT, found `localhost`"),
        (["--tcp", "localhost:http"], "an address is HOST:PORT"),
        (["--tcp", "127.0.0.1:65536"], "an address is HOST:PORT"),
        (["--tcp", "127.0.0.1:-1"], "an address is HOST:PORT"),
        (["--tcp", "127.0.0.1:\u0661"], "an address is HOST:PORT"),
        (["--tcp", "192.0.2.1:0", "--allow-remote"], "192.0.2.1:0 cannot be listened on"),
    ],
)
def test_wrong_usage_is_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check_usage(arguments, words, capsys)


def test_a_port_that_is_taken_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        check_usage(["--tcp", address], f"{address} cannot be listened on", capsys)


@pytest.mark.parametrize("arguments", [[], ["--stdio"]])
def test_over_pipes_it_prints_nothing_but_messages(arguments: list[str]) -> None:
    done = run(*arguments, given=HELLO + b"garbage\r\n\r\n" + BYE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"Content-Length: ")
    assert done.stdout.count(b"Content-Length: ") == 2
    assert done.stdout.endswith(b'"command":"disconnect"}')


def test_the_script_runs_the_same(tmp_path: Path) -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    module, _, name = scripts["ipu-dap"].partition(":")
    script = f"import sys; from {module} import {name}; sys.exit({name}())"
    log = tmp_path / "ipu.log"
    done = run(
        *("--log-file", str(log), "--log-level", "info"),
        given=HELLO,
        command=[sys.executable, "-c", script],
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "the client has disconnected" in log.read_text("utf-8")


def test_a_log_file_that_cannot_be_written_is_status_2(tmp_path: Path) -> None:
    done = run("--log-file", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"the log file cannot be written" in done.stderr


@pytest.mark.parametrize(("closed", "status"), [("2>&-", 0), ("0<&-", 0), ("1>&-", 2)])
def test_a_standard_stream_may_be_closed(closed: str, status: int) -> None:
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *ADAPTER]
    done = run(given=HELLO + BYE, command=command)
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
    assert done.stdout.count(b"Content-Length: ") == (2 if closed == "2>&-" else 0)


def test_over_tcp_it_serves_one_client_on_any_free_port(connect: Connect) -> None:
    client: DapClient = connect("tcp")
    client.initialize()
    client.request("disconnect")
    assert client.close() == 0
    said = client.wire.complaints()
    assert said.startswith("listening on 127.0.0.1:")
    assert said.count("\n") == 1
