"""From starting the adapter to its first answer and to the first stop of a program."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from benchmarks import timing
from benchmarks.debug_adapter import client, targets
from benchmarks.report import Target, milliseconds, number, print_table
from benchmarks.timing import Action

_EMPTY = "python -c pass"


def run(folder: Path, quick: bool) -> list[Target]:
    """Start everything in turn and print the medians; there is no target."""
    example = targets.largest_example(folder, "int8")
    actions: dict[str, Action] = {
        _EMPTY: _nothing,
        "ipu-dap, until it has answered": _until_answered,
        "ipu-dap, until a program stands": partial(_until_stopped, example),
    }
    timing.interleave(2, actions)  # files into the cache, byte code onto the disk
    seconds = timing.interleave(5 if quick else 20, actions)
    medians = {name: timing.median(values) for name, values in seconds.items()}
    rows = [(name, milliseconds(s), number(s / medians[_EMPTY])) for name, s in medians.items()]
    print_table("debugger: start, median", ("what", "ms", "ratio"), rows)
    return []


def _nothing() -> float:
    return timing.timed(partial(subprocess.run, [sys.executable, "-c", "pass"], check=True))


def _until_answered() -> float:
    begin = time.perf_counter()
    with client.started() as adapter:
        adapter.initialize()
        return time.perf_counter() - begin


def _until_stopped(example: client.Debuggee) -> float:
    begin = time.perf_counter()
    with client.debugging(example):
        return time.perf_counter() - begin
