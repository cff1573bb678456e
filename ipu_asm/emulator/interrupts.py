"""Ctrl-C (SIGINT) that is never lost.

Python raises KeyboardInterrupt wherever the program happens to be. Where that is a callback of the
garbage collector, a finalizer (`__del__`) or a callback of a weak reference, Python prints the
exception and drops it, and the program goes on. A loop that may run long therefore looks at a flag
as well, which the signal handler sets.
"""

from __future__ import annotations

# Not `signal`: its functions convert from and to enumerations by way of exceptions. A block would
# cost seven microseconds instead of one, and a run of a few bundles takes three.
from _signal import (  # type: ignore[import-not-found]  # typeshed does not describe it
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)
from types import FrameType, TracebackType


class Interrupts:
    """A block during which `came` tells whether Ctrl-C was pressed.

    Ctrl-C raises KeyboardInterrupt as always, and leaving the block raises it if it was lost. With
    `is_quiet` the first Ctrl-C only sets `came`, and the second one raises.

    The block changes nothing where Ctrl-C is ignored or handled by others, outside of the main
    thread, and within a quiet block, whose owner looks at the flag.
    """

    __slots__ = ("_before", "_is_armed", "came", "is_quiet")

    def __init__(self, is_quiet: bool = False) -> None:
        self.came = False
        self.is_quiet = is_quiet
        self._is_armed = False
        self._before: Interrupts | object = None

    def __enter__(self) -> Interrupts:
        before = getsignal(SIGINT)
        if before is default_int_handler or type(before) is Interrupts:
            if type(before) is Interrupts:
                if before.is_quiet:
                    return self
                self.came = before.came
            try:
                signal(SIGINT, self)
            except ValueError:  # signals belong to the main thread
                return self
            self._before = before
            self._is_armed = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # From the next line on, the handler sets the flag only, so that the old one comes back.
        self._is_armed = False
        if self._before is not None:
            signal(SIGINT, self._before)
            self._before = None
            if self.came and not self.is_quiet and kind is not KeyboardInterrupt:
                raise KeyboardInterrupt

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal; Python calls this between two instructions of the main thread."""
        is_first, self.came = not self.came, True
        if self._is_armed and not (self.is_quiet and is_first) and not self._is_left_in(frame):
            raise KeyboardInterrupt

    def _is_left_in(self, frame: FrameType | None) -> bool:
        """Whether a frame is at the very beginning of leaving this block."""
        if frame is None or frame.f_code is not Interrupts.__exit__.__code__:
            return False
        return frame.f_locals.get("self") is self
