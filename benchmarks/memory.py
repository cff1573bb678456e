"""How much memory a server holds with a long document open and after typing in it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from benchmarks import servers
from benchmarks.kernels import Style
from benchmarks.lsp_client import started
from benchmarks.report import Target, number, print_table
from benchmarks.servers import Server, Session

LINES = 10_000
EDITS = 200


def run(quick: bool = False) -> list[Target]:
    """Print the resident memory of each server; there is no target."""
    if not Path("/proc/self/status").exists():
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
        at_start = _mebibytes(client.pid, "VmRSS")
        session = Session(client, server, folder, server.text(LINES, Style.BUNDLES))
        opened = _mebibytes(client.pid, "VmRSS")
        for _ in range(edits):
            session.edit()
        edited, peak = (_mebibytes(client.pid, field) for field in ("VmRSS", "VmHWM"))
    sizes = (number(size, 1) for size in (at_start, opened, edited, peak))
    return (server.name, *sizes, number(edited / opened))


def _mebibytes(pid: int, field: str) -> float:
    """A size from the kernel's status file of a process; VmRSS is now, VmHWM was the most."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    if found := re.search(rf"^{field}:\s+(\d+) kB$", status, re.MULTILINE):
        return int(found[1]) / 1024
    raise ValueError(f"no {field} in the status of process {pid}")
