"""The numbers of a control run: executions of bundles, trips and cycles of loops, addresses."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.flow.control_run.progressions import joined
from ipu_asm.flow.control_run.run import ControlRun
from ipu_asm.flow.control_run.steps import Access
from ipu_asm.flow.control_run.trace import Executed, LoopRun, Node, Progression
from ipu_asm.flow.control_run.values import Value, plus, registers_in
from ipu_asm.named_tuple import NamedTuple

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
    """Return the numbers of a control run."""
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
    """The entries of a loop so far."""

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
        """Return the numbers of the loop."""
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
