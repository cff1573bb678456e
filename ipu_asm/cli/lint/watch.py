"""`--watch`: lint again whenever a file changes.

Polling works on every file system; the file events that watchfiles uses do not arrive from network
folders or in containers. Polling 5,000 files takes 35 ms.
"""

from __future__ import annotations

import os
import select
import stat
import sys
import time
from typing import Callable, Iterable, Mapping, TextIO

from ipu_asm.config.files import Version, version_of
from ipu_asm.emulator.interrupts import Interrupts

INTERVAL = 0.3
"""Seconds between two polls."""


def watch(
    act: Callable[[], None],
    paths: Callable[[], Iterable[str]],
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Call `act` now and after each change of the files in `paths`.

    Ctrl-C ends the loop, and `is_over`, which is asked at every poll.

    `paths` is called at every poll, so that new and deleted files count as changes; which headers
    there are is known after `act`. A change while `act` runs makes it run once more.
    """
    try:
        with Interrupts() as interrupts:
            while not (interrupts.is_pending or is_over()):
                before = versions(paths())
                act()
                after = versions(paths())
                if any(after.get(path, before[path]) != before[path] for path in before):
                    continue
                while not (interrupts.is_pending or is_over()) and versions(paths()) == after:
                    time.sleep(INTERVAL)
    except KeyboardInterrupt:
        return


class PipeReader:
    """The process that reads standard output, if that is a pipe when this is created."""

    def __init__(self) -> None:
        self._has_pipe = _is_pipe(sys.stdout)

    def is_gone(self) -> bool:
        """Return whether nothing reads the pipe any more."""
        if not self._has_pipe or sys.stdout is None:
            return False
        if not _is_pipe(sys.stdout):  # a write has failed, so that output is discarded
            return True
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(0))


def _is_pipe(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def versions(paths: Iterable[str]) -> Mapping[str, Version | None]:
    """Return the current version of each file."""
    return {path: version_of(path) for path in paths}
