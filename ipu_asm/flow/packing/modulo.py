"""Modulo scheduling: a loop that begins an iteration every few bundles, before the last one ends.

Each instruction of an iteration gets a time, in bundles from the start of its iteration; iterations
start an initiation interval apart. The loop's branch is in the last bundle of the first interval,
so that the next iteration starts behind it. No register is renamed.
"""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Sequence

from ipu_asm.flow.packing.bounds import recurrence_of, resource_bound
from ipu_asm.flow.packing.dependences import Dependence, DependenceGraph, DependenceKind
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

_MOST_STAGES = 4
_MOST_OPERATIONS = 60
_MOST_TRIES = 4_000
_NEVER = -(1 << 30)


class ModuloSchedule(NamedTuple):
    """The time of each operation in its iteration; iterations start `interval` bundles apart."""

    interval: int
    times: tuple[int, ...]

    @property
    def stages(self) -> int:
        """The number of iterations that are under way at the same time."""
        return max(self.times) // self.interval + 1

    def in_bundle(self, number: int, stages: range) -> list[int]:
        """Return the operations of some stages that are issued in a bundle of the interval."""
        return [
            operation
            for operation, time in enumerate(self.times)
            if time % self.interval == number and time // self.interval in stages
        ]


def modulo_schedule(isa: Isa, graph: DependenceGraph, length: int) -> ModuloSchedule | None:
    """Return a schedule of a loop's graph with an interval below `length`, the shortest found.

    None if there is none, or if the loop has breaks or not exactly one branch.
    """
    flows = [number for number, each in enumerate(graph.operations) if each.flow is not None]
    if len(flows) != 1 or not graph.operations[flows[0]].is_branch:
        return None
    if len(graph.operations) > _MOST_OPERATIONS:
        return None
    edges = [each for each in graph.dependences if each.kind is not DependenceKind.CONTROL]
    least = max(resource_bound(isa, graph.operations), recurrence_of(graph).bundles, 1)
    for interval in range(least, length):
        times = _Search(isa, graph, edges, interval, flows[0]).times()
        if times is not None:
            return ModuloSchedule(interval, tuple(times))
    return None


class _Search:
    """Places operations one by one, each as early as its distances to those placed allow."""

    def __init__(
        self,
        isa: Isa,
        graph: DependenceGraph,
        edges: Sequence[Dependence],
        interval: int,
        branch: int,
    ) -> None:
        self._operations = graph.operations
        self._capacities = {slot.name: slot.capacity for slot in isa.slots}
        self._interval = interval
        self._distances = _distances(len(graph.operations), edges, interval)
        self._times: dict[int, int] = {branch: interval - 1}
        self._used = Counter({(graph.operations[branch].slot, interval - 1): 1})
        self._tries = 0
        first = [self._window(number).start for number in range(len(graph.operations))]
        rest = (number for number in range(len(graph.operations)) if number != branch)
        self._order = sorted(rest, key=lambda number: (first[number], number))

    def times(self) -> list[int] | None:
        """Return the times, None if none were found."""
        if any(self._distances[n][n] > 0 for n in range(len(self._operations))):
            return None
        if not self._place(0):
            return None
        return [self._times[number] for number in range(len(self._operations))]

    def _place(self, position: int) -> bool:
        if position == len(self._order):
            return True
        number = self._order[position]
        for time in self._free(number):
            self._tries += 1
            if self._tries > _MOST_TRIES:
                return False
            place = self._operations[number].slot, time % self._interval
            self._times[number] = time
            self._used[place] += 1
            if self._place(position + 1):
                return True
            del self._times[number]
            self._used[place] -= 1
        return False

    def _free(self, number: int) -> Iterator[int]:
        slot = self._operations[number].slot
        window = self._window(number)
        for time in window[: self._interval]:
            if self._used[slot, time % self._interval] < self._capacities[slot]:
                yield time

    def _window(self, number: int) -> range:
        """Return the times that the distances to all placed operations allow."""
        low, high = 0, _MOST_STAGES * self._interval - 1
        for other, time in self._times.items():
            low = max(low, time + self._distances[other][number])
            high = min(high, time - self._distances[number][other])
        return range(low, high + 1)


def _distances(count: int, edges: Sequence[Dependence], interval: int) -> list[list[int]]:
    """Return the least distances between all operations, by the algorithm of Floyd and Warshall."""
    found = [[_NEVER] * count for _ in range(count)]
    for each in edges:
        row = found[each.source]
        row[each.target] = max(row[each.target], each.latency - interval * each.iterations)
    for middle in range(count):
        behind = found[middle]
        for row in found:
            ahead = row[middle]
            if ahead > _NEVER:
                for target in range(count):
                    if behind[target] > _NEVER and ahead + behind[target] > row[target]:
                        row[target] = ahead + behind[target]
    return found
