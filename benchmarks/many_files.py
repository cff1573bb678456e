"""Linting of a thousand varied files with two processes, and of one with a million lines."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from benchmarks import kernels, servers, timing
from benchmarks.report import Target, milliseconds, number, print_table

COLD_S, KNOWN_S = 1.5, 0.3
"""Seconds without the cache and with all results in it, on the machine of the targets."""
MEMORY_MIB = 500
"""The most that a process may hold."""
LONG_LINES = 1_000_000
"""Lines of the long file, of which half are distinct: as long as a file that is read may be."""


def run(quick: bool = False) -> list[Target]:
    """Lint the files in turn, print the medians, and return them as shares of what is allowed."""
    lint = servers.beside_python("ipu-lint")
    if lint is None or not hasattr(os, "wait4"):
        return []
    count = 100 if quick else 1_000
    with tempfile.TemporaryDirectory() as folder:
        lines = _write(Path(folder), count)
        cold_run = _Run([lint, "--jobs", "2", "--no-cache", "--exit-zero"], folder)
        actions: dict[str, timing.Action] = {
            "unit": timing.unit_of_work,
            "cold": cold_run,
            "cached": _Run([lint, "--exit-zero"], folder),
        }
        timing.interleave(1, actions)
        medians = {
            name: timing.median(values)
            for name, values in timing.interleave(2 if quick else 5, actions).items()
        }
        long_run = _Run([lint, "--no-cache", "--exit-zero", _write_long(folder, quick)], folder)
        long_s = long_run()
    most = cold_run.most
    unit = medians["unit"]
    rows = [
        (name, milliseconds(medians[name]), milliseconds(timing.normalised(medians[name], unit)))
        for name in ("cold", "cached")
    ]
    title = f"ipu-lint on {count:,} files, {lines:,} lines, median; at most {number(most, 0)} MiB"
    print_table(title, ("run", "ms", "ms on reference"), rows)
    print(f"one long file: {number(long_s, 1)} s, at most {number(long_run.most, 0)} MiB")
    cold, cached = (timing.normalised(medians[name], unit) for name in ("cold", "cached"))
    return [
        Target(f"{count:,} files with two processes, scaled s", cold, COLD_S),
        Target(f"{count:,} files with a cache, scaled s", cached, KNOWN_S),
        Target("memory of a process, MiB", most, MEMORY_MIB),
        Target("memory for a file of a million lines, MiB", long_run.most, MEMORY_MIB),
    ]


def _write(folder: Path, count: int) -> int:
    """Write the files, most of them kernels, the others of random bundles; return their lines."""
    lines = 0
    for seed in range(count):
        rng = random.Random(seed)
        text = kernels.kernel(rng.randrange(20, 150), seed=seed)
        if seed % 10 >= 7:
            text = kernels.distinct_bundles(rng.randrange(5, 40), seed)
        (folder / f"k{seed:04}.s").write_text(text, encoding="utf-8")
        lines += text.count("\n")
    return lines


def _write_long(folder: str, quick: bool) -> str:
    """Write a file of a million short lines, a tenth of that with `quick`; return its path."""
    rng = random.Random("long")
    count = LONG_LINES // 10 if quick else LONG_LINES
    path = Path(folder, "long.s")
    rows = (f"set lr{rng.randrange(16)} {rng.randrange(-9_999, 32_768)};;\n" for _ in range(count))
    path.write_text("".join(rows), encoding="utf-8")
    return str(path)


class _Run:
    """Runs a command and keeps how much memory one of its processes held at the most, in MiB."""

    def __init__(self, command: list[str], folder: str) -> None:
        self._start = partial(subprocess.Popen, command, cwd=folder, stdout=subprocess.DEVNULL)
        self.most = 0.0

    def __call__(self) -> float:
        """Seconds of a run. Raises ValueError if it fails."""
        return timing.timed(self._run)

    def _run(self) -> None:
        process = self._start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise ValueError(f"exit status {process.returncode}")
        self.most = max(self.most, usage.ru_maxrss / 1024)
