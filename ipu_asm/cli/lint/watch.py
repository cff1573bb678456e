"""`--watch`: lint again whenever a file changes.

By polling, which works on every file system: the events behind watchfiles do not come from network
folders and into containers. A look at 5,000 files takes 35 ms.
"""

from __future__ import annotations

import time
from typing import Callable, Iterable, Mapping

from ipu_asm.config.files import Version, version_of
from ipu_asm.emulator.interrupts import Interrupts

INTERVAL = 0.3
"""Seconds between two looks at the files."""


def watch(act: Callable[[], None], paths: Callable[[], Iterable[str]]) -> None:
    """Do `act` now and after each change of the files that `paths` names; Ctrl-C ends it.

    `paths` is asked at every look, so files that come and go are changes, too. What changes while
    `act` is under way makes it happen once more.
    """
    try:
        with Interrupts() as interrupts:
            while not interrupts.came:
                before = versions(paths())
                act()
                while not interrupts.came and versions(paths()) == before:
                    time.sleep(INTERVAL)
    except KeyboardInterrupt:
        return


def versions(paths: Iterable[str]) -> Mapping[str, Version | None]:
    """The files as they are now."""
    return {path: version_of(path) for path in paths}
