"""When the server loads the modules of its handlers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from ipu_lsp.server.server import LspServer
from ipu_lsp.transport import Json
from tests.server.conversation import INITIALIZE, PATIENCE_S, asked, opened

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

# A conversation with one document, up to its findings. It ends when `is_over`.
_CONVERSATION = """
import sys, time
from ipu_lsp.server.server import FEATURES
from ipu_lsp.server.server import LspServer
from ipu_lsp.transport import Channel
from tests.server.conversation import EXIT, INITIALIZE, framed

HANDLERS = {feature.module for feature in FEATURES}
sent = bytearray()

def read():
    if first:
        return first.pop()
    end = time.monotonic() + PATIENCE_S
    while not is_over():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)
    return b""

first = [b"".join(map(framed, [INITIALIZE, {"method": "initialized", "params": {}}, OPENED]))]
LspServer().serve(Channel(read, sent.extend))
"""


def check_loading(is_over: str, expected: str) -> None:
    """Whether `expected` is true, in a process of its own, when the conversation has ended."""
    document = opened("untitled:kernel.s", "set lr0 5;;")
    script = (
        f"OPENED, PATIENCE_S = {document!r}, {PATIENCE_S}\n"
        f"is_over = lambda: {is_over}\n{_CONVERSATION}\nassert {expected}, sorted(sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=2 * PATIENCE_S,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_findings_do_not_wait_for_features_that_nobody_has_used() -> None:
    unused = {
        f"ipu_lsp.server.handlers.{name}" for name in ("completion", "code_actions", "rename")
    }
    check_loading("b'publishDiagnostics' in sent", f"not {unused} & set(sys.modules)")


def test_a_server_at_rest_has_loaded_every_handler_and_no_numpy() -> None:
    check_loading("HANDLERS <= set(sys.modules)", "'numpy' not in sys.modules")


def test_a_host_without_threads_feeds_messages_and_pumps_until_nothing_is_left() -> None:
    said: list[Json] = []
    server, threads = LspServer(), threading.active_count()
    server.protocol.write = lambda data: said.append(json.loads(data.partition(b"\r\n\r\n")[2]))
    assert not server.protocol.is_initialized
    uri = "untitled:kernel.s"
    for message in (
        INITIALIZE,
        {"method": "initialized", "params": {}},
        opened(uri, "set lr0 5;;\nacc.frist;;"),
        asked(1, "hover", uri, position={"line": 0, "character": 1}),
    ):
        server.feed(json.dumps({"jsonrpc": "2.0", **message}).encode())
    pumped = 0
    while server.pump():
        pumped += 1
        assert pumped < 100
    assert threading.active_count() == threads
    assert [each["id"] for each in said if "result" in each] == [0, 1]
    (published,) = (each for each in said if each.get("method", "").endswith("publishDiagnostics"))
    assert [each["code"] for each in published["params"]["diagnostics"]] == ["E101"]
    assert server.pump() is False


def test_a_message_that_is_no_json_is_refused_when_it_is_pumped() -> None:
    said = bytearray()
    server = LspServer()
    server.protocol.write = said.extend
    server.feed(b"{")
    server.pump()
    assert b'"code":-32700' in said
