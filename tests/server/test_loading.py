"""When the server loads the modules of its handlers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.server.conversation import PATIENCE_S, opened

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

# A conversation with one document, up to its findings. It ends when `is_over`.
_CONVERSATION = """
import sys, time
from ipu_lsp.server.features import FEATURES
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
