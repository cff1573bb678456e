"""From one typed character to the published findings, through real servers over pipes."""

from __future__ import annotations

import math
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks import servers, timing
from benchmarks.kernels import Style
from benchmarks.lsp_client import LspClient, started
from benchmarks.report import Target, milliseconds, number, print_table
from benchmarks.servers import Server, Session

SIZES = (200, 1_000, 10_000)
"""Lines of the document."""

SLOWEST = 1.0
"""How many times as long as ruff we may take."""

PAUSE_S = 0.002
"""Rest before every edit, in which a server may finish what it does after publishing."""

WARM_UP = 6


def run(quick: bool = False) -> list[Target]:
    """Measure all sizes and both layouts, print the medians and return the ratios to ruff."""
    rounds = 20 if quick else 100
    rows, targets = [], []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        clients = [(_introduced(stack, server, folder), server) for server in servers.installed()]
        for style in Style:
            for lines in SIZES:
                seconds = _seconds(clients, folder, lines, style, rounds)
                rows.append(_row(f"{lines:,} {style.value}", seconds))
                targets.append(_target(lines, style, seconds))
    header = ("lines", "ipu-lsp", "its p90", "ruff", "floor", "ours/ruff", "ours/floor")
    print_table("one character to findings, median ms", header, rows)
    return targets


def _introduced(stack: ExitStack, server: Server, folder: Path) -> LspClient:
    client = stack.enter_context(started(server.command))
    client.initialize(folder)
    return client


def _seconds(
    clients: list[tuple[LspClient, Server]], folder: Path, lines: int, style: Style, rounds: int
) -> dict[str, list[float]]:
    """Seconds of every edit per server name."""
    sessions = {
        server.name: Session(client, server, folder, server.text(lines, style))
        for client, server in clients
    }
    actions = {name: _Typist(session) for name, session in sessions.items()}
    timing.interleave(WARM_UP, actions)
    seconds = timing.interleave(rounds, actions)
    for session in sessions.values():
        session.close()
    return seconds


class _Typist:
    """Rests, then types."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(self) -> float:
        time.sleep(PAUSE_S)
        return self._session.edit()


def _row(title: str, seconds: dict[str, list[float]]) -> tuple[str, ...]:
    ours, ruff, floor = (_median(seconds, name) for name in ("ipu-lsp", "ruff", "floor"))
    return (
        title,
        milliseconds(ours),
        milliseconds(timing.percentile(seconds.get("ipu-lsp", []), 0.9)),
        milliseconds(ruff),
        milliseconds(floor),
        number(ours / ruff),
        number(ours / floor),
    )


def _target(lines: int, style: Style, seconds: dict[str, list[float]]) -> Target:
    ratio = _median(seconds, "ipu-lsp") / _median(seconds, "ruff")
    return Target(f"edit latency, {lines:,} lines, {style.value}, ours/ruff", ratio, SLOWEST)


def _median(seconds: dict[str, list[float]], name: str) -> float:
    return timing.median(seconds[name]) if name in seconds else math.nan
