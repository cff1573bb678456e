"""List scheduling of a basic block: its instructions in fewer bundles, without renaming.

Instructions that must share a bundle (a cycle of dependences that allow it, such as two that swap
registers) are scheduled together. Greedy schedules are made from both ends and by several
priorities, and the shortest is taken.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Callable, Iterator, NamedTuple, Sequence

from ipu_asm.flow.packing.dependences import DependenceGraph
from ipu_asm.flow.packing.operations import Operation
from ipu_asm.isa.model import Isa

Arrangement = list[list[int]]
"""The numbers of the operations in each bundle."""


class _Group(NamedTuple):
    """Operations that share a bundle, and the slots that they take."""

    members: tuple[int, ...]
    slots: Counter[str]


class _Edges(NamedTuple):
    """For each group, the groups before and behind it, with the least distance in bundles."""

    before: list[dict[int, int]]
    behind: list[dict[int, int]]

    @property
    def mirrored(self) -> _Edges:
        return _Edges(self.behind, self.before)


_Priority = Callable[[int], tuple[int, ...]]


def schedule(isa: Isa, graph: DependenceGraph) -> Arrangement:
    """Return the operations of a block in as few bundles as was found, the first bundle first.

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
    """Return the strongly connected operations of the dependences within a bundle."""
    together: dict[int, set[int]] = {number: set() for number in range(len(operations))}
    for source, target, latency in arcs:
        if not latency:
            together[source].add(target)
    reached = {number: _reachable(number, together) for number in together}
    groups: list[_Group] = []
    seen: set[int] = set()
    for number, targets in reached.items():
        if number not in seen:
            members = tuple(sorted({number} | {n for n in targets if number in reached[n]}))
            seen.update(members)
            groups.append(_Group(members, Counter(operations[n].slot for n in members)))
    return groups


def _reachable(start: int, following: dict[int, set[int]]) -> set[int]:
    reached: set[int] = set()
    waiting = list(following[start])
    while waiting:
        number = waiting.pop()
        if number not in reached:
            reached.add(number)
            waiting += following[number]
    return reached


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
    times: dict[int, int] = {}
    waiting = [len(before) for before in edges.before]
    ready = {group for group, count in enumerate(waiting) if not count}
    time = 0
    while ready:
        used: Counter[str] = Counter()
        candidates = sorted(ready, key=priority)
        while candidates:
            chosen = next(
                (
                    group
                    for group in candidates
                    if _earliest(group, edges, times) <= time
                    and _fits(groups[group], used, capacities)
                ),
                None,
            )
            if chosen is None:
                break
            times[chosen] = time
            used += groups[chosen].slots
            ready.remove(chosen)
            for other in edges.behind[chosen]:
                waiting[other] -= 1
                if not waiting[other]:
                    ready.add(other)
            candidates = sorted(ready, key=priority)
        time += 1
    return [times[group] for group in range(len(groups))]


def _earliest(group: int, edges: _Edges, times: dict[int, int]) -> int:
    return max((times[other] + least for other, least in edges.before[group].items()), default=0)


def _fits(group: _Group, used: Counter[str], capacities: dict[str, int]) -> bool:
    return all(used[slot] + count <= capacities[slot] for slot, count in group.slots.items())


def _arranged(groups: Sequence[_Group], times: Sequence[int]) -> Arrangement:
    bundles: Arrangement = [[] for _ in range(max(times) + 1)]
    for group, time in zip(groups, times):
        bundles[time] += group.members
    return [sorted(members) for members in bundles]
