"""What numpy reports of floating-point operations."""

from __future__ import annotations


class FloatErrors:
    """The float errors that numpy reported while the machine ran.

    numpy keeps its error handler in a context variable, where the garbage collector cannot follow
    references. So the handler must not refer to the machine, which owns that context.
    """

    __slots__ = ("invalid",)

    def __init__(self) -> None:
        self.invalid = False

    def note(self, error: str, flag: int) -> None:
        """Record an invalid operation; called by numpy, see `numpy.seterrcall`."""
        self.invalid = True
