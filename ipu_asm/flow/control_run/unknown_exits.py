"""Loops that end where a comparison with an unknown value says so.

Such a branch is assumed to stay in its loop. If three iterations are uniform, and nothing else ends
the loop, all iterations are: then their number is that of the comparison's repetitions, as a value
that depends on the unknown one, and the run goes on behind the loop with values that depend on it.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple, Sequence

from ipu_asm.flow.control_run.iteration_bounds import further_iterations
from ipu_asm.flow.control_run.loop_iterations import Iteration, UnknownExit
from ipu_asm.flow.control_run.steps import Branch, Step
from ipu_asm.flow.control_run.trace import (
    Executed,
    LoopRun,
    Node,
    Progression,
    Segment,
    executions,
    folded,
    strides_between,
)
from ipu_asm.flow.control_run.values import (
    Repetitions,
    Value,
    minus,
    plus,
    reduced,
    repetitions,
    times,
)


class SettledLoop(NamedTuple):
    """All iterations of a loop, and the values and the address where the run goes on."""

    segments: list[Segment]
    values: list[Value]
    following: int


def settle(
    steps: Sequence[Step], iterations: Sequence[Iteration], exits: Sequence[UnknownExit]
) -> SettledLoop | None:
    """Settle a loop from its first three iterations and the exit in each; None if it cannot be."""
    first, second, third = (iteration.nodes for iteration in iterations)
    strides = strides_between(first, second)
    changes = _changes([exit_.after for exit_ in exits])
    address, place = exits[0][:2]
    is_uniform = (
        strides is not None
        and strides == strides_between(second, third)
        and iterations[1].changes == iterations[2].changes
        and all(exit_[:2] == (address, place) for exit_ in exits)
    )
    if not is_uniform or strides is None or changes is None:
        return None
    count = _repetitions(steps[address].branch, first, strides, place)
    bound = further_iterations(steps, iterations[-1].values, third, strides, address)
    if count is None or bound is not None:
        return None
    last = list(_moved(first[: place + 1], iter(strides), count))
    branch, executed = steps[address].branch, last[-1]
    assert branch is not None
    assert branch.target is not None
    assert isinstance(executed, Executed)
    last[-1] = executed._replace(taken=not executed.taken)
    values = [reduced(plus(v, times(c, count))) for v, c in zip(exits[0].after, changes)]
    segments = [Segment(folded(first, strides, count), count), Segment(last, 1)]
    return SettledLoop(segments, values, address + 1 if executed.taken else branch.target)


def _changes(states: Sequence[Sequence[Value]]) -> list[Value] | None:
    """Return the change of each value between states; None if it is not always the same."""
    one, two, three = states
    changes = [minus(b, a) for a, b in zip(one, two)]
    return changes if changes == [minus(c, b) for b, c in zip(two, three)] else None


def _repetitions(
    branch: Branch | None, nodes: Sequence[Node], strides: Sequence[Value], place: int
) -> Value | None:
    executed = nodes[place]
    assert branch is not None
    assert isinstance(executed, Executed)
    before = sum(len(each.values) for each in executions(nodes[:place]))
    left, right = (progression.start for progression in executed.values[:2])
    left_step, right_step = strides[before : before + 2]
    if left_step == right_step:
        return None
    return repetitions(
        Repetitions(branch.relation, bool(executed.taken), left, right, left_step, right_step)
    )


def _moved(nodes: Sequence[Node], strides: Iterator[Value], count: Value) -> Iterator[Node]:
    """Yield the nodes of the iteration that comes so many iterations later."""
    for node in nodes:
        if isinstance(node, Executed):
            moved = tuple(
                Progression(reduced(plus(start, times(next(strides), count))), dimensions)
                for start, dimensions in node.values
            )
            yield node._replace(values=moved)
        else:
            segments = [
                segment._replace(nodes=list(_moved(segment.nodes, strides, count)))
                for segment in node.segments
            ]
            yield LoopRun(node.head, segments)
