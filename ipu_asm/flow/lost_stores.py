"""Memory accesses of a control run by base register, and stores that are overwritten unread.

The host reads memory at the end of a run.
"""

from __future__ import annotations

from itertools import pairwise
from math import gcd, prod
from typing import Iterator, Sequence

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import HALTED
from ipu_asm.flow.control_run.steps import Access
from ipu_asm.flow.control_run.trace import Executed, Node, Progression, is_apart
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

Place = tuple[int, int]
"""The address of a bundle, and the number of the access in it."""


class MemoryGroup:
    """All accesses through the same base registers, each with its offsets in order.

    Where the values of base registers are not known, different ones are taken for different parts
    of the memory.
    """

    def __init__(self, memory: str, bases: tuple[int, ...]) -> None:
        self.memory = memory
        self.bases = bases
        self.accesses: dict[Place, Access] = {}
        self.offsets: dict[Place, list[Progression]] = {}

    @property
    def is_known(self) -> bool:
        return all(is_known(each) for offsets in self.offsets.values() for each in offsets)

    def places(self, kind: str) -> list[Place]:
        """Return the places of the accesses that read, or of those that write."""
        return [place for place, access in self.accesses.items() if access.kind == kind]


_MAX_CELLS = 100_000
"""Accessed units of memory that are followed one by one."""


class LostStore(NamedTuple):
    """A store of which `lost` of `total` executions are overwritten unread, at least."""

    place: Place
    group: MemoryGroup
    lost: int
    total: int


def lost_stores(program: Program, facts: ControlFacts) -> list[LostStore]:
    """Return the stores of which more than half of the executions are overwritten unread."""
    name = f"lost_stores {sorted(facts.presets.items())}"
    return program.cache.whole(name, facts, lambda: list(_lost_stores(facts)))


def _lost_stores(facts: ControlFacts) -> Iterator[LostStore]:
    overwriting = _overwriting(facts) if facts.run.end.reason == HALTED else set()
    for group in memory_groups(facts) if overwriting else ():
        if (group.memory, group.bases) not in overwriting or not group.is_known:
            continue
        for place, lost in _lost(facts, group).items():
            total = sum(_count(each) for each in group.offsets[place])
            if 2 * lost > total:
                yield LostStore(place, group, lost, total)


def _overwriting(facts: ControlFacts) -> set[tuple[str, tuple[int, ...]]]:
    """Return the memories, with base registers, where a store may meet itself or another store."""
    extents: dict[tuple[str, tuple[int, ...]], list[tuple[int, int]]] = {}
    found: set[tuple[str, tuple[int, ...]]] = set()
    steps = facts.run.steps
    for node in facts.executions:
        step = steps[node.address]
        for number, access in enumerate(step.accesses):
            if access.kind != "write" or access.space.is_register:
                continue
            progression = node.values[step.compared + number]
            key = access.memory, access.bases
            extents.setdefault(key, []).append(_extent(progression, access.size))
            if progression.dimensions and not is_apart(progression, access.size):
                found.add(key)
    for key, some in extents.items():
        some.sort()
        if any(after[0] < before[1] for before, after in pairwise(some)):
            found.add(key)
    return found


def _lost(facts: ControlFacts, group: MemoryGroup) -> dict[Place, int]:
    """Return how many executions of each store are lost, at least."""
    unit = _unit(group)
    cells = sum(
        group.accesses[place].size // unit * _count(each)
        for place, offsets in group.offsets.items()
        for each in offsets
    )
    if cells <= _MAX_CELLS:
        return _Replay(facts, group).lost()
    if group.places("read"):
        return {}
    # Without a load, each store but the last at an offset is overwritten whole.
    return {
        place: sum(_count(each) for each in offsets) - sum(_distinct(each) for each in offsets)
        for place, offsets in group.offsets.items()
    }


def _count(progression: Progression) -> int:
    return prod(count for _, count in progression.dimensions if isinstance(count, int))


def _distinct(progression: Progression) -> int:
    """Return an upper bound for the number of different values."""
    return prod(
        count for stride, count in progression.dimensions if stride and isinstance(count, int)
    )


def _extent(progression: Progression, size: int) -> tuple[int, int]:
    low = high = progression.start if isinstance(progression.start, int) else 0
    for stride, count in progression.dimensions:
        if isinstance(stride, int) and isinstance(count, int):
            low += min(0, stride * (count - 1))
            high += max(0, stride * (count - 1))
    return low, high + size


def _unit(group: MemoryGroup) -> int:
    """Return the largest unit of which all offsets and sizes are multiples."""
    unit = 0
    for place, offsets in group.offsets.items():
        unit = gcd(unit, group.accesses[place].size)
        for start, dimensions in offsets:
            numbers = [start, *(stride for stride, _ in dimensions)]
            unit = gcd(unit, *(number for number in numbers if isinstance(number, int)))
    return unit or 1


class _Replay:
    """The accesses of a group one by one, in the order of the run."""

    def __init__(self, facts: ControlFacts, group: MemoryGroup) -> None:
        self._steps = facts.run.steps
        self._nodes = facts.run.nodes
        self._group = group
        self._unit = _unit(group)
        # The execution that has written each unit last, and what is left of it.
        self._owner: dict[int, int] = {}
        self._stores: list[Place] = []
        self._left: list[int] = []
        self._is_read: list[bool] = []
        self._lost: dict[Place, int] = {}

    def lost(self) -> dict[Place, int]:
        self._follow(self._nodes, ())
        return self._lost

    def _follow(self, nodes: Sequence[Node], iteration: tuple[int, ...]) -> None:
        for node in nodes:
            if isinstance(node, Executed):
                self._bundle(node, iteration)
                continue
            for inner, count, _ in node.segments:
                if not self._accesses(inner):
                    continue
                for number in range(count if isinstance(count, int) else 1):
                    self._follow(inner, iteration if count == 1 else (number, *iteration))

    def _accesses(self, nodes: Sequence[Node]) -> bool:
        """Return whether nodes access the group at all."""
        places = {address for address, _ in self._group.accesses}
        return any(
            node.address in places
            if isinstance(node, Executed)
            else any(self._accesses(segment.nodes) for segment in node.segments)
            for node in nodes
        )

    def _bundle(self, node: Executed, iteration: tuple[int, ...]) -> None:
        step = self._steps[node.address]
        for number in range(len(step.accesses)):
            access = self._group.accesses.get((node.address, number))
            if access is None:
                continue
            start, dimensions = node.values[step.compared + number]
            assert isinstance(start, int)
            for (stride, _), count in zip(dimensions, iteration):
                assert isinstance(stride, int)
                start += stride * count
            cells = range(start // self._unit, (start + access.size) // self._unit)
            if access.kind == "write":
                self._write((node.address, number), cells)
            else:
                for cell in cells:
                    if cell in self._owner:
                        self._is_read[self._owner[cell]] = True

    def _write(self, place: Place, cells: range) -> None:
        execution = len(self._stores)
        self._stores.append(place)
        self._left.append(len(cells))
        self._is_read.append(False)
        for cell in cells:
            old = self._owner.get(cell)
            self._owner[cell] = execution
            if old is not None:
                self._left[old] -= 1
                if not self._left[old] and not self._is_read[old]:
                    self._lost[self._stores[old]] = self._lost.get(self._stores[old], 0) + 1


def memory_groups(facts: ControlFacts) -> list[MemoryGroup]:
    """Return the accesses of a run that halts; none of any other run."""
    if facts.run.end.reason != HALTED:
        return []
    groups: dict[tuple[str, tuple[int, ...]], MemoryGroup] = {}
    for node in facts.executions:
        step = facts.run.steps[node.address]
        for number, access in enumerate(step.accesses):
            if access.space.is_register:
                continue
            key = access.memory, access.bases
            group = groups.setdefault(key, MemoryGroup(*key))
            place = node.address, number
            group.accesses[place] = access
            group.offsets.setdefault(place, []).append(node.values[step.compared + number])
    return list(groups.values())


def is_known(progression: Progression) -> bool:
    return isinstance(progression.start, int) and all(
        isinstance(stride, int) and isinstance(count, int)
        for stride, count in progression.dimensions
    )


def lowest(progression: Progression) -> int | None:
    """Return the least value of a progression; None if it is not known."""
    low, dimensions = progression
    for stride, count in dimensions:
        if not isinstance(stride, int) or not isinstance(low, int):
            return None
        if stride < 0:
            if not isinstance(count, int):
                return None
            low += stride * (count - 1)
    return low if isinstance(low, int) else None
