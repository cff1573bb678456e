"""Numbers of iterations for which values that change by a stride stay in a range."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.trace import Dimension

Bound = int | None
"""A number of iterations; None for any number."""


def extent_of(start: int, dimensions: Sequence[Dimension]) -> tuple[int, int, bool] | None:
    """Return the lowest and the highest value, and whether there is one only; None if unknown."""
    low = high = start
    for stride, count in dimensions:
        if not isinstance(stride, int) or not isinstance(count, int):
            return None
        low += min(0, stride * (count - 1))
        high += max(0, stride * (count - 1))
    return low, high, all(count == 1 or stride == 0 for stride, count in dimensions)


def within(low: int, high: int, least: int, most: int, stride: int) -> Bound:
    """Return for how many steps by `stride` numbers in ``low..high`` stay in ``least..most``."""
    if stride == 0:
        return None
    return max(0, (most - high) // stride if stride > 0 else (low - least) // -stride)
