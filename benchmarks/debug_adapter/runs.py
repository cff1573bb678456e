"""The same kernel under the adapter and under `ipu-run`, from its first bundle to its end."""

from __future__ import annotations

import json
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks import servers, timing
from benchmarks.debug_adapter import targets
from benchmarks.debug_adapter.client import Debuggee, Json, debugging
from benchmarks.report import Target, number, print_table
from benchmarks.timing import Action

SLOWEST = 2.0
"""How many times as long as `ipu-run` a run with one breakpoint may take."""

TURNS = 240
"""How often the kernel computes its layer: some 312,000 bundles."""

_PLAIN: Final = "ipu-run"
_BREAKPOINTS: Final[dict[str, Json]] = {
    "breakpoint on the last line": {"line": targets.LAST_LINE},
    "hit condition in the outer loop": {"line": targets.OUTER_LINE, "hitCondition": f"{1 << 40}"},
    "condition in the outer loop": {"line": targets.OUTER_LINE, "condition": "lr0 > 5000"},
}


def run(folder: Path, quick: bool) -> list[Target]:
    """Run it in every way in turn, print the medians and return them in runs of `ipu-run`."""
    found: list[Target] = []
    rows: list[tuple[str, ...]] = []
    for dtype in ("int8", "fp8_e4m3"):
        kernel = targets.layers(folder, dtype, TURNS // 8 if quick else TURNS)
        actions: dict[str, Action] = {_PLAIN: partial(_run, kernel)}
        for name, breakpoint in _BREAKPOINTS.items():
            actions[name] = partial(_debug, kernel, breakpoint)
        seconds = timing.interleave(2 if quick else 5, actions)
        for name, values in seconds.items():
            what, ratio = f"{name}, {dtype}", timing.ratio(seconds, name, _PLAIN)
            rows.append((what, number(timing.median(values), 3), number(ratio)))
            if name != _PLAIN:
                found.append(Target(f"a run with a {what}, runs of ipu-run", ratio, SLOWEST))
    print_table("debugger: a run, median", ("what", "s", "ratio"), rows)
    return found


def _run(kernel: Debuggee) -> float:
    """Seconds of the run itself, without the start and the end of the process."""
    command = [str(servers.beside_python("ipu-run")), str(kernel.program), "--json"]
    settings = kernel.configuration
    command += ["--dtype", settings["dtype"]]
    for file in ("cr", "lr"):
        for index, value in settings[file].items():
            command += [f"--{file}", f"{index}={value}"]
    for load in settings["load"]:
        command += ["--load", f"{load['file']}@{load['address']}"]
    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return float(json.loads(ended.stdout)["seconds"])


def _debug(kernel: Debuggee, breakpoint: Json) -> float:
    """Seconds from `continue` to the stop at the end."""
    with debugging(kernel) as client:
        client.break_at(breakpoint)
        client.ask("setExceptionBreakpoints", filters=["break", "fault"])
        begin = time.perf_counter()
        client.move("continue")
        return time.perf_counter() - begin
