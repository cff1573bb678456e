"""Hooks that fail a test which takes too long, or which makes its process too big.

Time is processor time of the process, with all of its threads, so a busy machine fails no test.
Memory is the most that was ever resident; the test fails in which it grows past the bound.
"""

from __future__ import annotations

import sys
import time
from typing import Generator

import pytest

MOST_SECONDS = 20.0
MOST_MEBIBYTES = 1_024.0

Hook = Generator[None, None, None]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Hook:
    """The fixtures of a test stay within the bounds."""
    yield from _bounded()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Hook:
    """So does the test."""
    yield from _bounded()


def _bounded() -> Hook:
    began, was_small = time.process_time(), _peak_mebibytes() <= MOST_MEBIBYTES
    yield
    seconds, mebibytes = time.process_time() - began, _peak_mebibytes()
    if seconds > MOST_SECONDS:
        pytest.fail(
            f"a test may take {MOST_SECONDS:g} s of processor time, found {seconds:.1f} s", False
        )
    if was_small and mebibytes > MOST_MEBIBYTES:
        pytest.fail(
            f"a process of the tests may take {MOST_MEBIBYTES:,g} MiB, found {mebibytes:,.0f} MiB",
            False,
        )


def _peak_mebibytes() -> float:
    """The most memory of this process that was ever resident; 0 where nothing says so.

    What `getrusage` says of it begins, in Linux, with that of the process that has started this.
    """
    if sys.platform == "win32":
        return 0.0
    if sys.platform == "linux":
        with open("/proc/self/status", encoding="ascii") as status:
            peak = next(line for line in status if line.startswith("VmHWM:"))
        return int(peak.split()[1]) / 1024
    from resource import RUSAGE_SELF, getrusage

    return getrusage(RUSAGE_SELF).ru_maxrss / (1 << 20)  # bytes in macOS
