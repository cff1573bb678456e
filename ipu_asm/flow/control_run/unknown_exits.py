"""Loops that end where a comparison with an unknown value says so.

Such a branch is assumed to stay in its loop. If three iterations are uniform, and nothing else ends
the loop, all iterations are: then their number is that of the comparison's repetitions, as a value
that depends on the unknown one, and the run goes on behind the loop with values that depend on it.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.flow.control_run.iteration_bounds import further_iterations
from ipu_asm.flow.control_run.loop_iterations import Iteration, UnknownExit
from ipu_asm.flow.control_run.rings import Rings, in_rings, rings_of
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
    modulo,
    plus,
    reduced,
    repetitions,
    times,
)
from ipu_asm.named_tuple import NamedTuple


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
    rings = rings_of(steps, first, iterations[0].values)
    if rings is None:
        return None
    strides = in_rings(rings, steps, first, strides_between(first, second))
    again = in_rings(rings, steps, first, strides_between(second, third))
    changes = _changes(rings, [exit_.after for exit_ in exits])
    address, place = exits[0][:2]
    is_uniform = (
        strides == again
        and _moves_alike(rings, iterations)
        and all(exit_[:2] == (address, place) for exit_ in exits)
    )
    if not is_uniform or strides is None or changes is None:
        return None
    count = _repetitions(steps[address].branch, first, strides, place)
    bound = further_iterations(steps, iterations[-1].values, third, strides, address, rings)
    if count is None or bound is not None:
        return None
    last = list(_moved(first[: place + 1], iter(strides), count))
    branch, executed = steps[address].branch, last[-1]
    assert branch is not None
    assert branch.target is not None
    assert isinstance(executed, Executed)
    last[-1] = executed._replace(taken=not executed.taken)
    values = [reduced(plus(v, times(c, count))) for v, c in zip(exits[0].after, changes)]
    for register, modulus in rings.items():
        values[register] = modulo(values[register], modulus)
    segments = [Segment(folded(first, strides, count), count), Segment(last, 1)]
    return SettledLoop(segments, values, address + 1 if executed.taken else branch.target)


def _changes(rings: Rings, states: Sequence[Sequence[Value]]) -> list[Value] | None:
    """Return the change of each value between states; None if it is not always the same."""
    one, two, three = states
    changes = _differences(rings, one, two)
    return changes if changes == _differences(rings, two, three) else None


def _differences(rings: Rings, a: Sequence[Value], b: Sequence[Value]) -> list[Value]:
    """Return the differences of values; those of rings modulo their size."""
    found = [minus(after, before) for before, after in zip(a, b)]
    for register, modulus in rings.items():
        found[register] = modulo(found[register], modulus)
    return found


def _moves_alike(rings: Rings, iterations: Sequence[Iteration]) -> bool:
    ends = [iteration.values for iteration in iterations]
    return _differences(rings, *ends[:2]) == _differences(rings, *ends[1:])


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
