"""Handling of Ctrl-C (SIGINT) that does not lose an interrupt.

Python raises KeyboardInterrupt wherever the program happens to be. In a callback of the garbage
collector, a finalizer (`__del__`) or a weak reference callback, Python prints the exception and
drops it, and the program continues. A long-running loop therefore also checks a flag that the
signal handler sets.
"""

from __future__ import annotations

# Not `signal`: its functions convert enumerations by way of exceptions. A block would take seven
# microseconds instead of one, and a run of a few bundles takes three.
from _signal import (  # type: ignore[import-not-found]  # typeshed does not describe it
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)
from types import FrameType, TracebackType


class Interrupts:
    """A context manager whose flag `is_pending` is set once Ctrl-C was pressed.

    Ctrl-C raises KeyboardInterrupt as usual; if that exception was lost, leaving the block raises
    it. With `is_quiet` the first Ctrl-C only sets `is_pending`, and the second one raises.

    The block has no effect where Ctrl-C is ignored or has another handler, outside of the main
    thread, and within a quiet block, whose owner checks the flag.
    """

    __slots__ = ("_before", "_is_armed", "is_pending", "is_quiet")

    def __init__(self, is_quiet: bool = False) -> None:
        self.is_pending = False
        self.is_quiet = is_quiet
        self._is_armed = False
        self._before: Interrupts | object = None

    def __enter__(self) -> Interrupts:
        before = getsignal(SIGINT)
        if before is default_int_handler or type(before) is Interrupts:
            if type(before) is Interrupts:
                if before.is_quiet:
                    return self
                self.is_pending = before.is_pending
            try:
                signal(SIGINT, self)
            except ValueError:  # only the main thread can set signal handlers
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
        # From the next line on, the handler only sets the flag, so that the previous handler is
        # restored in any case.
        self._is_armed = False
        if self._before is not None:
            signal(SIGINT, self._before)
            self._before = None
            if self.is_pending and not self.is_quiet and kind is not KeyboardInterrupt:
                raise KeyboardInterrupt

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal; Python calls this between two instructions of the main thread."""
        is_first, self.is_pending = not self.is_pending, True
        if self._is_armed and not (self.is_quiet and is_first) and not self._is_left_in(frame):
            raise KeyboardInterrupt

    def _is_left_in(self, frame: FrameType | None) -> bool:
        """Whether a frame is a call of this block's `__exit__`."""
        if frame is None or frame.f_code is not Interrupts.__exit__.__code__:
            return False
        return frame.f_locals.get("self") is self
