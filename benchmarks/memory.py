"""How much memory a server holds with a long document open and after typing in it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from benchmarks import servers
from benchmarks.kernels import Style
from benchmarks.lsp_client import started
from benchmarks.process import is_observable, mebibytes
from benchmarks.report import Target, number, print_table
from benchmarks.servers import Server, Session

LINES = 10_000
EDITS = 200
WARM_UP, MORE_EDITS, MAX_GROWTH = 12_000, 6_000, 0.1
WORD = 8


def run(quick: bool = False) -> list[Target]:
    """Print the resident memory of each server, and what an edit leaves after many of them."""
    if not is_observable():
        print("\nmemory: not available, this system has no /proc/PID/status")
        return []
    edits = EDITS // 4 if quick else EDITS
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(server, Path(folder).resolve(), edits) for server in servers.installed()]
        growth = _growth(Path(folder).resolve(), quick)
    header = ("server", "started", "opened", f"{edits} edits", "peak", "edits/opened")
    print_table(f"resident memory with {LINES:,} lines open, MiB", header, rows)
    target = Target("KiB that an edit leaves after many", growth, MAX_GROWTH)
    print(f"an edit after {WARM_UP:,} others leaves {number(growth)} KiB")
    return [] if quick else [target]


def _growth(folder: Path, quick: bool) -> float:
    """Return the resident memory, in KiB, by which each edit of a short document grows a server.

    Each edit makes a text that has not been there before, so that nothing known serves it.
    """
    warm_up, edits = (200, 100) if quick else (WARM_UP, MORE_EDITS)
    server, random = servers.installed()[0], Random(1)
    text = "\n".join([f"{'x' * WORD}: acc;;", server.text(100, Style.BUNDLES)])
    with started(server.command) as client:
        client.initialize(folder)
        uri = (folder / server.file).as_uri()
        client.open(uri, server.language, text)
        for version in range(2, warm_up + edits + 2):
            if version == warm_up + 2:
                before = mebibytes(client.pid, "VmRSS")
            letter = random.choice("abcdefghijklmnopqrstuvwxyz")
            client.change(uri, version, 0, random.randrange(WORD), letter)
        return (mebibytes(client.pid, "VmRSS") - before) * 1024 / edits


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
