"""Sees to it that no server is left behind when the one whom it served is gone."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Callable

SECONDS_BETWEEN_LOOKS = 1.0


def watch_process(pid: int, when_gone: Callable[[], None]) -> None:
    """Call `when_gone`, on a thread of its own, once no process with that id lives any more."""

    def watch() -> None:
        while is_alive(pid):
            time.sleep(SECONDS_BETWEEN_LOOKS)
        when_gone()

    threading.Thread(target=watch, name="watchdog", daemon=True).start()


def end_in(seconds: float) -> None:
    """End this process, whatever it is doing then, unless it has ended by itself before.

    Called on a thread of its own, which it keeps until then.
    """
    time.sleep(seconds)
    os._exit(0)


def is_alive(pid: int) -> bool:
    """Whether a process with that id lives."""
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        # One of another user's, or no id that this system can check.
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    """There, `os.kill` would end the process instead of looking for it."""
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
