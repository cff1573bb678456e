"""The access at which a control run faults, and where in its loops that is."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.flow.control_run.run import FAULT, ControlRun
from ipu_asm.flow.control_run.steps import Access, value_of
from ipu_asm.flow.control_run.trace import LoopRun, Node
from ipu_asm.flow.control_run.values import Value
from ipu_asm.named_tuple import NamedTuple


class Fault(NamedTuple):
    """An access of the bundle at `address` that the machine refuses.

    `offset` is that from the base registers, whose sum is `base`.
    """

    address: int
    access: Access
    offset: int
    base: Value

    @property
    def is_misaligned(self) -> bool:
        """Whether the offset is no multiple of what the memory demands; else it is outside."""
        return self.offset % self.access.space.step != 0


class Iteration(NamedTuple):
    """A loop in which a run ended, and the number of the iteration, from 1; None if unknown."""

    head: int
    number: int | None


def fault_of(run: ControlRun) -> Fault | None:
    """Return the access at which a run ended; None if it ended otherwise."""
    if run.end.reason != FAULT:
        return None
    step = run.steps[run.end.address]
    values = list(run.registers)
    for update in step.updates:
        values[update.register] = update.value(run.registers)
    for access in step.accesses:
        offset, base = value_of(access.offset, values), access.base(run.registers)
        if isinstance(offset, int):
            fault = Fault(run.end.address, access, offset, base)
            if fault.is_misaligned or _is_outside(fault):
                return fault
    return None


def _is_outside(fault: Fault) -> bool:
    base = fault.base if isinstance(fault.base, int) else 0
    highest = fault.access.highest
    return highest is not None and (fault.offset < 0 or base + fault.offset > highest)


def iterations_at_end(run: ControlRun, loops: Mapping[int, int]) -> list[Iteration]:
    """Return the loops in which a run ended, outermost first.

    `loops` has the last address of each loop, by its first.
    """
    found: list[Iteration] = []
    nodes, address = run.nodes, run.end.address
    while nodes:
        node = nodes[-1]
        if not isinstance(node, LoopRun) or not node.head <= address <= loops[node.head]:
            break
        is_begun = address != node.head
        complete = node.segments[:-1] if is_begun else node.segments
        counts = [segment.trips for segment in complete]
        trips = sum(count for count in counts if isinstance(count, int))
        found.append(Iteration(node.head, trips + 1))
        nodes = _last(node) if is_begun else ()
    return found


def _last(node: LoopRun) -> Sequence[Node]:
    return node.segments[-1].nodes if node.segments else ()
