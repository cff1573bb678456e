"""However a client leaves, and whatever the adapter is doing then, no process stays behind."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Iterator

import pytest

from ipu_lsp.transport import Json
from tests.debug_adapter import wires
from tests.debug_adapter.client import ABOUT_US, THREAD, DapClient, framed
from tests.debug_adapter.programs import ENDLESS, LOOP
from tests.debug_adapter.wires import ADAPTER, PATIENCE_S, ROOT, StdioWire, TcpWire

HASTY = (
    "import sys\n"
    "from ipu_lsp.debug_adapter import __main__ as main\n"
    "main.GRACE_S = 0.3\n"
    "sys.exit(main.main())\n"
)
"""The adapter, giving itself less time to end."""
STUCK = (
    "import time\n"
    "from ipu_lsp.debug_adapter.requests import load_all\n"
    "from ipu_lsp.debug_adapter.requests import REQUESTS\n"
    "load_all()\n"
    "never = lambda session: time.sleep(1_000)\n"
    "REQUESTS['threads'] = REQUESTS['threads']._replace(handler=never)\n"
)
"""A mistake of ours, in front of it."""
FOSTER_PARENT = """\
import subprocess, sys, time
said, *command = sys.argv[1:]
child = subprocess.Popen(
    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=2, pass_fds=[2]
)
child.stdin.write(open(said, "rb").read())
child.stdin.flush()
while b"process" not in child.stdout.read1():
    pass
print("running", flush=True)
time.sleep(1000)
"""
"""A client that starts an adapter, lets it run, and waits to be killed."""

Wires = Callable[..., DapClient]


@pytest.fixture
def over(tmp_path: Path) -> Iterator[Wires]:
    """Makes clients of processes of their own; none is left when the test has ended."""
    clients: list[tuple[DapClient, StdioWire]] = []

    def made(wire: type[StdioWire] = StdioWire) -> DapClient:
        folder = tmp_path / f"client{len(clients)}"
        folder.mkdir()
        connection = wire(folder)
        clients.append((DapClient(connection, folder), connection))
        return clients[-1][0]

    yield made
    left = [wire for _, wire in clients if wire.process.poll() is None]
    for wire in left:
        wire.process.kill()
        wire.process.wait()
    assert left == []


def wire_of(client: DapClient) -> StdioWire:
    assert isinstance(client.wire, StdioWire)
    return client.wire


def running(client: DapClient) -> DapClient:
    """A client whose program runs for ever."""
    client.start(ENDLESS)
    client.expect_event("process")
    return client


def check_end(client: DapClient, status: int = 0) -> None:
    """The process ends by itself, soon and without complaints."""
    wire = wire_of(client)
    assert wire.wait() == status
    said = wire.complaints()
    assert "Traceback" not in said
    assert "failed" not in said


def session(program: Path) -> bytes:
    """What a client says until its program runs."""
    messages: list[Json] = [
        {"command": "initialize", "arguments": ABOUT_US},
        {"command": "launch", "arguments": {"program": str(program)}},
        {"command": "configurationDone"},
    ]
    return b"".join(
        framed({"seq": seq, "type": "request", **message})
        for seq, message in enumerate(messages, 1)
    )


def adapter() -> subprocess.Popen[bytes]:
    """An adapter that talks over pipes which are ours."""
    return subprocess.Popen(
        ADAPTER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("wire", [StdioWire, TcpWire])
def test_a_client_may_hang_up_while_the_machine_runs(wire: type[StdioWire], over: Wires) -> None:
    client = running(over(wire))
    client.wire.hang_up()
    check_end(client)


def test_a_client_may_be_killed(tmp_path: Path) -> None:
    program, said = tmp_path / "endless.s", tmp_path / "said"
    program.write_text(ENDLESS, encoding="utf-8")
    said.write_bytes(session(program))
    alive, theirs = os.pipe()  # nothing can be read until the last process that has it ends
    with subprocess.Popen(
        [sys.executable, "-c", FOSTER_PARENT, str(said), *ADAPTER],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as parent:
        os.close(theirs)
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"running\n"
        assert select.select([alive], [], [], 0)[0] == []
        parent.kill()
    assert select.select([alive], [], [], PATIENCE_S)[0] == [alive]
    assert os.read(alive, 1000) == b""
    os.close(alive)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", [ENDLESS, LOOP], ids=["running", "waiting"])
def test_signals_end_it_quietly(number: signal.Signals, program: str, over: Wires) -> None:
    client = over()
    client.start(program)
    client.expect_event("process")
    wire_of(client).process.send_signal(number)
    check_end(client, 130 if number == signal.SIGINT else -signal.SIGTERM)


def test_a_client_that_no_longer_reads_is_gone() -> None:
    with adapter() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(session(Path("nowhere.s")))
        process.stdin.flush()
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == b""


def connection_of(client: DapClient) -> socket.socket:
    assert isinstance(client.wire, TcpWire)
    return client.wire._socket


def test_a_connection_may_be_reset(over: Wires) -> None:
    client = running(over(TcpWire))
    connection = connection_of(client)
    # Closing does not say good-bye but resets, once nobody waits in it.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.shutdown(socket.SHUT_RD)
    connection.close()
    check_end(client)


def test_a_connection_may_be_closed_on_one_side(over: Wires) -> None:
    client = running(over(TcpWire))
    connection_of(client).shutdown(socket.SHUT_WR)
    check_end(client)


def test_a_web_page_cannot_speak_to_it(tmp_path: Path) -> None:
    """A page may send what it likes to any port, but only after a header of the browser's."""
    wire, target, program = TcpWire(tmp_path), tmp_path / "written", tmp_path / "kernel.s"
    program.write_text("bkpt;;", encoding="utf-8")
    dump = {"file": str(target), "address": 0, "length": 4}
    launch = {"program": str(program), "dump": [dump], "stopOnHalt": False}
    said = b"".join(
        framed({"seq": seq, "type": "request", "command": command, "arguments": arguments})
        for seq, (command, arguments) in enumerate(
            {"initialize": ABOUT_US, "launch": launch, "configurationDone": {}}.items(), 1
        )
    )
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
    try:
        wire.write(head + b"Content-Length: %d\r\n\r\n" % len(said) + b"\r\n\r\n" + said)
        assert wire.read() == b""
        assert wire.process.poll() is None  # it waits for its client
    finally:
        wire.process.kill()
        wire.hang_up()
        wire.wait()
    assert not target.exists()


def test_a_client_that_does_not_read_can_still_hang_up(
    over: Wires, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(wires, "ADAPTER", [sys.executable, "-c", HASTY])
    wire = StdioWire(tmp_path)
    program = tmp_path / "endless.s"
    program.write_text(ENDLESS, encoding="utf-8")
    source = {"path": str(program)}
    log = {"source": source, "breakpoints": [{"line": 2, "logMessage": "{lr1} " * 50}]}
    wire.write(session(program))
    wire.write(framed({"seq": 9, "type": "request", "command": "setBreakpoints", "arguments": log}))
    time.sleep(0.7)
    assert wire.process.poll() is None
    wire.hang_up()
    assert wire.wait() == 0


def test_what_would_never_end_ends_with_the_client(
    over: Wires, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wires, "ADAPTER", [sys.executable, "-c", STUCK + HASTY])
    client = over()
    client.initialize()
    client.send("threads")
    client.send("disconnect")
    client.wire.hang_up()
    check_end(client)


def test_a_client_need_not_read_standard_error() -> None:
    nonsense = framed([]) + framed({"type": "event"}) + b"Content-Length: x\r\n\r\n"
    hello = {"seq": 1, "type": "request", "command": "initialize", "arguments": ABOUT_US}
    with adapter() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(nonsense * 3_000 + framed(hello))
        process.stdin.flush()
        header = process.stdout.readline()
        assert header.startswith(b"Content-Length: ")
        assert process.stdout.readline() == b"\r\n"
        body = json.loads(process.stdout.read(int(header.split()[1])))
        assert body["command"] == "initialize"
        process.stdin.close()
        process.stdout.close()
        assert process.wait(PATIENCE_S) == 0


def test_it_starts_no_process_of_its_own(over: Wires) -> None:
    client = over()
    client.start(LOOP)
    client.stopped()
    children = Path(f"/proc/{wire_of(client).process.pid}/task")
    if children.is_dir():
        found = [(task / "children").read_text() for task in children.iterdir()]
        assert found == [""] * len(found)
    client.request("continue", threadId=THREAD)
    assert client.ended() == 0
    assert client.close() == 0
