"""The iterations of a loop that is executed."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.trace import Node, Segment
from ipu_asm.flow.control_run.values import Value, minus
from ipu_asm.named_tuple import NamedTuple

_UNIFORM = 3
_LONGEST_PERIOD = 512


class UnknownExit(NamedTuple):
    """A branch that was assumed to stay in its loop.

    `place` is the number of nodes before it in its iteration; `after` are the values of all
    registers after its bundle. `registers` are those that it depends on.
    """

    address: int
    place: int
    iteration: int
    registers: tuple[str, ...]
    after: Sequence[Value]


class Iteration(NamedTuple):
    """An iteration of a loop, with the values of all registers at its end.

    `changes` are the differences of these from the values at the end of the iteration before it.
    """

    nodes: Sequence[Node]
    values: Sequence[Value]
    changes: Sequence[Value]


class LoopIterations:
    """The iterations of an entry of a loop so far; those in `recent` are the last ones.

    `exits` are the branches in them whose outcome is not known. `cyclic` are the registers that the
    loop updates modulo a power of two. Only as many iterations together can be uniform as it takes
    until these have the same values again: a period.
    """

    def __init__(self, head: int, last: int, cyclic: Sequence[int] = ()) -> None:
        self.head = head
        self.last = last
        self.segments: list[Segment] = []
        self.recent: list[Iteration] = []
        self.exits: list[UnknownExit] = []
        self._cyclic = cyclic
        self._count = 0
        # The number of the last iteration that ended with certain values of these registers.
        self._seen: dict[tuple[Value, ...], int] = {}
        self._period: int | None = None

    def contains(self, address: int) -> bool:
        """Return whether an address is between the first and the last of the loop."""
        return self.head <= address <= self.last

    def finish(self, nodes: Sequence[Node], values: Sequence[Value]) -> None:
        """Add an iteration that reached the head again. Most registers keep the same value."""
        old = self.recent[-1].values if self.recent else values
        # Numbers are subtracted here and in `strides_between` without a call: with the bounds of
        # accesses worked out once, control runs of kernels take 10 % less.
        changes = [
            0 if a is b else b - a if type(a) is int and type(b) is int else minus(b, a)
            for a, b in zip(old, values)
        ]
        self.recent.append(Iteration(nodes, values, changes))
        if self._cyclic:
            self._count += 1
            key = tuple(values[register] for register in self._cyclic)
            earlier = self._seen.get(key)
            self._period = None if earlier is None else self._count - earlier
            self._seen[key] = self._count

    def periods(self) -> Sequence[int]:
        """Return how many iterations together may be uniform, as far as enough of them have ended.

        Without cyclic registers it is one, or two for a loop that alternates between two buffers.
        """
        periods = (1, 2) if not self._cyclic else (self._period,) if self._period else ()
        return [period for period in periods if _UNIFORM * period <= len(self.recent)]

    def last_periods(self, period: int) -> Sequence[Sequence[Node]]:
        """Return the nodes of the last three periods."""
        recent = self.recent[-_UNIFORM * period :]
        if period == 1:
            return [iteration.nodes for iteration in recent]
        parts = (recent[first : first + period] for first in range(0, len(recent), period))
        return [[node for each in part for node in each.nodes] for part in parts]

    def changes(self, period: int) -> Sequence[Value] | None:
        """Return the changes of all values in the last period; None if they were others before."""
        if period == 1:
            changes = self.recent[-1].changes
            return changes if changes == self.recent[-2].changes else None
        ends = [self.recent[-1 - number * period].values for number in range(3)]
        last, before = (
            [minus(b, a) for a, b in zip(ends[number + 1], ends[number])] for number in range(2)
        )
        return last if last == before else None

    def drop_oldest(self) -> None:
        """Add the iterations to the trace that are too old to be part of a fold."""
        most = _UNIFORM * (_LONGEST_PERIOD if self._cyclic else 2)
        while len(self.recent) > most:
            self.segments.append(Segment(self.recent.pop(0).nodes, 1))

    def fold(self, nodes: Sequence[Node], iterations: Value | None, period: int) -> None:
        """Replace the last three periods, and all that follow uniformly, by one segment."""
        older = self.recent[: -_UNIFORM * period]
        self.segments += [Segment(iteration.nodes, 1) for iteration in older]
        self.segments.append(Segment(nodes, iterations, period))
        self.recent.clear()
        self._seen.clear()
        self._period = None

    def end(self, nodes: Sequence[Node]) -> None:
        """End the loop with an iteration that did not reach the head again."""
        self.segments += [Segment(iteration.nodes, 1) for iteration in self.recent]
        if nodes:
            self.segments.append(Segment(nodes, 1))
