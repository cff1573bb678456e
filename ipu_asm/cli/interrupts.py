"""Ctrl-C as something to look for, so that a loop ends between two of its rounds."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType


class Interrupts:
    """While entered, `came` tells of a Ctrl-C; a second one ends the program.

    Where signals are handled by someone else, or ignored, it changes nothing.
    """

    def __init__(self) -> None:
        self.came = False

    def __enter__(self) -> Interrupts:
        self._before = signal.getsignal(signal.SIGINT)
        if self._before is signal.default_int_handler:
            try:
                signal.signal(signal.SIGINT, self._note)
            except ValueError:  # signals belong to the main thread
                self._before = None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True
