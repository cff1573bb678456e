"""The trace of a control run: executed bundles, with uniform iterations of loops folded.

The iterations of a loop are folded into one if all take the same path and each value that they
compare or address with changes by the same amount from one to the next. Such values are
progressions, which are joined, counted, and turned into ranges of bytes.
"""

from __future__ import annotations

from math import gcd, prod
from typing import Iterable, Iterator, Sequence

from ipu_asm.flow.control_run.values import Value, divided, minus, plus, times
from ipu_asm.named_tuple import NamedTuple

Dimension = tuple[Value, Value | None]
"""A stride and a count, as an unsigned number; without a count there is no end."""


class Progression(NamedTuple):
    """The values ``start + sum(stride * k for each dimension, 0 <= k < count)``, inner first."""

    start: Value
    dimensions: tuple[Dimension, ...] = ()


class Executed(NamedTuple):
    """One execution of the bundle at an address, or all of them in folded iterations.

    `taken` is the outcome of its branch, None without one. `values` are the compared values, then
    the addresses of its accesses, the first elements of its windows, and the values of observed
    registers, each before and after it.
    """

    address: int
    taken: bool | None
    values: tuple[Progression, ...]


class Segment(NamedTuple):
    """A number of uniform iterations, as an unsigned number; None if they have no end.

    With a `period`, `nodes` are so many iterations of the loop, and are repeated together.
    """

    nodes: Sequence[Node]
    iterations: Value | None
    period: int = 1

    @property
    def trips(self) -> Value | None:
        """The number of iterations of the loop; None if they have no end."""
        return None if self.iterations is None else times(self.iterations, self.period)

    def periods(self, head: int) -> list[Sequence[Node]]:
        """Return the nodes of each iteration of the loop in a period; `head` is its address."""
        starts = [
            place
            for place, node in enumerate(self.nodes)
            if isinstance(node, Executed) and node.address == head
        ]
        return [self.nodes[a:b] for a, b in zip(starts, [*starts[1:], len(self.nodes)])]


class LoopRun(NamedTuple):
    """One entry of a loop: its iterations, in order."""

    head: int
    segments: Sequence[Segment]


Node = Executed | LoopRun


def strides_between(first: Sequence[Node], second: Sequence[Node]) -> list[Value] | None:
    """Return the change of each value from one iteration to the next; None if the paths differ."""
    found: list[Value] = []
    return found if _add_strides(first, second, found) else None


def _add_strides(first: Sequence[Node], second: Sequence[Node], found: list[Value]) -> bool:
    if len(first) != len(second):
        return False
    for a, b in zip(first, second):
        if isinstance(a, Executed):
            if not isinstance(b, Executed) or a.address != b.address or a.taken is not b.taken:
                return False
            for (x, dimensions), (y, others) in zip(a.values, b.values):
                if dimensions != others:
                    return False
                found.append(y - x if type(x) is int and type(y) is int else minus(y, x))
        else:
            if isinstance(b, Executed) or a.head != b.head or len(a.segments) != len(b.segments):
                return False
            for one, other in zip(a.segments, b.segments):
                if one[1:] != other[1:] or not _add_strides(one.nodes, other.nodes, found):
                    return False
    return True


def folded(nodes: Sequence[Node], strides: Sequence[Value], count: Value | None) -> list[Node]:
    """Return an iteration with one more dimension for each value."""
    return _folded(nodes, iter(strides), count)


def _folded(nodes: Sequence[Node], strides: Iterator[Value], count: Value | None) -> list[Node]:
    made: list[Node] = []
    for node in nodes:
        if isinstance(node, Executed):
            values = tuple(
                [
                    Progression(s, (*dimensions, (next(strides), count)))
                    for s, dimensions in node.values
                ]
            )
            made.append(Executed(node.address, node.taken, values))
        else:
            segments = [s._replace(nodes=_folded(s.nodes, strides, count)) for s in node.segments]
            made.append(LoopRun(node.head, segments))
    return made


def executions(nodes: Sequence[Node]) -> Iterator[Executed]:
    """Yield the executed bundles of nodes, those of loops included, in order."""
    for node in nodes:
        if isinstance(node, Executed):
            yield node
        else:
            for segment in node.segments:
                yield from executions(segment.nodes)


def loop_runs(nodes: Sequence[Node]) -> Iterator[LoopRun]:
    """Yield the entries of loops, outer ones before those inside them."""
    for node in nodes:
        if isinstance(node, LoopRun):
            yield node
            for segment in node.segments:
                yield from loop_runs(segment.nodes)


MAX_RANGES = 1 << 15
"""Ranges of bytes of one access; a memory of 8 MiB has room for no more that are 128 bytes long."""


def extent(progression: Progression) -> tuple[int, int] | None:
    """Return the lowest and the highest number; None if they depend on unknown values.

    An unknown number of repetitions counts as at least one.
    """
    low = high = progression.start
    for stride, count in progression.dimensions:
        if stride == 0:
            continue
        if not isinstance(stride, int) or not isinstance(count, int):
            return None
        low = plus(low, min(0, stride * (count - 1)))
        high = plus(high, max(0, stride * (count - 1)))
    return (low, high) if isinstance(low, int) and isinstance(high, int) else None


def number_count(progression: Progression) -> int | None:
    """Return how many numbers there are, repeated ones included; None if it is not known."""
    counts = [count for _, count in progression.dimensions]
    known = [count for count in counts if isinstance(count, int)]
    return prod(known) if len(known) == len(counts) else None


def numbers(progression: Progression) -> Iterator[int]:
    """Yield the numbers, repeated ones included. Raises `ValueError` if they are not known."""
    start, dimensions = progression
    counts = [count for _, count in dimensions if isinstance(count, int)]
    strides = [stride for stride, _ in dimensions if isinstance(stride, int)]
    if not isinstance(start, int) or not len(dimensions) == len(counts) == len(strides):
        raise ValueError("the numbers of this progression are not known")
    yield from _sums(start, list(zip(strides, counts)))


def _sums(start: int, dimensions: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the numbers one by one, because there may be billions; the first dimension is inner."""
    if not dimensions:
        yield start
        return
    *inner, (stride, count) = dimensions
    for place in range(count):
        yield from _sums(start + stride * place, inner)


def moves(progression: Progression) -> bool:
    """Return whether there may be more than one number."""
    return any(stride != 0 and count != 1 for stride, count in progression.dimensions)


def in_units(progression: Progression, unit: int) -> Progression:
    """Return the numbers of units of numbers that are multiples of a unit."""
    dimensions = tuple((divided(stride, unit), count) for stride, count in progression.dimensions)
    return Progression(divided(progression.start, unit), dimensions)


def joined(progressions: Sequence[Progression]) -> list[Progression]:
    """Return the same numbers in fewer progressions where one continues the one before it."""
    found: list[Progression] = []
    for progression in progressions:
        last = _flattened(progression)
        while found:
            longer = _continued(found[-1], last)
            if longer is None:
                break
            found.pop()
            last = _flattened(longer)
        found.append(last)
    return found


def _flattened(progression: Progression) -> Progression:
    """Join dimensions where one continues the one before it: 4 rows of 128 are 512 in a row."""
    dimensions: list[Dimension] = []
    for stride, count in progression.dimensions:
        if dimensions and count is not None:
            inner_stride, inner = dimensions[-1]
            if isinstance(inner, int) and stride == times(inner_stride, inner):
                dimensions[-1] = (inner_stride, times(inner, count))
                continue
        dimensions.append((stride, count))
    return Progression(progression.start, tuple(dimensions))


def _continued(first: Progression, second: Progression) -> Progression | None:
    """Return one progression with the numbers of both; None if there is none."""
    difference = minus(second.start, first.start)
    if first.dimensions == second.dimensions:
        return Progression(first.start, (*first.dimensions, (difference, 2)))
    more = len(first.dimensions) - len(second.dimensions)
    if more == 0:
        return _lengthened(first, second)
    longer, shorter = (first, second.dimensions) if more > 0 else (second, first.dimensions)
    if abs(more) > 1:
        return None
    for place, (stride, count) in enumerate(longer.dimensions):
        rest = (*longer.dimensions[:place], *longer.dimensions[place + 1 :])
        if count is None or rest != shorter:
            continue
        if difference == (times(stride, count) if more > 0 else stride):
            return _with_count(longer, place, (stride, plus(count, 1)))._replace(start=first.start)
    return None


def _lengthened(first: Progression, second: Progression) -> Progression | None:
    """Join two progressions that differ in one count, where the second continues the first."""
    pairs = list(zip(first.dimensions, second.dimensions))
    different = [place for place, (a, b) in enumerate(pairs) if a != b]
    (stride, count), (other_stride, other) = pairs[different[0]]
    if len(different) > 1 or stride != other_stride or count is None or other is None:
        return None
    if minus(second.start, first.start) != times(stride, count):
        return None
    return _with_count(first, different[0], (stride, plus(count, other)))


def _with_count(progression: Progression, place: int, dimension: Dimension) -> Progression:
    start, dimensions = progression
    return Progression(start, (*dimensions[:place], dimension, *dimensions[place + 1 :]))


def byte_ranges(
    progressions: Sequence[Progression], size: int, modulus: int = 0
) -> list[range] | None:
    """Return the bytes of accesses of `size` bytes as sorted ranges that do not touch.

    With a `modulus`, addresses count modulo it. None if addresses depend on unknown values, or if
    there are more than `MAX_RANGES`; an unknown number of repetitions of an access counts as at
    least one.
    """
    found: list[range] = []
    for progression in progressions:
        if extent(progression) is None:
            return None
        ranges = _ranges_of(progression, size, modulus)
        found += _within(ranges, modulus) if modulus else ranges
        if len(found) > MAX_RANGES:
            found = merged(found)
        if max(len(ranges), len(found)) > MAX_RANGES:
            return None
    return merged(found)


def distinct_count(progressions: Sequence[Progression]) -> int | None:
    """Return how many different numbers there are; None as of `byte_ranges`."""
    if len(progressions) == 1 and extent(progressions[0]) is not None:
        moving = tuple(each for each in progressions[0].dimensions if each[0] != 0)
        if is_apart(Progression(0, moving), 1):
            return number_count(Progression(0, moving))
    ranges = byte_ranges(progressions, 1)
    return None if ranges is None else sum(map(len, ranges))


def is_apart(progression: Progression, size: int) -> bool:
    """Return whether accesses of `size` bytes surely touch different bytes, where they move."""
    reach = size
    strides = sorted(
        (abs(stride), count)
        for stride, count in progression.dimensions
        if isinstance(stride, int) and isinstance(count, int) and count > 1
    )
    for stride, count in strides:
        if stride < reach:
            return False
        reach += stride * (count - 1)
    return True


def merged(ranges: Iterable[range], gap: int = 0) -> list[range]:
    """Return the union of ranges, sorted, as ranges that do not touch each other.

    Those with no more than `gap` numbers between them become one.
    """
    found: list[range] = []
    for each in sorted(ranges, key=lambda each: each.start):
        if found and each.start <= found[-1].stop + gap:
            if each.stop > found[-1].stop:
                found[-1] = range(found[-1].start, each.stop)
        else:
            found.append(each)
    return found


def shared(first: Sequence[range], second: Sequence[range]) -> list[range]:
    """Return what two lists of sorted ranges have in common, as such a list."""
    found: list[range] = []
    place = 0
    for one in first:
        while place < len(second) and second[place].stop <= one.start:
            place += 1
        number = place
        while number < len(second) and second[number].start < one.stop:
            other = second[number]
            found.append(range(max(one.start, other.start), min(one.stop, other.stop)))
            number += 1
    return found


def without(whole: range, parts: Iterable[range]) -> list[range]:
    """Return what is left of a range without some parts, in order."""
    left, start = [], whole.start
    for part in sorted(parts, key=lambda each: each.start):
        if part.stop <= start or part.start >= whole.stop:
            continue
        if part.start > start:
            left.append(range(start, part.start))
        start = part.stop
    return [*left, range(start, whole.stop)] if start < whole.stop else left


def _ranges_of(progression: Progression, size: int, modulus: int) -> list[range]:
    start = progression.start
    assert isinstance(start, int)
    steps: list[tuple[int, int]] = []
    for stride, count in progression.dimensions:
        if stride == 0:
            continue
        assert isinstance(stride, int)
        assert isinstance(count, int)
        if modulus:
            stride %= modulus
            count = min(count, modulus // gcd(stride, modulus))
        elif stride < 0:
            start, stride = start + stride * (count - 1), -stride
        if stride and count:
            steps.append((stride, count))
    ranges = [range(start, start + size)]
    for stride, count in sorted(steps):
        ranges = _repeated(ranges, stride, count)
    return ranges


def _repeated(ranges: list[range], stride: int, count: int) -> list[range]:
    """Return the union of `count` copies, each `stride` after the one before it."""
    if len(ranges) == 1 and stride <= len(ranges[0]):
        return [range(ranges[0].start, ranges[0].stop + stride * (count - 1))]
    copies = 1
    while copies < count and len(ranges) <= MAX_RANGES:
        more = min(copies, count - copies)
        shift = stride * more
        ranges = merged([*ranges, *(range(r.start + shift, r.stop + shift) for r in ranges)])
        copies += more
    return ranges


def _within(ranges: Sequence[range], modulus: int) -> Iterator[range]:
    """Yield the parts of ranges modulo the size of a space."""
    for each in ranges:
        if len(each) >= modulus:
            yield range(modulus)
            return
        start = each.start % modulus
        stop = start + len(each)
        yield range(start, min(stop, modulus))
        if stop > modulus:
            yield range(stop - modulus)
