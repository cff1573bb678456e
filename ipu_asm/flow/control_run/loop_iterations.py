"""The iterations of a loop in a control run, and loops with an unknown number of iterations.

A branch that depends on an unknown value is assumed to stay in its loop. If three iterations are
uniform, and nothing else ends the loop, all iterations are: their number is that of the
comparison's repetitions, as a value that depends on the unknown one, and the run continues after
the loop with values that depend on it.

Registers may be steps on a ring: whatever reads them in the loop counts modulo the same size. Their
values may be continued past the end of the ring.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.flow.control_run.iteration_bounds import Rings, further_iterations
from ipu_asm.flow.control_run.steps import Branch, Step, Update
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

_UNIFORM = 3
_LONGEST_PERIOD = 512


class UnknownExit(NamedTuple):
    """A branch that was assumed to stay in its loop.

    `place` is the number of nodes before it in its iteration; `after` are the values of all
    registers after its bundle. `registers` are those that it depends on.
    """

    address: int
    place: int
    iteration: int
    registers: tuple[str, ...]
    after: Sequence[Value]


class Iteration(NamedTuple):
    """An iteration of a loop, with the values of all registers at its end.

    `changes` are the differences of these from the values at the end of the iteration before it.
    """

    nodes: Sequence[Node]
    values: Sequence[Value]
    changes: Sequence[Value]


class LoopIterations:
    """The iterations of an entry of a loop so far; those in `recent` are the last ones.

    `exits` are the branches in them whose outcome is not known. `cyclic` are the registers that the
    loop updates modulo a power of two. Only as many iterations together can be uniform as it takes
    until these have the same values again: a period.
    """

    def __init__(self, head: int, last: int, cyclic: Sequence[int] = ()) -> None:
        self.head = head
        self.last = last
        self.segments: list[Segment] = []
        self.recent: list[Iteration] = []
        self.exits: list[UnknownExit] = []
        self._cyclic = cyclic
        self._count = 0
        # The number of the last iteration that ended with certain values of these registers.
        self._seen: dict[tuple[Value, ...], int] = {}
        self._period: int | None = None

    def contains(self, address: int) -> bool:
        """Return whether an address is between the first and the last of the loop."""
        return self.head <= address <= self.last

    def finish(self, nodes: Sequence[Node], values: Sequence[Value]) -> None:
        """Add an iteration that reached the head again. Most registers keep the same value."""
        old = self.recent[-1].values if self.recent else values
        # Numbers are subtracted here and in `strides_between` without a call: with the bounds of
        # accesses worked out once, control runs of kernels take 10 % less.
        changes = [
            0 if a is b else b - a if type(a) is int and type(b) is int else minus(b, a)
            for a, b in zip(old, values)
        ]
        self.recent.append(Iteration(nodes, values, changes))
        if self._cyclic:
            self._count += 1
            key = tuple(values[register] for register in self._cyclic)
            earlier = self._seen.get(key)
            self._period = None if earlier is None else self._count - earlier
            self._seen[key] = self._count

    def periods(self) -> Sequence[int]:
        """Return how many iterations together may be uniform, as far as enough of them have ended.

        Without cyclic registers it is one, or two for a loop that alternates between two buffers.
        """
        periods = (1, 2) if not self._cyclic else (self._period,) if self._period else ()
        return [period for period in periods if _UNIFORM * period <= len(self.recent)]

    def last_periods(self, period: int) -> Sequence[Sequence[Node]]:
        recent = self.recent[-_UNIFORM * period :]
        if period == 1:
            return [iteration.nodes for iteration in recent]
        parts = (recent[first : first + period] for first in range(0, len(recent), period))
        return [[node for each in part for node in each.nodes] for part in parts]

    def changes(self, period: int) -> Sequence[Value] | None:
        """Return the changes of all values in the last period; None if they were others before."""
        if period == 1:
            changes = self.recent[-1].changes
            return changes if changes == self.recent[-2].changes else None
        found: list[Value] = []
        for ends in zip(*(self.recent[-1 - number * period].values for number in range(3))):
            last, middle, first = ends
            change = 0 if last is middle else minus(last, middle)
            if change != (0 if middle is first else minus(middle, first)):
                return None  # soon, where a loop that never becomes uniform costs the most
            found.append(change)
        return found

    def drop_oldest(self) -> None:
        """Add the iterations to the trace that are too old to be part of a fold."""
        most = _UNIFORM * (_LONGEST_PERIOD if self._cyclic else 2)
        while len(self.recent) > most:
            self.segments.append(Segment(self.recent.pop(0).nodes, 1))

    def fold(self, nodes: Sequence[Node], iterations: Value | None, period: int) -> None:
        """Replace the last three periods, and all that follow uniformly, by one segment."""
        older = self.recent[: -_UNIFORM * period]
        self.segments += [Segment(iteration.nodes, 1) for iteration in older]
        self.segments.append(Segment(nodes, iterations, period))
        self.recent.clear()
        self._seen.clear()
        self._period = None

    def end(self, nodes: Sequence[Node]) -> None:
        """End the loop with an iteration that did not reach the head again."""
        self.segments += [Segment(iteration.nodes, 1) for iteration in self.recent]
        if nodes:
            self.segments.append(Segment(nodes, 1))


def rings_of(steps: Sequence[Step], nodes: Sequence[Node], values: Sequence[Value]) -> Rings | None:
    """Return the registers on rings in an iteration; None if one is not only used as such.

    `values` are those of all registers at its end.
    """
    found: dict[int, int] = {}
    addresses = {node.address for node in executions(nodes)}
    updates = [update for address in addresses for update in steps[address].updates]
    for update in updates:
        if update.modulus and found.setdefault(update.register, update.modulus) != update.modulus:
            return None
    if not found:
        return {}
    updated = {update.register for update in updates}
    zeros = {n for n, value in enumerate(values) if value == 0 and n not in updated}
    if not all(_stays_on_ring(update, found, zeros) for update in updates):
        return None
    return None if any(_leaves_ring(steps[address], found) for address in addresses) else found


def _stays_on_ring(update: Update, rings: Rings, zeros: set[int]) -> bool:
    """Return whether an update reads no register on a ring, or steps or copies one on its ring."""
    sums = [*update.sum[1], *(update.added[1] if update.added is not None else ())]
    read = {register for register, _ in sums} & rings.keys()
    if update.register not in rings:
        return not read
    own = [each for each in update.sum[1] if each[0] not in zeros]
    if update.modulus:
        return read == {update.register} and (update.register, 1) in own
    is_copy = update.is_sum and not update.sum[0] and len(own) == 1 and own[0][1] == 1
    return is_copy and rings.get(own[0][0]) == rings[update.register]


def _leaves_ring(step: Step, rings: Rings) -> bool:
    branch = step.branch
    if branch is not None:
        read = {branch.left, branch.right} if branch.relation else {branch.indirect}
        if read & rings.keys():
            return True
    for access in step.accesses:
        used = {register for register, _ in access.offset[1]} & rings.keys()
        is_index = access.space.is_register and len(access.offset[1]) == 1
        if used and not (is_index and all(rings[each] == access.space.size for each in used)):
            return True
    for each in step.required:
        if any(
            each.first >= 0 or rings[register] % (1 << bits.low + bits.bits)
            for register in each.registers
            if register in rings
            for bits in each.needed
        ):
            return True
    return any(
        window.register in rings and (window.is_clipped or rings[window.register] % window.modulus)
        for window in step.windows
    )


def in_rings(
    rings: Rings, steps: Sequence[Step], nodes: Sequence[Node], strides: Sequence[Value] | None
) -> Sequence[Value] | None:
    """Return strides between iterations, those of values on rings modulo the size of the ring.

    None if an index would not stay aligned.
    """
    if strides is None or not rings:
        return strides
    found: list[Value] = []
    remaining = iter(strides)
    for node in executions(nodes):
        step = steps[node.address]
        for value, modulus, align in zip(node.values, *_moduli(rings, step, node)):
            stride = next(remaining)
            stride = modulo(stride, modulus) if modulus else stride
            if modulus and align > 1 and not _is_aligned(value.start, stride, align):
                return None
            found.append(stride)
    return found


def _is_aligned(start: Value, stride: Value, align: int) -> bool:
    return type(start) is int and type(stride) is int and not (start % align or stride % align)


def _moduli(rings: Rings, step: Step, node: Executed) -> tuple[list[int], list[int]]:
    """Return, for each value of a bundle, the size of its ring or 0, and what it is aligned to."""
    moduli = [0] * len(node.values)
    aligns = [1] * len(node.values)
    for place, access in enumerate(step.accesses, step.compared):
        for register, _ in access.offset[1]:
            moduli[place] = rings.get(register, 0)
            aligns[place] = access.space.step
    for place, window in enumerate(step.windows, step.first_window):
        moduli[place] = rings.get(window.register, 0)
    for place, modulus in zip(range(step.first_guard, len(node.values)), _of_guards(rings, step)):
        moduli[place] = modulus
    place = step.first_required
    for each in step.required:
        for register in each.registers:
            moduli[place] = rings.get(register, 0)
            place += 1
    return moduli, aligns


def _of_guards(rings: Rings, step: Step) -> Iterator[int]:
    for update in step.updates:
        yield from [rings.get(update.register, 0)] * update.guards


def settle(
    steps: Sequence[Step], iterations: Sequence[Iteration], exits: Sequence[UnknownExit]
) -> tuple[list[Segment], list[Value], int] | None:
    """Settle a loop from its first three iterations and the exit in each.

    Return all its iterations, and the values and the address with which the run continues; None if
    the iterations are not uniform, or something else may end them.
    """
    first, second, third = (iteration.nodes for iteration in iterations)
    rings = rings_of(steps, first, iterations[0].values)
    if rings is None:
        return None
    strides = in_rings(rings, steps, first, strides_between(first, second))
    again = in_rings(rings, steps, first, strides_between(second, third))
    changes = _uniform_change(rings, [exit_.after for exit_ in exits])
    ends = [iteration.values for iteration in iterations]
    address, place = exits[0][:2]
    is_uniform = (
        strides == again
        and _uniform_change(rings, ends) is not None
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
    return segments, values, address + 1 if executed.taken else branch.target


def _uniform_change(rings: Rings, states: Sequence[Sequence[Value]]) -> list[Value] | None:
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
