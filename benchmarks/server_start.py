"""From starting the language server to the first findings of a small file."""

from __future__ import annotations

import os
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks import kernels, servers, timing
from benchmarks.lsp_client import started
from benchmarks.report import Target, milliseconds, number, print_table
from benchmarks.servers import Server

SLOWEST = 1.5
"""How many times as long as a pygls server that does nothing we may take."""

LINES = 40

_OURS = "ipu-lsp"
_FLOOR = "floor"


def run(quick: bool = False) -> list[Target]:
    """Start the servers in turn, print the medians and return the ratio to the floor."""
    # Byte code is kept, as after any installation.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        actions = {
            server.name: partial(_seconds_to_findings, server, Path(folder))
            for server in servers.installed()
        }
        timing.interleave(1, actions)  # files into the cache, byte code onto the disk
        seconds = timing.interleave(5 if quick else 15, actions)
    rows = [
        (name, milliseconds(timing.median(values)), number(timing.ratio(seconds, name, _FLOOR)))
        for name, values in seconds.items()
    ]
    print_table("start to the first findings, median", ("server", "ms", "ratio"), rows)
    ratio = timing.ratio(seconds, _OURS, _FLOOR)
    return [Target("start to the first findings, ours/floor", ratio, SLOWEST)]


def _seconds_to_findings(server: Server, folder: Path) -> float:
    """Seconds until a new server has published the findings of a document."""
    text = server.text(LINES, kernels.Style.BUNDLES)
    start = time.perf_counter()
    with started(server.command) as client:
        client.initialize(folder)
        client.open((folder / server.file).as_uri(), server.language, text)
        return time.perf_counter() - start
