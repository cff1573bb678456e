"""Loops that their branch never leaves, and entries whose condition is false from the start."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.flow.control_run.iteration_bounds import extent_of, steps_to_zero
from ipu_asm.flow.control_run.run import ENDLESS, FAULT, ControlRun, iterations_at_end
from ipu_asm.flow.control_run.steps import Branch
from ipu_asm.flow.control_run.trace import Dimension, Executed, LoopRun, Node, Progression
from ipu_asm.flow.control_run.values import minus
from ipu_asm.named_tuple import NamedTuple


class LoopEntry(NamedTuple):
    """The values that a loop's condition would compare where the loop is entered."""

    left: int
    right: int


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


def empty_entry(run: ControlRun, loop: LoopRun) -> LoopEntry | None:
    """Return the values at an entry where the condition of a loop is false, if there is one.

    None for a loop that can be left before its last bundle, and where the values are not known.
    """
    last = run.loops[loop.head]
    branch = run.steps[last].branch
    if branch is None or not loop.segments or not _is_bottom_tested(run, loop.head, last):
        return None
    first = loop.segments[0]
    found = _before_branch(run, first.nodes, last, branch)
    if found is None:
        return None
    node, changes = found
    left, right = node.values[:2]
    starts = minus(left.start, changes[0]), minus(right.start, changes[1])
    # The innermost dimension of a folded iteration is that of the loop itself.
    own = 0 if first.iterations == 1 else 1
    outer = [
        (minus(a, b), count)
        for (a, count), (b, _) in zip(left.dimensions[own:], right.dimensions[own:])
    ]
    if not isinstance(starts[0], int) or not isinstance(starts[1], int):
        return None
    if _may_be_false(branch.relation, starts[0] - starts[1], outer):
        return LoopEntry(starts[0], starts[1])
    return None


def _before_branch(
    run: ControlRun, nodes: Sequence[Node], last: int, branch: Branch
) -> tuple[Executed, tuple[int, int]] | None:
    """Return the first execution of a loop's branch, and how its registers change before it.

    None if they change by anything but constants.
    """
    registers = (branch.left, branch.right)
    changes = [0, 0]
    for node in nodes:
        if isinstance(node, Executed) and node.address == last:
            return node, (changes[0], changes[1])
        end = node.address if isinstance(node, Executed) else run.loops[node.head]
        start = node.address if isinstance(node, Executed) else node.head
        for address in range(start, end + 1):
            for update in run.steps[address].updates:
                constant, terms = update.sum
                if update.register not in registers:
                    continue
                if terms != ((update.register, 1),) or isinstance(node, LoopRun):
                    return None
                if not update.is_sum:
                    return None
                for side, register in enumerate(registers):
                    changes[side] += constant * (register == update.register)
    return None


def _may_be_false(relation: str, start: int, outer: Sequence[Dimension]) -> bool:
    """Return whether a condition is false for a difference that starts so, in some iteration."""
    extent = extent_of(start, outer)
    if extent is None:
        return False
    low, high, _ = extent
    if relation in ("<", ">="):
        return high >= 0 if relation == "<" else low < 0
    moving = [s for s, count in outer if isinstance(s, int) and s and count != 1]
    if not moving:
        return start == 0
    return len(moving) == 1 and low <= 0 <= high and -start % moving[0] == 0


def _is_bottom_tested(run: ControlRun, head: int, last: int) -> bool:
    """Return whether the last bundle alone decides between the head and what follows the loop."""
    branch = run.steps[last].branch
    if branch is None or branch.target != head or branch.relation not in ("<", ">=", "!="):
        return False
    if branch.left == branch.right:  # it is meant never to branch
        return False
    others = (run.steps[address].branch for address in range(head, last))
    return all(
        other is None or (other.target is not None and head < other.target <= last)
        for other in others
    )
