"""Elements of registers that instructions address: bit sets, with bit n for element n."""

from __future__ import annotations

from functools import lru_cache
from math import gcd
from typing import Sequence

from ipu_asm.flow.control_run.steps import WindowRead
from ipu_asm.flow.control_run.trace import Dimension, Progression

_MOST_OFFSETS = 4_096


def value_in(progression: Progression, iteration: Sequence[int]) -> int | None:
    """Return the value in an iteration of each loop around, inner first; None if unknown."""
    value = progression.start
    for (stride, _), number in zip(progression.dimensions, iteration):
        if stride == 0 or number == 0:
            continue
        if not isinstance(stride, int) or not isinstance(value, int):
            return None
        value += stride * number
    return value if isinstance(value, int) else None


def is_countable(progression: Progression) -> bool:
    """Return whether the start, all strides and all counts are numbers, or without end."""
    return isinstance(progression.start, int) and all(
        isinstance(stride, int) and (count is None or isinstance(count, int))
        for stride, count in progression.dimensions
    )


def window_elements(offset: int, size: int, full: int, is_clipped: bool) -> int:
    """Return a window as a bit set of elements."""
    everything = (1 << full) - 1
    if is_clipped:
        offset %= 1 << 32
        return ((1 << size) - 1) << offset & everything if offset < full else 0
    bits = ((1 << size) - 1) << offset % full
    return (bits & everything) | bits >> full


def offsets_in(
    progression: Progression, iteration: Sequence[int], size: int, is_clipped: bool
) -> int:
    """Return the values in all inner iterations, as a bit set.

    They count modulo `size`; if clipped, those outside are left out.
    """
    free = len(progression.dimensions) - len(iteration)
    outer = Progression(progression.start, progression.dimensions[free:])
    start = value_in(outer, iteration)
    if start is None:
        return 0 if is_clipped else (1 << size) - 1
    if is_clipped:
        return _clipped_offsets(start, progression.dimensions[:free], size)
    found = 1 << start % size
    for stride, count in progression.dimensions[:free]:
        if not isinstance(stride, int):
            return (1 << size) - 1
        period = size // gcd(stride, size)
        once = found
        most = min(count, period) if isinstance(count, int) else period
        for number in range(1, most):
            found |= _rotated(once, stride * number, size)
    return found


def _clipped_offsets(start: int, dimensions: Sequence[Dimension], size: int) -> int:
    values = {start}
    for stride, count in dimensions:
        if not isinstance(stride, int):
            return 0
        most = min(count, size) if isinstance(count, int) else size
        before, values = values, set()
        for number in range(most):
            values.update(value + stride * number for value in before)
            if len(values) > _MOST_OFFSETS:
                return 0
    return sum(1 << value for value in values if 0 <= value < size)


def _rotated(bits: int, by: int, size: int) -> int:
    by %= size
    return ((bits << by) & ((1 << size) - 1)) | bits >> (size - by)


def spread(starts: int, length: int, size: int) -> int:
    """Return the elements of all windows of a length, by their starts."""
    covered, bits = 1, starts
    while covered < length:
        step = min(covered, length - covered)
        bits |= _rotated(bits, step, size)
        covered += step
    return bits


# The loops of a kernel ask the same over and over; 18 % of the search for unloaded reads.
@lru_cache(maxsize=256)
def meeting(loaded: int, window: WindowRead, size: int) -> int:
    """Return the starts of the windows with at least one element that is loaded."""
    covered, bits = 1, loaded
    while covered < window.size:
        step = min(covered, window.size - covered)
        bits |= bits >> step if window.is_clipped else _rotated(bits, -step, size)
        covered += step
    return bits
