"""List scheduling of basic blocks, without renaming.

Instructions that must share a bundle (a cycle of dependences that allow it, such as two that swap
registers) are scheduled together. Greedy schedules are made from both ends and by several
priorities, and the shortest is taken.
"""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Callable, Iterator, Sequence

from ipu_asm.flow.packing.dependences import DependenceGraph
from ipu_asm.flow.packing.operations import Operation
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

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
