"""Lower bounds for the length of a block, and for the bundles of an iteration of a loop.

No schedule of a block is shorter than what its busiest slot or its longest chain of dependences
takes. No schedule of a loop issues an iteration more often than its busiest slot allows, or than a
recurrence does: a cycle of dependences that comes back to an instruction in a later iteration.
"""

from __future__ import annotations

from collections import Counter
from typing import Sequence

from ipu_asm.flow.packing.dependences import Dependence, DependenceGraph, DependenceKind
from ipu_asm.flow.packing.operations import Operation
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple


class SlotPressure(NamedTuple):
    """How many instructions a slot or unit gets, and how many of them a bundle can hold."""

    slot: str
    operations: int
    capacity: int

    @property
    def bundles(self) -> int:
        """The number of bundles that they take at least."""
        return -(-self.operations // self.capacity)


class Recurrence(NamedTuple):
    """The cycle of dependences that takes the most bundles for each iteration; none if empty.

    `bundles` is the least initiation interval that it allows.
    """

    bundles: int
    cycle: tuple[Dependence, ...]


def slot_pressure(isa: Isa, operations: Sequence[Operation]) -> list[SlotPressure]:
    """Return the pressure on each slot that is used, the one that binds first.

    Of slots that take up functional units, it is the pressure on the units.
    """
    counts: Counter[str] = Counter()
    capacities: dict[str, int] = {}
    for slot in isa.slots:
        capacities |= dict.fromkeys(slot.units, 1) or {slot.name: slot.capacity}
    for operation in operations:
        counts.update(isa.slot_by_name[operation.slot].units or (operation.slot,))
    used = [
        SlotPressure(name, counts[name], capacities[name]) for name in capacities if counts[name]
    ]
    return sorted(used, key=lambda each: -each.operations / each.capacity)


def resource_bound(isa: Isa, operations: Sequence[Operation]) -> int:
    """Return the bundles that the busiest slot takes; a block has one at least."""
    return max((each.bundles for each in slot_pressure(isa, operations)), default=1)


def least_bundles(isa: Isa, graph: DependenceGraph) -> int:
    """Return a lower bound for the bundles of a block: of its slots and its dependences."""
    chain = sum(each.latency for each in critical_path(graph)) + 1
    return max(resource_bound(isa, graph.operations), chain)


def critical_path(graph: DependenceGraph) -> list[Dependence]:
    """Return the chain of dependences within an iteration that takes the most bundles."""
    edges = [each for each in graph.dependences if not each.iterations]
    longest, reached_by = _longest_paths(len(graph.operations), edges, 0)
    chain: list[Dependence] = []
    place = max(range(len(longest)), key=longest.__getitem__, default=0)
    while longest and longest[place]:
        edge = reached_by[place]
        assert edge is not None
        chain.append(edge)
        place = edge.source
    return chain[::-1]


def recurrence_of(graph: DependenceGraph) -> Recurrence:
    """Return the recurrence of a loop's graph that takes the most bundles.

    Branches and breaks are left out: iterations may overlap.
    """
    edges = [each for each in graph.dependences if each.kind is not DependenceKind.CONTROL]
    found = Recurrence(0, ())
    while True:
        _, reached_by = _longest_paths(len(graph.operations), edges, found.bundles)
        cycle = _cycle_in(reached_by)
        if not cycle:
            return found
        latency = sum(each.latency for each in cycle)
        iterations = sum(each.iterations for each in cycle)
        found = Recurrence(-(-latency // iterations), tuple(cycle))


def _longest_paths(
    count: int, edges: Sequence[Dependence], interval: int
) -> tuple[list[int], list[Dependence | None]]:
    """Return the longest path to each operation and its last edge, or a cycle of last edges.

    An iteration counts as `interval` bundles. A cycle that takes more has paths of any length.
    """
    weighted = [(each.source, each.target, each.latency - interval * each.iterations, each)
                for each in edges]  # fmt: skip
    longest = [0] * count
    reached_by: list[Dependence | None] = [None] * count
    is_changed = True
    while is_changed and not _cycle_in(reached_by):
        is_changed = False
        for source, target, weight, edge in weighted:
            if longest[source] + weight > longest[target]:
                longest[target] = longest[source] + weight
                reached_by[target] = edge
                is_changed = True
    return longest, reached_by


def _cycle_in(reached_by: Sequence[Dependence | None]) -> list[Dependence]:
    """Return the cycle that following last edges back leads into; empty if there is none."""
    settled = [False] * len(reached_by)
    for start in range(len(reached_by)):
        path: list[int] = []
        on_path: set[int] = set()
        place: int | None = start
        while place is not None and not settled[place] and place not in on_path:
            path.append(place)
            on_path.add(place)
            edge = reached_by[place]
            place = None if edge is None else edge.source
        if place is not None and place in on_path:
            return _edges_of_cycle(reached_by, place)
        for each in path:
            settled[each] = True
    return []


def _edges_of_cycle(reached_by: Sequence[Dependence | None], start: int) -> list[Dependence]:
    cycle: list[Dependence] = []
    place = start
    while not cycle or place != start:
        edge = reached_by[place]
        assert edge is not None
        cycle.append(edge)
        place = edge.source
    return cycle[::-1]
