"""From starting `ipu-lint` on a small file to its end, against Python that does nothing."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks import kernels, servers, timing
from benchmarks.report import Target, milliseconds, number, print_table

SLOWEST = 8.0
"""How many times as long as `python -c pass` we may take."""

LINES = 40


def run(quick: bool = False) -> list[Target]:
    """Start everything in turn, print the medians and return the ratio to an empty Python."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.s")
        small.write_text(kernels.kernel(LINES), encoding="utf-8")
        actions = {name: partial(_start, command, folder) for name, command in _commands().items()}
        timing.interleave(2, actions)  # files into the cache, byte code onto the disk
        seconds = timing.interleave(20 if quick else 40, actions)
    medians = {name: timing.median(values) for name, values in seconds.items()}
    empty, ours = medians["python -c pass"], medians.get("ipu-lint small.s", math.nan)
    rows = [
        ("python -c pass", milliseconds(empty), "1.00"),
        ("ipu-lint small.s", milliseconds(ours), number(ours / empty)),
    ]
    print_table("cold start, median", ("command", "ms", "ratio"), rows)
    return [Target("cold start, ipu-lint/empty Python", ours / empty, SLOWEST)]


def _commands() -> dict[str, list[str]]:
    commands = {"python -c pass": [sys.executable, "-c", "pass"]}
    if lint := servers.beside_python("ipu-lint"):
        commands["ipu-lint small.s"] = [lint, "small.s"]
    return commands


def _start(command: list[str], folder: str) -> float:
    """Seconds until the command has ended. Raises CalledProcessError unless it found nothing.

    Byte code is kept, as after any installation; without it the compiler would be what is measured.
    """
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    start = partial(subprocess.run, command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return timing.timed(partial(start, env=kept))
