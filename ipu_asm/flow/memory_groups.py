"""The accesses of memory in a control run, by the base registers that they go through."""

from __future__ import annotations

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import HALTED
from ipu_asm.flow.control_run.steps import Access
from ipu_asm.flow.control_run.trace import Progression

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
        """Whether all offsets are numbers."""
        return all(is_known(each) for offsets in self.offsets.values() for each in offsets)

    def places(self, kind: str) -> list[Place]:
        """Return the places of the accesses that read, or of those that write."""
        return [place for place, access in self.accesses.items() if access.kind == kind]


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
    """Return whether all numbers of a progression are known."""
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
