"""The offsets and bytes that accesses touch, as sets of bits: bit n is offset n.

A set of all bytes of a memory of 2 MiB is a number of 256 KiB, on which Python's operators work at
once: an access in nested loops needs a few dozen of them, however often it is executed.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.flow.control_run.trace import Progression

_Dimensions = tuple[tuple[int, int], ...]


def offsets_of(progressions: Sequence[Progression], space_size: int) -> int | None:
    """Return the set of the values of progressions.

    None if a start, a stride or a count is not known, or if a value is outside of a memory of
    `space_size` bytes.
    """
    starts: dict[_Dimensions, bytearray] = {}
    for progression in progressions:
        found = _upwards(progression)
        if found is None:
            return None
        start, dimensions = found
        last = start + sum(stride * (count - 1) for stride, count in dimensions)
        if start < 0 or last >= space_size:
            return None
        # Those that differ in their starts alone are repeated together.
        bits = starts.setdefault(dimensions, bytearray())
        if len(bits) <= start >> 3:
            bits.extend(bytes((start >> 3) + 1 - len(bits)))
        bits[start >> 3] |= 1 << (start & 7)
    touched = 0
    for dimensions, bits in starts.items():
        of_these = int.from_bytes(bits, "little")
        for stride, count in dimensions:
            of_these = _repeated(of_these, stride, count)
        touched |= of_these
    return touched


def bytes_of(offsets: int, size: int) -> int:
    """Return the set of bytes of accesses of `size` bytes each at a set of offsets."""
    return _repeated(offsets, 1, size)


def extent_of(touched: int) -> tuple[int, int]:
    """Return the lowest bit of a set that is not empty, and the highest one plus 1."""
    return (touched & -touched).bit_length() - 1, touched.bit_length()


def ranges_of(touched: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of consecutive bits: the first, and the last plus 1."""
    digits = f"{touched:b}"[::-1]
    start = digits.find("1")
    while start >= 0:
        end = digits.find("0", start)
        yield start, len(digits) if end < 0 else end
        start = -1 if end < 0 else digits.find("1", end)


def _upwards(progression: Progression) -> tuple[int, _Dimensions] | None:
    """Return the lowest value and the dimensions that repeat it, with positive strides."""
    start, dimensions = progression
    upwards: list[tuple[int, int]] = []
    if not isinstance(start, int):
        return None
    for stride, count in dimensions:
        if not isinstance(stride, int) or count is None:
            return None
        if stride < 0:
            start += stride * (count - 1)
        if stride and count > 1:
            upwards.append((abs(stride), count))
    return start, tuple(sorted(upwards))


def _repeated(bits: int, stride: int, count: int) -> int:
    """Return the union of `count` copies of a set, each `stride` above the one before."""
    copies = 1
    while copies < count:
        more = min(copies, count - copies)
        bits |= bits << (stride * more)
        copies += more
    return bits
