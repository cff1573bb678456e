"""How much memory a server holds with a long document open and after typing in it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks import servers
from benchmarks.kernels import Style
from benchmarks.lsp_client import started
from benchmarks.process import is_observable, mebibytes
from benchmarks.report import Target, number, print_table
from benchmarks.servers import Server, Session

LINES = 10_000
EDITS = 200


def run(quick: bool = False) -> list[Target]:
    """Print the resident memory of each server; there is no target."""
    if not is_observable():
        print("\nmemory: not available, this system has no /proc/PID/status")
        return []
    edits = EDITS // 4 if quick else EDITS
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(server, Path(folder).resolve(), edits) for server in servers.installed()]
    header = ("server", "started", "opened", f"{edits} edits", "peak", "edits/opened")
    print_table(f"resident memory with {LINES:,} lines open, MiB", header, rows)
    return []


def _row(server: Server, folder: Path, edits: int) -> tuple[str, ...]:
    with started(server.command) as client:
        client.initialize(folder)
        at_start = mebibytes(client.pid, "VmRSS")
        session = Session(client, server, folder, server.text(LINES, Style.BUNDLES))
        opened = mebibytes(client.pid, "VmRSS")
        for _ in range(edits):
            session.edit()
        edited, peak = (mebibytes(client.pid, field) for field in ("VmRSS", "VmHWM"))
    sizes = (number(size, 1) for size in (at_start, opened, edited, peak))
    return (server.name, *sizes, number(edited / opened))
