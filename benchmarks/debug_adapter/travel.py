"""Back in time over a million bundles, and what ten million of them leave in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks import timing
from benchmarks.debug_adapter import targets
from benchmarks.debug_adapter.client import DapClient, Debuggee, debugging
from benchmarks.process import is_observable, mebibytes
from benchmarks.report import Target, milliseconds, number, print_table

WAY = 1_000_000
LONG_WAY = 10_000_000

SECONDS_BACK = 1.0
"""What going back over the whole way may take."""

SECONDS_STEP_BACK = 0.015
"""What the median step back may take, without a look at anything."""

HISTORY_MIB = 256.0
"""What the adapter is to keep of the past, by its own estimate, unless it is told otherwise."""

SHARE_OF_HISTORY = 1.1
"""What it may have grown by, in parts of that."""


def run(folder: Path, quick: bool) -> list[Target]:
    """Measure, print, and return seconds and mebibytes as targets."""
    program = targets.endless(folder, "int8")
    found = _times(program, WAY // 10 if quick else WAY)
    return found + _memory(program, [WAY] if quick else [WAY, LONG_WAY])


def _times(program: Debuggee, way: int) -> list[Target]:
    with debugging(program) as client:
        seconds = _travel(client, way)
    rows = [(what, milliseconds(value)) for what, value in seconds.items()]
    print_table(f"debugger: over {way:,} bundles", ("what", "ms"), rows)
    back = max(seconds["back to the first bundle"], seconds["back to the middle of a stretch"])
    median = seconds["step back, median"]
    return [
        Target(f"{way:,} bundles back under the adapter, seconds", back, SECONDS_BACK),
        Target("a step back under the adapter, seconds", median, SECONDS_STEP_BACK),
    ]


def _travel(client: DapClient, way: int) -> dict[str, float]:
    seconds = {"forward": timing.timed(partial(client.go_to, way))}
    seconds["first step back"] = timing.timed(partial(client.move, "stepBack"))
    steps = [timing.timed(partial(client.move, "stepBack")) for _ in range(100)]
    seconds["step back, median"] = timing.median(steps)
    seconds["step back, longest"] = max(steps)
    seconds["back to the first bundle"] = timing.timed(partial(client.go_to, 1))
    seconds["forward again"] = timing.timed(partial(client.go_to, way))
    seconds["back to the middle of a stretch"] = timing.timed(partial(client.go_to, 3 * 4_096 - 1))
    client.go_to(way)
    client.break_at({"line": targets.FIRST_LINE})
    seconds["reverseContinue to the first bundle"] = timing.timed(
        partial(client.move, "reverseContinue")
    )
    return seconds


def _memory(program: Debuggee, ways: Sequence[int]) -> list[Target]:
    """Resident memory before, on and after the way, which leaves keyframes."""
    if not is_observable():
        print("\ndebugger: memory is not available, this system has no /proc/PID/status")
        return []
    with debugging(program) as client:
        sizes = {"at the beginning": mebibytes(client.pid, "VmRSS")}
        for way in ways:
            client.go_to(way)
            sizes[f"after {way:,} bundles"] = mebibytes(client.pid, "VmRSS")
        sizes["the most ever"] = peak = mebibytes(client.pid, "VmHWM")
    rows = [(when, number(size, 1)) for when, size in sizes.items()]
    print_table("debugger: resident memory", ("when", "MiB"), rows)
    grown = peak - sizes["at the beginning"]
    what = f"memory after {ways[-1]:,} bundles, parts of {HISTORY_MIB:g} MiB"
    return [Target(what, grown / HISTORY_MIB, SHARE_OF_HISTORY)]
