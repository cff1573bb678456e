"""The numbers of a control run: executions of bundles, trips and cycles of loops, addresses."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.flow.control_run.run import ControlRun
from ipu_asm.flow.control_run.steps import Access
from ipu_asm.flow.control_run.trace import (
    Dimension,
    Executed,
    LoopRun,
    Node,
    Progression,
    Segment,
    joined,
)
from ipu_asm.flow.control_run.values import (
    Repetitions,
    Symbolic,
    Value,
    minus,
    number_text,
    plus,
    registers_in,
    term_text,
    times,
    unknown,
    value_text,
)
from ipu_asm.named_tuple import NamedTuple


class LoopTrip(NamedTuple):
    """A loop that a run is in: trip `number`, from 1, of `trips`, entered at a cycle."""

    loop: LoopRun
    entered: int
    number: int
    trips: int


class RunTrips:
    """The trips of a run that is complete and whose counts are all known numbers."""

    def __init__(self, run: ControlRun) -> None:
        self._run = run
        # Loops are compared by identity: a run shares no nodes, and they are long to hash.
        self._sizes: dict[int, int] = {}

    def at(self, cycle: int) -> list[LoopTrip]:
        """Return the loops that the run is in before it executes a cycle, outermost first."""
        found: list[LoopTrip] = []
        nodes, start = self._run.nodes, 0
        while (inside := self._node_at(nodes, start, cycle)) is not None:
            loop, entered = inside
            nodes, start, done = self._trip_at(loop, entered, cycle)
            trips = sum(_trips(segment) for segment in loop.segments)
            found.append(LoopTrip(loop, entered, done + 1, trips))
        return found

    def start_of(self, trip: LoopTrip, number: int) -> int:
        """Return the cycle at which a trip of the same entry of a loop begins."""
        cycle, left = trip.entered, number - 1
        for segment in trip.loop.segments:
            if left < _trips(segment):
                periods, left = divmod(left, segment.period)
                parts = segment.periods(trip.loop.head)[:left]
                return cycle + periods * self._size(segment.nodes) + sum(map(self._size, parts))
            cycle += self._cycles(segment)
            left -= _trips(segment)
        return cycle

    def _node_at(self, nodes: Sequence[Node], start: int, cycle: int) -> tuple[LoopRun, int] | None:
        """The loop among nodes that begin at a cycle in which another cycle is, and its entry."""
        for node in nodes:
            size = self._node_size(node)
            if cycle < start + size:
                return None if isinstance(node, Executed) else (node, start)
            start += size
        return None

    def _trip_at(self, loop: LoopRun, start: int, cycle: int) -> tuple[Sequence[Node], int, int]:
        """The trip that a cycle is in: its nodes, its first cycle, and the trips before it."""
        done = 0
        for segment in loop.segments:
            whole = self._cycles(segment)
            if cycle < start + whole:
                break
            start += whole
            done += _trips(segment)
        periods = (cycle - start) // self._size(segment.nodes)
        start += periods * self._size(segment.nodes)
        done += periods * segment.period
        for nodes in segment.periods(loop.head):
            size = self._size(nodes)
            if cycle < start + size:
                break
            start += size
            done += 1
        return nodes, start, done

    def _cycles(self, segment: Segment) -> int:
        return self._size(segment.nodes) * (_trips(segment) // segment.period)

    def _size(self, nodes: Sequence[Node]) -> int:
        return sum(map(self._node_size, nodes))

    def _node_size(self, node: Node) -> int:
        if isinstance(node, Executed):
            return 1
        size = self._sizes.get(id(node))
        if size is None:
            size = self._sizes[id(node)] = sum(map(self._cycles, node.segments))
        return size


_MAX_TEXTS = 3
_LETTERS = "kji"
_DEPENDS = "depends on"
Count = int | None
"""A number; None if it depends on a value that is not known."""


class LoopSummary(NamedTuple):
    """All entries of the loop that begins at address `head`.

    The trips of an entry are the executions of the bundle at `head`: at least `least` and at most
    `most`; `trips` if all entries have the same, which may depend on unknown values. `cycles` are
    those of its own bundles and of the loops inside it over all entries, `own_cycles` without
    these. What depends on a value that is not known is None; the trips depend on `unknown`.
    `entry_cycles` are those of one entry, for loops whose entries all take the same.
    """

    head: int
    entries: Count
    least: Count
    most: Count
    cycles: Count
    own_cycles: Count
    trips: Value | None = None
    unknown: tuple[str, ...] = ()
    entry_cycles: Count = None


class AccessSummary(NamedTuple):
    """All executions of a memory access: its offsets from the base registers."""

    address: int
    access: Access
    offsets: Sequence[Progression]


class RunSummary(NamedTuple):
    """The numbers of a control run. `executions` has a count for each address.

    `taken` has, for each address with a branch, how often it was taken and how often not. `unknown`
    are the registers whose values are not known and on which cycles or the end of the run depend.
    """

    cycles: Count
    executions: Sequence[Count]
    taken: Mapping[int, tuple[Count, Count]]
    loops: Mapping[int, LoopSummary]
    accesses: Mapping[tuple[int, int], AccessSummary]
    unknown: tuple[str, ...]


def summarise(run: ControlRun) -> RunSummary:
    summary = _Summary(run)
    cycles = summary.add(run.nodes, 1)
    loops = {head: loop.summary() for head, loop in summary.loops.items()}
    accesses = {
        key: AccessSummary(key[0], run.steps[key[0]].accesses[key[1]], joined(offsets))
        for key, offsets in summary.accesses.items()
    }
    taken = {address: (yes, no) for address, (yes, no) in summary.taken.items()}
    unknown = sorted({*summary.unknown, *run.end.unknown})
    return RunSummary(cycles, summary.executions, taken, loops, accesses, tuple(unknown))


class _Entries:
    def __init__(self, head: int) -> None:
        self.head = head
        self.entries: Count = 0
        self.cycles: Count = 0
        self.own: Count = 0
        self.trips: dict[Value | None, None] = {}

    def add(self, times: Count, trips: Value | None, cycles: Count, own: Count) -> None:
        self.entries = _sum(self.entries, times)
        self.cycles = _sum(self.cycles, cycles)
        self.own = _sum(self.own, own)
        self.trips[trips] = None

    def summary(self) -> LoopSummary:
        numbers = [trips for trips in self.trips if isinstance(trips, int)]
        is_known = len(numbers) == len(self.trips)
        least, most = (min(numbers), max(numbers)) if is_known else (None, None)
        trips = next(iter(self.trips)) if len(self.trips) == 1 else None
        unknown = registers_in(*(value for value in self.trips if value is not None))
        numbers_ = (self.entries, least, most, self.cycles, self.own)
        return LoopSummary(self.head, *numbers_, trips, unknown)


class _Summary:
    def __init__(self, run: ControlRun) -> None:
        self._steps = run.steps
        self.executions: list[Count] = [0] * len(run.steps)
        self.taken: dict[int, list[Count]] = {}
        self.loops: dict[int, _Entries] = {}
        self.accesses: dict[tuple[int, int], list[Progression]] = {}
        self.unknown: set[str] = set()

    def add(self, nodes: Sequence[Node], times: Count) -> Count:
        """Count nodes that are executed so often; return the cycles of all executions."""
        cycles: Count = 0
        for node in nodes:
            if isinstance(node, Executed):
                self._add_bundle(node, times)
                cycles = _sum(cycles, times)
            else:
                cycles = _sum(cycles, self._add_loop(node, times))
        return cycles

    def _add_bundle(self, node: Executed, times: Count) -> None:
        address = node.address
        self.executions[address] = _sum(self.executions[address], times)
        if node.taken is not None:
            outcomes = self.taken.setdefault(address, [0, 0])
            place = 0 if node.taken else 1
            outcomes[place] = _sum(outcomes[place], times)
        step = self._steps[address]
        first = step.compared
        for number, offsets in enumerate(node.values[first : first + len(step.accesses)]):
            self.accesses.setdefault((address, number), []).append(offsets)

    def _add_loop(self, run: LoopRun, times: Count) -> Count:
        cycles: Count = 0
        own: Count = 0
        trips: Value | None = 0
        for segment in run.segments:
            nodes, iterations = segment.nodes, segment.iterations
            count = iterations if isinstance(iterations, int) else None
            here = _product(times, count)
            cycles = _sum(cycles, self.add(nodes, here))
            bundles = sum(isinstance(node, Executed) for node in nodes)
            own = _sum(own, _product(bundles, here))
            more = segment.trips
            trips = None if trips is None or more is None else plus(trips, more)
        self.unknown.update(() if trips is None else registers_in(trips))
        self.loops.setdefault(run.head, _Entries(run.head)).add(times, trips, cycles, own)
        return cycles


def _sum(a: Count, b: Count) -> Count:
    return None if a is None or b is None else a + b


def _product(a: Count, b: Count) -> Count:
    return None if a is None or b is None else a * b


def addresses_text(bases: Sequence[str], offsets: Sequence[Progression]) -> str:
    """Return the addresses of an access: base registers plus offsets.

    Several progressions are separated by `;`, of which the first three are named.
    """
    texts = [progression_text(offset, bases) for offset in offsets[:_MAX_TEXTS]]
    if len(offsets) > _MAX_TEXTS:
        texts.append(f"{len(offsets) - _MAX_TEXTS} more")
    return "; ".join(texts)


def progression_text(progression: Progression, bases: Sequence[str] = ()) -> str:
    """Return a progression in words, with the names of registers that are added to it."""
    start = progression.start
    for base in bases:
        start = plus(start, unknown(base))
    steps = [each for each in progression.dimensions if each[0] != 0 and each[1] != 1]
    # The variable of the outermost dimension comes last: `0x80 x j + 0x4000 x k`.
    letters: Sequence[str] = _LETTERS[: len(steps)][::-1]
    if len(steps) > len(_LETTERS):
        letters = [f"k{number}" for number in range(1, len(steps) + 1)]
    named = list(zip(steps, letters))
    text = value_text(start)
    for (stride, _), letter in named:
        text += _product_text(stride, letter)
    text = text.removeprefix("0 + ")
    return ", ".join([text, *(_range_text(dimension, letter) for dimension, letter in named)])


def _product_text(stride: Value, letter: str) -> str:
    if isinstance(stride, int):
        product = letter if abs(stride) == 1 else f"{number_text(abs(stride))} x {letter}"
        return f" {'-' if stride < 0 else '+'} {product}"
    return f" + ({value_text(stride)}) x {letter}"


def _range_text(dimension: Dimension, letter: str) -> str:
    count = dimension[1]
    if count is None:
        return f"{letter} = 0.."
    if isinstance(count, int):
        return f"{letter} = 0..{count - 1}"
    text = count_text(count)
    return f"{letter} = 0.. ({text})" if text.startswith(_DEPENDS) else f"{letter} < {text}"


def count_text(count: Value) -> str:
    """Return a number of iterations in words: `128`, `cr5 - 1`, `max(1, cr5)`, `cr4 / 0x80`.

    What has no short words is said as `depends on cr5`.
    """
    if isinstance(count, int):
        return f"{count:,}"
    definitions = [part.definition for part, _ in count.parts]
    if not any(definitions):
        return value_text(count)
    definition = definitions[0]
    if isinstance(definition, Repetitions) and len(count.parts) == 1 and count.parts[0][1] == 1:
        text = _repetitions_text(definition, count.constant)
        if text is not None:
            return text
    return f"{_DEPENDS} {', '.join(count.registers)}"


def _repetitions_text(definition: Repetitions, more: int) -> str | None:
    """Return the repetitions of a comparison, plus `more`, if that has short words."""
    relation, outcome, left, right, left_step, right_step = definition
    step, difference = minus(left_step, right_step), minus(right, left)
    if not isinstance(step, int):
        return None
    if step < 0:
        step, difference = -step, times(-1, difference)
    whole = plus(difference, step * more)
    if isinstance(difference, int) or any(part.definition for part, _ in difference.parts):
        return None
    if relation == "<" and outcome and definition.is_simple:
        return f"max({more}, {value_text(whole)})"
    if relation != "<" and isinstance(whole, Symbolic) and whole.constant % step == 0:
        return f"{term_text(whole)} / {number_text(step)}"
    return None


def _trips(segment: Segment) -> int:
    """The trips of a segment, which are a number in a run that is complete and known."""
    trips = segment.trips
    assert isinstance(trips, int)
    return trips
