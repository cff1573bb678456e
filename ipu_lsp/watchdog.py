"""Ends servers whose client process has ended."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Callable

SECONDS_BETWEEN_LOOKS = 1.0


def watch_process(pid: int, when_gone: Callable[[], None]) -> None:
    """Call `when_gone`, on a thread of its own, once the process has ended."""

    def watch() -> None:
        while is_alive(pid):
            time.sleep(SECONDS_BETWEEN_LOOKS)
        when_gone()

    threading.Thread(target=watch, name="watchdog", daemon=True).start()


def end_in(seconds: float) -> None:
    """End this process with status 0 after some seconds, unless it has ended before.

    Blocks the calling thread.
    """
    time.sleep(seconds)
    os._exit(0)


def is_alive(pid: int) -> bool:
    """Return whether a process exists."""
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        # A process of another user, or an ID that this system cannot check.
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    """Check on Windows, where `os.kill` would terminate the process."""
    import ctypes

    synchronize, still_running = 0x0010_0000, 0x102
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == still_running)
    finally:
        kernel.CloseHandle(handle)
