"""Modulo scheduling of loops: an iteration begins every few bundles, before the last one ends.

Each instruction gets a time, in bundles from the start of its iteration; iterations start an
initiation interval apart. The branch of the loop is in the last bundle of the first interval, so
that the next iteration starts after it.

A search places instructions one by one. Dependences are differences of times, so what is placed
narrows the times of all others exactly; where an instruction has no time left, the last choice is
taken back.
"""

from __future__ import annotations

from collections import Counter
from typing import Callable, Iterator, Sequence

from ipu_asm.flow.packing.dependences import DependenceGraph, DependenceKind, resource_bound
from ipu_asm.flow.packing.inductive import ShiftedGraph
from ipu_asm.flow.packing.operations import Operation
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

MAX_STAGES = 4
_MAX_OPERATIONS = 400
_MAX_TRIES = 3_000
"""Placements of a search with the most stages; a few hundred find nearly all schedules."""
_MAX_TRIES_FOR_FEWER_STAGES = 400
_MAX_CHOICES = 6

IsOver = Callable[[], bool]
"""Whether the time for a search is over."""


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


class LoopSchedule(NamedTuple):
    """The schedule of a loop for one choice of shifts."""

    schedule: ModuloSchedule
    shifted: ShiftedGraph


_Found = LoopSchedule | None


def loop_branch(graph: DependenceGraph) -> int | None:
    """Return the number of a loop's only branch; None if there is another one, or a break."""
    flows = [number for number, each in enumerate(graph.operations) if each.flow is not None]
    is_one = len(flows) == 1 and graph.operations[flows[0]].is_branch
    return flows[0] if is_one else None


def modulo_schedule(
    isa: Isa,
    graphs: Sequence[ShiftedGraph],
    length: int,
    stages: int = MAX_STAGES,
    is_over: IsOver = lambda: False,
) -> LoopSchedule | None:
    """Return a schedule of a loop with an interval below `length`: the shortest, in few stages.

    `graphs` are those of its possible shifts, the simplest first. None if there is no schedule, or
    if the loop has breaks or not exactly one branch.
    """
    operations = graphs[0].graph.operations
    branch = loop_branch(graphs[0].graph)
    if branch is None or len(operations) > _MAX_OPERATIONS:
        return None

    def found(interval: int, count: int, most: int, tried: Sequence[ShiftedGraph]) -> _Found:
        for shifted in tried:
            last = [interval * count - 1] * len(operations)
            search = Search(isa, shifted.graph, interval, last, most)
            times = None if is_over() else search.times(branch, interval - 1)
            if times is not None:
                return LoopSchedule(ModuloSchedule(interval, tuple(times)), shifted)
        return None

    # With stages to spare, a shift only moves an update by an interval: few choices matter.
    simplest = graphs[:_MAX_CHOICES] if stages > 1 else graphs
    for interval in range(resource_bound(isa, operations), length):
        best = found(interval, stages, _MAX_TRIES, simplest)
        for count in range(1, stages if best is not None else 0):
            fewer = found(interval, count, _MAX_TRIES_FOR_FEWER_STAGES, graphs)
            if fewer is not None:
                return fewer
        if best is not None or is_over():
            return best
    return None


Units = tuple[tuple[str, ...], ...]
"""The units that an operation takes up in each of the slots in which it may be."""


def units_of(isa: Isa, operation: Operation) -> Units:
    """Return the units of the slot of an operation; a slot without units is one itself."""
    return (isa.slot_by_name[operation.slot].units or (operation.slot,),)


class Search:
    """A depth-first search for the times of operations, from 0 to each one's `last`.

    `chosen` has the number of the slot in which each operation is, out of those in `units`.
    """

    def __init__(
        self,
        isa: Isa,
        graph: DependenceGraph,
        interval: int,
        last: Sequence[int],
        most_tries: int,
        *,
        units: Sequence[Units] | None = None,
    ) -> None:
        self.chosen = [0] * len(graph.operations)
        self._units = units or [units_of(isa, each) for each in graph.operations]
        self._capacities = {slot.name: slot.capacity for slot in isa.slots if not slot.units}
        self._interval = interval
        self._tries = most_tries
        self._used: Counter[tuple[str, int]] = Counter()
        self._times = _Times(graph, interval, last)

    def times(self, branch: int, time: int) -> list[int] | None:
        """Return the times, that of the branch being given; None if none are found.

        A number below 0 is no branch.
        """
        times = self._times
        if not times.is_possible or (branch >= 0 and not self._place(branch, time)):
            return None
        rest = [number for number in range(len(self._units)) if number != branch]
        order = sorted(rest, key=lambda number: (times.low[number], number))
        waiting: list[Iterator[tuple[int, int]]] = []
        while len(waiting) < len(order):
            waiting.append(self._free(order[len(waiting)]))
            while not self._next(order[len(waiting) - 1], waiting[-1]):
                waiting.pop()
                if not waiting or self._tries <= 0:
                    return None
                self._take_back(order[len(waiting) - 1])
        return times.low

    def _next(self, number: int, free: Iterator[tuple[int, int]]) -> bool:
        """Place an operation at the next time that is free for it; return whether there is one."""
        for time, choice in free:
            self._tries -= 1
            if self._tries <= 0:
                return False
            self.chosen[number] = choice
            if self._place(number, time):
                return True
        return False

    def _free(self, number: int) -> Iterator[tuple[int, int]]:
        low, high = self._times.low[number], self._times.high[number]
        for time in range(low, min(high + 1, low + self._interval)):
            for choice, units in enumerate(self._units[number]):
                place = time % self._interval
                if all(self._used[u, place] < self._capacities.get(u, 1) for u in units):
                    yield time, choice

    def _place(self, number: int, time: int) -> bool:
        if not self._times.fix(number, time):
            return False
        self._count(number, time, 1)
        return True

    def _take_back(self, number: int) -> None:
        self._count(number, self._times.low[number], -1)
        self._times.undo()

    def _count(self, number: int, time: int, count: int) -> None:
        for unit in self._units[number][self.chosen[number]]:
            self._used[unit, time % self._interval] += count


class _Times:
    """The times that are left for each operation, from `low` to `high`."""

    def __init__(self, graph: DependenceGraph, interval: int, last: Sequence[int]) -> None:
        count = len(graph.operations)
        self.low, self.high = [0] * count, list(last)
        self._behind: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self._before: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        for each in graph.dependences:
            if each.kind is not DependenceKind.CONTROL:
                weight = each.latency - interval * each.iterations
                self._behind[each.source].append((each.target, weight))
                self._before[each.target].append((each.source, weight))
        # What was narrowed since each operation was fixed: its number, and the bounds before.
        self._trail: list[list[tuple[int, int, int]]] = [[]]
        self.is_possible = self._spread(list(range(count)))

    def fix(self, number: int, time: int) -> bool:
        """Give an operation its time; return whether all others have a time left."""
        self._trail.append([])
        if self._narrow(number, time, time) and self._spread([number]):
            return True
        self.undo()
        return False

    def undo(self) -> None:
        """Take back what was fixed last."""
        for number, low, high in reversed(self._trail.pop()):
            self.low[number], self.high[number] = low, high

    def _narrow(self, number: int, low: int, high: int) -> bool:
        self._trail[-1].append((number, self.low[number], self.high[number]))
        self.low[number], self.high[number] = low, high
        return low <= high

    def _spread(self, changed: list[int]) -> bool:
        low, high = self.low, self.high
        while changed:
            number = changed.pop()
            for other, weight in self._behind[number]:
                least = low[number] + weight
                if least > low[other]:
                    if not self._narrow(other, least, high[other]):
                        return False
                    changed.append(other)
            for other, weight in self._before[number]:
                most = high[number] - weight
                if most < high[other]:
                    if not self._narrow(other, low[other], most):
                        return False
                    changed.append(other)
        return True
