"""Doing something again whenever one of some files changes."""

from __future__ import annotations

import os
import time
from typing import Callable, Iterable, Mapping

INTERVAL = 0.3
"""Seconds between two looks at the files."""

Stamp = tuple[int, int, int] | None


def watch(act: Callable[[], None], paths: Callable[[], Iterable[str]]) -> None:
    """Do `act` now and after each change of the files that `paths` names; Ctrl-C ends it.

    `paths` is asked at every look, so files that come and go are changes, too. What changes while
    `act` is under way makes it happen once more.
    """
    try:
        while True:
            before = stamps(paths())
            act()
            while stamps(paths()) == before:
                time.sleep(INTERVAL)
    except KeyboardInterrupt:
        return


def stamps(paths: Iterable[str]) -> Mapping[str, Stamp]:
    """What changes about a file when it is written; None for one that is not there."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
