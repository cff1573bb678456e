"""Which accesses of memory never meet, as the control run says."""

from __future__ import annotations

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.progressions import extent
from ipu_asm.flow.control_run.run import HALTED
from ipu_asm.flow.control_run.summary import AccessSummary
from ipu_asm.flow.control_run.values import Value
from ipu_asm.flow.packing.dependences import Disjoint
from ipu_asm.flow.packing.operations import Operation
from ipu_asm.named_tuple import NamedTuple


class _Extent(NamedTuple):
    """The bytes ``low..end-1`` behind `base`, which may be unknown."""

    base: Value
    low: int
    end: int


def disjoint_accesses(facts: ControlFacts | None, *, in_memory: bool = False) -> Disjoint | None:
    """Return the test whether two operations access different bytes, all executions together.

    With `in_memory`, also whether neither of them can fault, which takes the values of their bases.
    None if there are no facts, or if the run does not halt: any two may meet then.
    """
    if facts is None or facts.run.end.reason != HALTED:
        return None
    extents: dict[tuple[int, int], _Extent | None] = {}
    for (address, _), summary in facts.summary.accesses.items():
        if not summary.access.space.is_register:
            extents[address, summary.access.instruction] = _extent(summary, facts)

    def are_disjoint(first: Operation, second: Operation) -> bool:
        one = extents.get((first.address, first.number))
        other = extents.get((second.address, second.number))
        if one is None or other is None or one.base != other.base:
            return False
        if in_memory and one.base != 0:
            return False
        return one.end <= other.low or other.end <= one.low

    return are_disjoint


def _extent(summary: AccessSummary, facts: ControlFacts) -> _Extent | None:
    base = summary.access.base(facts.run.registers)
    ranges = [extent(progression) for progression in summary.offsets]
    known = [each for each in ranges if each is not None]
    if len(known) < len(ranges):
        return None
    low = min(low for low, _ in known)
    end = max(high for _, high in known) + summary.access.size
    if isinstance(base, int):
        return _Extent(0, base + low, base + end)
    return _Extent(base, low, end)
