"""What the operating system tells about a process, where it has `/proc`."""

from __future__ import annotations

import math
import re
from pathlib import Path


def mebibytes(pid: int, field: str) -> float:
    """A size from the kernel's status file of a process; VmRSS is now, VmHWM was the most."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    if found := re.search(rf"^{field}:\s+(\d+) kB$", status, re.MULTILINE):
        return int(found[1]) / 1024
    raise ValueError(f"no {field} in the status of process {pid}")


def cpu_seconds(pid: int) -> float:
    """Seconds that the threads of a process have worked, without those they had to wait.

    Not a number where nobody counts them.
    """
    stats = list(Path(f"/proc/{pid}/task").glob("*/schedstat"))
    worked = sum(int(stat.read_text(encoding="ascii").split()[0]) for stat in stats)
    return worked / 1e9 if stats else math.nan


def is_observable() -> bool:
    """Whether it tells anything here."""
    return Path("/proc/self/status").exists()
