"""The trace of a control run: executed bundles, with uniform iterations of loops folded.

The iterations of a loop are folded into one if all take the same path and each value that they
compare or address with changes by the same amount from one to the next.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.flow.control_run.values import Value, minus, times
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
