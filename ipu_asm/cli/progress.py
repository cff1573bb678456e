"""Progress bar of a long run on a terminal."""

from __future__ import annotations

import time
from typing import Callable, TextIO

from ipu_asm.cli.console import columns_of, is_terminal, write

SECONDS_UNTIL_SHOWN = 1.0
"""Seconds that a run may take before the bar appears."""
_INTERVAL = 0.2
_WIDTH = 20
_CLEAR = "\r\x1b[K"


def shown_rate(rate: float) -> str:
    """Return a rate with three significant digits."""
    return f"{float(f'{rate:.3g}'):,.0f}"


class ProgressBar:
    """A bar for a run of at most `limit` units; not shown unless `stream` is a terminal.

    The unit is a cycle, if no other is given. It shows the number of them relative to the `length`
    of the run if that is known, else to the limit.
    `length` is called once, when the bar appears.
    """

    def __init__(
        self,
        limit: int,
        stream: TextIO | None,
        clock: Callable[[], float] = time.perf_counter,
        *,
        length: Callable[[], int | None] = lambda: None,
        unit: str = "cycles",
    ) -> None:
        self._unit = unit
        self._limit = limit
        self._length = length
        self._total: int | None = None
        self._stream = stream if is_terminal(stream) else None
        self._clock = clock
        self._start = clock()
        self._due = self._start + SECONDS_UNTIL_SHOWN
        self._is_shown = False

    def show(self, count: int) -> None:
        """Redraw the bar if the interval since the last time has passed."""
        now = self._clock()
        if self._stream is None or now < self._due:
            return
        self._due = now + _INTERVAL
        if not self._is_shown:
            self._total = self._length()
        self._is_shown = True
        is_exact = self._total is not None and count <= self._total <= self._limit
        end = self._total if self._total is not None and is_exact else self._limit
        share = min(1.0, count / max(1, end))
        full = round(share * _WIDTH)
        bar = "#" * full + "." * (_WIDTH - full)
        rate = shown_rate(count / (now - self._start))
        most = "" if is_exact else "at most "
        line = f"[{bar}] {count:,} of {most}{end:,} {self._unit}, {rate} a second"
        write(_CLEAR + line[: (columns_of(self._stream) or 0) - 1], self._stream)

    def clear(self) -> None:
        """Remove the bar."""
        if self._is_shown:
            write(_CLEAR, self._stream)
            self._is_shown = False
