"""The debug adapter in a process of its own: how soon it answers, stops, and is back in time."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path

from benchmarks.report import Target

PARTS = ("start", "steps", "pauses", "runs", "travel")
"""Modules with `run(folder, quick) -> list[Target]`."""


def run(quick: bool = False) -> list[Target]:
    """Measure everything, print it, and return what has a limit."""
    targets: list[Target] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for part in PARTS:
            module = importlib.import_module(f"{__name__}.{part}")
            targets += module.run(folder, quick)
    return targets
