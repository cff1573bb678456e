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
SLOWEST_KNOWN = 4.0
"""The same for a file whose result an earlier run has left in the cache."""

LINES = 40

_EMPTY = "python -c pass"
_OURS = "ipu-lint --no-cache small.s"
_KNOWN = "ipu-lint small.s"


def run(quick: bool = False) -> list[Target]:
    """Start everything in turn, print the medians and return the ratio to an empty Python."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.s")
        small.write_text(kernels.kernel(LINES), encoding="utf-8")
        actions = {name: partial(_start, command, folder) for name, command in _commands().items()}
        timing.interleave(2, actions)  # files into the cache, byte code onto the disk
        seconds = timing.interleave(20 if quick else 40, actions)
    medians = {name: timing.median(values) for name, values in seconds.items()}
    empty = medians[_EMPTY]
    ours, known = (medians.get(name, math.nan) for name in (_OURS, _KNOWN))
    rows = [
        (name, milliseconds(seconds), number(seconds / empty))
        for name, seconds in ((_EMPTY, empty), (_OURS, ours), (_KNOWN, known))
    ]
    print_table("cold start, median", ("command", "ms", "ratio"), rows)
    return [
        Target("cold start, ipu-lint/empty Python", ours / empty, SLOWEST),
        Target("start with a cache, ipu-lint/empty Python", known / empty, SLOWEST_KNOWN),
    ]


def _commands() -> dict[str, list[str]]:
    commands = {_EMPTY: [sys.executable, "-c", "pass"]}
    if lint := servers.beside_python("ipu-lint"):
        commands |= {_OURS: [lint, "--no-cache", "small.s"], _KNOWN: [lint, "small.s"]}
    return commands


def _start(command: list[str], folder: str) -> float:
    """Seconds until the command has ended. Raises CalledProcessError unless it found nothing.

    Byte code is kept, as after any installation; without it the compiler would be what is measured.
    """
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    start = partial(subprocess.run, command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return timing.timed(partial(start, env=kept))
