"""Processes that a test started, and what those started: all of them end with the test."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Iterator

from tests.editors.patience import soon

MARK = "IPU_TEST_FOLDER"
"""The variable that what a test starts has in its environment, and so has all that this starts."""


def end_marked(folder: Path) -> None:
    """Ends all processes that are marked with a folder, and waits until they are gone."""
    for process in marked(folder):
        _kill(process)
    left = soon(lambda: [*map(_kill, marked(folder))], [])
    assert not left, f"processes of {folder} do not end"


def marked(folder: Path) -> Iterator[int]:
    """The process numbers of those that are marked with a folder and run."""
    mark = f"{MARK}={folder}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            # One that has ended stays in the table until its parent looks, with nothing in it.
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                yield int(entry.name)
        except OSError:
            continue


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return
