"""List scheduling of basic blocks and modulo scheduling of loops, without renaming.

List scheduling: instructions that must share a bundle (a cycle of dependences that allow it, such
as two that swap registers) are scheduled together. Greedy schedules are made from both ends and by
several priorities, and the shortest is taken.

Modulo scheduling: a loop begins an iteration every few bundles, before the last one ends. Each
instruction gets a time, in bundles from the start of its iteration; iterations start an initiation
interval apart. The branch of the loop is in the last bundle of the first interval, so that the next
iteration starts after it.
"""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Callable, Iterator, Sequence

from ipu_asm.flow.packing.dependences import (
    Dependence,
    DependenceGraph,
    DependenceKind,
    recurrence_of,
    resource_bound,
)
from ipu_asm.flow.packing.operations import Operation
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

_MAX_STAGES = 4
_MAX_OPERATIONS = 60
_MAX_TRIES = 4_000
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
            if self._tries > _MAX_TRIES:
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
        low, high = 0, _MAX_STAGES * self._interval - 1
        for other, time in self._times.items():
            low = max(low, time + self._distances[other][number])
            high = min(high, time - self._distances[number][other])
        return range(low, high + 1)


Arrangement = list[list[int]]
"""The numbers of the operations in each bundle."""


class _Group(NamedTuple):
    """Operations that share a bundle, and the slots that they take."""

    members: tuple[int, ...]
    slots: Counter[str]


class _Edges(NamedTuple):
    """For each group, the groups before and after it, with the least distance in bundles."""

    before: list[dict[int, int]]
    behind: list[dict[int, int]]

    @property
    def mirrored(self) -> _Edges:
        return _Edges(self.behind, self.before)


_Priority = Callable[[int], tuple[int, ...]]


def schedule(isa: Isa, graph: DependenceGraph) -> Arrangement:
    """Schedule the operations of a block into few bundles, and return the bundles in order.

    Accesses of one memory keep their order.
    """
    operations = graph.operations
    if not operations:
        return []
    arcs = [(each.source, each.target, each.latency) for each in graph.dependences]
    arcs += _order_of_accesses(operations)
    groups = _groups(operations, arcs)
    edges = _edges(groups, arcs)
    capacities = {slot.name: slot.capacity for slot in isa.slots}
    ranks = list(range(len(groups)))
    best: list[int] | None = None
    while True:
        found = _shortest(groups, edges, capacities, ranks)
        if best is not None and max(found) >= max(best):
            return _arranged(groups, best)
        best = found
        # Where priorities are equal, the order decides: try again with the one that was found.
        order = sorted(range(len(groups)), key=lambda group: (found[group], group))
        ranks = [order.index(group) for group in range(len(groups))]


def _shortest(
    groups: Sequence[_Group], edges: _Edges, capacities: dict[str, int], ranks: Sequence[int]
) -> list[int]:
    """Return the bundle of each group, in the shortest of several greedy schedules."""
    found = [_issue(groups, edges, capacities, key) for key in _priorities(edges, ranks)]
    reversed_ranks = [-rank for rank in ranks]
    for key in _priorities(edges.mirrored, reversed_ranks):
        times = _issue(groups, edges.mirrored, capacities, key)
        found.append([max(times) - time for time in times])
    return min(found, key=lambda times: (max(times), _moved(times, groups)))


def _moved(times: Sequence[int], groups: Sequence[_Group]) -> int:
    """Return how many neighbours in the text are in the wrong order, or newly apart."""
    order = sorted(range(len(groups)), key=lambda group: (times[group], group))
    return sum(b != a + 1 for a, b in pairwise(order))


def _order_of_accesses(operations: Sequence[Operation]) -> Iterator[tuple[int, int, int]]:
    last: dict[str, int] = {}
    for number, operation in enumerate(operations):
        for memory in operation.memories:
            if memory in last:
                yield last[memory], number, 0
            last[memory] = number


def _groups(operations: Sequence[Operation], arcs: Sequence[tuple[int, int, int]]) -> list[_Group]:
    """Return the strongly connected operations of the dependences within a bundle.

    By the algorithm of Kosaraju: from the last finished operation back.
    """
    behind: list[list[int]] = [[] for _ in operations]
    before: list[list[int]] = [[] for _ in operations]
    for source, target, latency in arcs:
        if not latency:
            behind[source].append(target)
            before[target].append(source)
    seen = [False] * len(operations)
    finished = [n for start in range(len(operations)) for n in _visited(start, behind, seen)]
    seen = [False] * len(operations)
    found = [sorted(_visited(start, before, seen)) for start in reversed(finished)]
    return [
        _Group(tuple(members), Counter(operations[number].slot for number in members))
        for members in sorted(filter(None, found))
    ]


def _visited(start: int, following: Sequence[Sequence[int]], seen: list[bool]) -> list[int]:
    """Return what is reached from `start` and was not seen, each after all that it leads to."""
    if seen[start]:
        return []
    seen[start] = True
    order: list[int] = []
    path = [(start, iter(following[start]))]
    while path:
        number, rest = path[-1]
        for other in rest:
            if not seen[other]:
                seen[other] = True
                path.append((other, iter(following[other])))
                break
        else:
            order.append(number)
            path.pop()
    return order


def _edges(groups: Sequence[_Group], arcs: Sequence[tuple[int, int, int]]) -> _Edges:
    group_of = {member: number for number, group in enumerate(groups) for member in group.members}
    edges = _Edges([{} for _ in groups], [{} for _ in groups])
    for source, target, latency in arcs:
        first, second = group_of[source], group_of[target]
        if first != second:
            least = max(latency, edges.behind[first].get(second, 0))
            edges.behind[first][second] = edges.before[second][first] = least
    return edges


def _priorities(edges: _Edges, ranks: Sequence[int]) -> list[_Priority]:
    """Return the orders in which groups that are ready get their bundle, by several criteria."""
    heights = _heights(edges)
    counts = [len(behind) for behind in edges.behind]
    return [
        lambda group: (ranks[group],),
        lambda group: (-heights[group], ranks[group]),
        lambda group: (-heights[group], -counts[group], ranks[group]),
    ]


def _heights(edges: _Edges) -> list[int]:
    """Return the longest path from each group to the end."""
    heights = [0] * len(edges.behind)
    waiting = [len(behind) for behind in edges.behind]
    ready = [group for group, count in enumerate(waiting) if not count]
    while ready:
        group = ready.pop()
        for other, latency in edges.before[group].items():
            heights[other] = max(heights[other], heights[group] + latency)
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return heights


def _issue(
    groups: Sequence[_Group], edges: _Edges, capacities: dict[str, int], priority: _Priority
) -> list[int]:
    """Return the bundle of each group: in every bundle, as many ready groups as it can hold."""
    times = [0] * len(groups)
    earliest = [0] * len(groups)
    waiting = [len(before) for before in edges.before]
    ready = [(priority(group), group) for group, count in enumerate(waiting) if not count]
    time = 0
    while ready:
        used: Counter[str] = Counter()
        later: list[tuple[tuple[int, ...], int]] = []
        heapify(ready)
        while ready:
            key, group = heappop(ready)
            if earliest[group] > time or not _fits(groups[group], used, capacities):
                later.append((key, group))
                continue
            times[group] = time
            used += groups[group].slots
            for other, latency in edges.behind[group].items():
                earliest[other] = max(earliest[other], time + latency)
                waiting[other] -= 1
                if not waiting[other]:
                    heappush(ready, (priority(other), other))
        ready = later
        time += 1
    return times


def _fits(group: _Group, used: Counter[str], capacities: dict[str, int]) -> bool:
    return all(used[slot] + count <= capacities[slot] for slot, count in group.slots.items())


def _arranged(groups: Sequence[_Group], times: Sequence[int]) -> Arrangement:
    bundles: Arrangement = [[] for _ in range(max(times) + 1)]
    for group, time in zip(groups, times):
        bundles[time] += group.members
    return [sorted(members) for members in bundles]


def modulo_schedule(isa: Isa, graph: DependenceGraph, length: int) -> ModuloSchedule | None:
    """Return a schedule of a loop's graph with an interval below `length`, the shortest found.

    None if there is none, or if the loop has breaks or not exactly one branch.
    """
    flows = [number for number, each in enumerate(graph.operations) if each.flow is not None]
    if len(flows) != 1 or not graph.operations[flows[0]].is_branch:
        return None
    if len(graph.operations) > _MAX_OPERATIONS:
        return None
    edges = [each for each in graph.dependences if each.kind is not DependenceKind.CONTROL]
    least = max(resource_bound(isa, graph.operations), recurrence_of(graph).bundles, 1)
    for interval in range(least, length):
        times = _Search(isa, graph, edges, interval, flows[0]).times()
        if times is not None:
            return ModuloSchedule(interval, tuple(times))
    return None


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
