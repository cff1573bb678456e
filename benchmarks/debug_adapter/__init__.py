"""The debug adapter in a process of its own: how soon it answers, stops, and is back in time."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.debug_adapter import pauses, runs, start, steps, travel
from benchmarks.report import Target


def run(quick: bool = False) -> list[Target]:
    """Measure everything, print it, and return what has a limit."""
    targets: list[Target] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for part in (start, steps, pauses, runs, travel):
            targets += part.run(folder, quick)
    return targets
