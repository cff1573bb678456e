"""Detection of loops that their branch never leaves, even if a fault ends the run."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.flow.control_run.fault import iterations_at_end
from ipu_asm.flow.control_run.iteration_bounds import steps_to_zero
from ipu_asm.flow.control_run.run import ENDLESS, FAULT, ControlRun
from ipu_asm.flow.control_run.steps import Branch
from ipu_asm.flow.control_run.trace import Executed, LoopRun, Node, Progression
from ipu_asm.flow.control_run.values import minus
from ipu_asm.named_tuple import NamedTuple


class LoopCondition(NamedTuple):
    """A conditional branch in the last iterations of a loop, and the values that it compares."""

    head: int
    address: int
    branch: Branch
    left: Progression
    right: Progression


def endless_condition(run: ControlRun) -> LoopCondition | None:
    """Return the condition of a loop that a run cannot leave, or only leaves by a fault.

    None if there is no such loop, or if it has no condition: then it is meant to be endless.
    """
    if run.end.reason == ENDLESS:
        loop = _innermost(run.nodes)
        found = loop_conditions(run, loop.head, loop.segments[-1].nodes) if loop else []
        # The last condition is that at the end of the loop.
        return found[-1] if found else None
    if run.end.reason == FAULT:
        conditions = (_endless(run, loop) for loop in _left_by_fault(run))
        return next((each for each in conditions if each is not None), None)
    return None


def loop_conditions(run: ControlRun, head: int, nodes: Sequence[Node]) -> list[LoopCondition]:
    """Return the conditions in an iteration; comparisons of a register with itself are none."""
    found = []
    for node in nodes:
        branch = run.steps[node.address].branch if isinstance(node, Executed) else None
        if not isinstance(node, Executed) or branch is None or not branch.relation:
            continue
        if branch.left != branch.right:
            found.append(LoopCondition(head, node.address, branch, *node.values[:2]))
    return found


def _innermost(nodes: Sequence[Node]) -> LoopRun | None:
    """Return the loop in which a run ends."""
    found = None
    while nodes and isinstance(nodes[-1], LoopRun) and nodes[-1].segments:
        found = nodes[-1]
        nodes = found.segments[-1].nodes if found.segments[-1].iterations is not None else ()
    return found


def _left_by_fault(run: ControlRun) -> Iterator[LoopRun]:
    """Yield the loops in which a run ends by a fault, outermost first."""
    nodes = run.nodes
    for _ in iterations_at_end(run, run.loops):
        loop = nodes[-1]
        assert isinstance(loop, LoopRun)
        yield loop
        nodes = loop.segments[-1].nodes if loop.segments else ()


def _endless(run: ControlRun, loop: LoopRun) -> LoopCondition | None:
    """Return the condition at the end of a loop if it holds in every iteration."""
    last = run.loops[loop.head]
    branches = [run.steps[address].branch for address in range(loop.head, last)]
    if any(b is not None and not (b.target and loop.head < b.target <= last) for b in branches):
        return None
    for segment in reversed(loop.segments):
        if isinstance(segment.iterations, int) and segment.iterations > 1:
            conditions = loop_conditions(run, loop.head, segment.nodes)
            at_end = [each for each in conditions if each.address == last]
            return at_end[0] if at_end and all(map(_always_holds, at_end)) else None
    return None


def _always_holds(condition: LoopCondition) -> bool:
    start = minus(condition.left.start, condition.right.start)
    if not condition.left.dimensions or not condition.right.dimensions:
        return False
    change = minus(condition.left.dimensions[0][0], condition.right.dimensions[0][0])
    if change == 0:
        return True
    if not isinstance(start, int) or not isinstance(change, int):
        return False
    return condition.branch.relation == "!=" and steps_to_zero(start, change) is None
