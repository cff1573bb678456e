"""Dependences between instructions, and the lower bounds that they set.

A dependence says how many bundles later than its source its target must be issued, at least; 0
means that they may share a bundle. What counts is when an instruction reads: a *live* read sees
what its own bundle writes, any other read sees the state from before the bundle. So after a write,
a live read may be in the same bundle and another read may not; before a write it is the other way
round. Two writes of one register never share a bundle.

No schedule of a block is shorter than what its busiest slot or its longest chain of dependences
takes. No schedule of a loop issues an iteration more often than its busiest slot allows, or than a
recurrence does: a cycle of dependences that comes back to an instruction in a later iteration.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from itertools import groupby
from typing import Sequence

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.loops import SourceLoop
from ipu_asm.flow.packing.operations import (
    Disjoint,
    FixedRequirement,
    Operation,
    disjoint_accesses,
    operations_of,
)
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program


class DependenceKind(Enum):
    """Why the target must stay after the source."""

    TRUE = "true"
    """It reads what the source writes."""
    ANTI = "anti"
    """It overwrites what the source reads."""
    OUTPUT = "output"
    """It overwrites what the source writes."""
    MEMORY = "memory"
    """One of them writes to a memory, and they may access the same bytes."""
    FAULT = "fault"
    """If one of them faults, memory must be as it was."""
    CONTROL = "control"
    """One of them is a branch, or stops a debugger."""


class Dependence(NamedTuple):
    """`target` is issued at least `latency` bundles after `source`, both numbers of operations.

    `resource` is the register, state or memory, empty if it is none. With `iterations` 1, the
    source belongs to the iteration before the target's.
    """

    source: int
    target: int
    kind: DependenceKind
    resource: str
    latency: int
    iterations: int = 0


class DependenceGraph(NamedTuple):
    """The operations of some bundles in the order of the text, and their dependences.

    A dependence that follows from two others may be missing.
    """

    operations: Sequence[Operation]
    dependences: Sequence[Dependence]


def dependences_of(
    program: Program,
    addresses: Sequence[int],
    is_loop: bool = False,
    are_disjoint: Disjoint | None = None,
) -> DependenceGraph:
    """Return the dependences of bundles that are executed one after the other.

    With `is_loop`, the first of them follows the last, and the dependences between two iterations
    are included. Without `are_disjoint`, any two accesses of a memory may meet.
    """
    operations = operations_of(program, addresses)
    scan = _Scan(operations, are_disjoint)
    scan.iteration()
    if is_loop:
        scan.iteration()
    return DependenceGraph(operations, tuple(dict.fromkeys(scan.found)))


class _Scan:
    """Goes through the bundles in the order of execution, and remembers who accessed what last.

    Operations of the second iteration have numbers from `len(operations)` on.
    """

    def __init__(self, operations: Sequence[Operation], are_disjoint: Disjoint | None) -> None:
        self.found: list[Dependence] = []
        self._operations = operations
        self._are_disjoint = are_disjoint
        self._start = 0
        self._writer: dict[str, int] = {}
        # The readers since the last write, and whether their reads are live.
        self._readers: dict[str, list[tuple[int, bool]]] = {}
        self._memory: dict[str, list[int]] = {}
        # Those of the last bundle with a possible fault, and the stores since then.
        self._faulting: list[int] = []
        # The first operation that requires something of registers that never change.
        self._first: dict[FixedRequirement, int] = {}
        self._stores: list[int] = []
        self._barriers: list[int] = []

    def iteration(self) -> None:
        """Add all dependences on operations before and in another iteration."""
        bundles = groupby(enumerate(self._operations), lambda each: each[1].address)
        issued: list[int] = []
        for _, members in bundles:
            numbers = [self._start + number for number, _ in members]
            self._bundle(numbers)
            for number in numbers:
                self._order(number, issued, numbers)
            issued += numbers
            self._barriers += [n for n in numbers if self._at(n).flow is not None]
        self._start += len(self._operations)

    def _bundle(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            for resource in self._at(number).early_reads:
                self._read(number, resource, is_live=False)
        for number in numbers:
            for resource in self._at(number).writes:
                self._write(number, resource)
        for number in numbers:
            for resource in self._at(number).live_reads:
                self._read(number, resource, is_live=True)
        for number in numbers:
            self._access_memory(number, numbers)
            self._keep_faults(number, numbers)
        self._remember(numbers)

    def _at(self, number: int) -> Operation:
        return self._operations[number % len(self._operations)]

    def _read(self, number: int, resource: str, *, is_live: bool) -> None:
        writer = self._writer.get(resource)
        if writer is not None:
            self._add(writer, number, DependenceKind.TRUE, resource, 0 if is_live else 1)
        self._readers.setdefault(resource, []).append((number, is_live))

    def _write(self, number: int, resource: str) -> None:
        writer = self._writer.get(resource)
        if writer is not None:
            self._add(writer, number, DependenceKind.OUTPUT, resource, 1)
        for reader, is_live in self._readers.pop(resource, ()):
            if reader != number:
                latency = 1 if is_live else 0
                self._add(reader, number, DependenceKind.ANTI, resource, latency)
        self._writer[resource] = number

    def _access_memory(self, number: int, beside: Sequence[int]) -> None:
        """Keep the order of accesses that may meet; those of one bundle go in turn."""
        operation = self._at(number)
        for memory, is_write in operation.memories.items():
            earlier = [n for n in beside if self._at(n).turn < operation.turn]
            before = [(n, 0) for n in earlier if memory in self._at(n).memories]
            for other, latency in [*((n, 1) for n in self._memory.get(memory, ())), *before]:
                first = self._at(other)
                writes = is_write or first.memories[memory]
                if writes and not (self._are_disjoint and self._are_disjoint(first, operation)):
                    self._add(other, number, DependenceKind.MEMORY, memory, latency)

    def _keep_faults(self, number: int, beside: Sequence[int]) -> None:
        """A fault undoes its bundle: what is stored before is stored, and nothing else."""
        operation, may_fault = self._at(number), self._may_fault(number)
        if may_fault:
            for other in self._stores:
                self._add(other, number, DependenceKind.FAULT, "", 1)
        if may_fault or operation.stores:
            for other in self._faulting:
                self._add(other, number, DependenceKind.FAULT, "", 0)
        for required in operation.requires:
            if required in self._first:
                self._add(self._first[required], number, DependenceKind.FAULT, "", 0)
        for other in beside:
            if operation.stores and self._may_fault(other):
                self._add(other, number, DependenceKind.FAULT, "", 0)

    def _may_fault(self, number: int) -> bool:
        """Return whether an operation may fault where none in an earlier bundle has faulted."""
        operation = self._at(number)
        return operation.may_fault or not self._first.keys() >= {*operation.requires}

    def _remember(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            for memory, is_write in self._at(number).memories.items():
                earlier = self._memory.setdefault(memory, [])
                if is_write and self._are_disjoint is None:
                    earlier.clear()  # this one is after all of them
                earlier.append(number)
        faulting = [number for number in numbers if self._may_fault(number)]
        if faulting:
            self._faulting = faulting
            self._stores = []
        self._stores += [number for number in numbers if self._at(number).stores]
        for number in numbers:
            for required in self._at(number).requires:
                self._first.setdefault(required, number)

    def _order(self, number: int, issued: Sequence[int], beside: Sequence[int]) -> None:
        """Keep an operation on its side of the branches and breaks of its iteration."""
        if self._start:
            return
        operation = self._at(number)
        if operation.flow is not None:
            latency = 1 if operation.is_break else 0
            for other in issued:
                self._add(other, number, DependenceKind.CONTROL, "", latency)
        for other in self._barriers:
            latency = 1 if self._at(other).is_branch else 0
            self._add(other, number, DependenceKind.CONTROL, "", latency)
        for other in beside:
            if operation.is_branch or self._at(other).is_break:
                self._add(other, number, DependenceKind.CONTROL, "", 0)

    def _add(
        self, source: int, target: int, kind: DependenceKind, resource: str, latency: int
    ) -> None:
        count = len(self._operations)
        if source < count and source != target:
            iterations, number = divmod(target, count)
            self.found.append(Dependence(source, number, kind, resource, latency, iterations))


class SlotPressure(NamedTuple):
    """How many instructions a slot or unit gets, and how many of them a bundle can hold."""

    slot: str
    operations: int
    capacity: int

    @property
    def bundles(self) -> int:
        """The number of bundles that they take at least."""
        return -(-self.operations // self.capacity)


class Recurrence(NamedTuple):
    """The cycle of dependences that takes the most bundles for each iteration; none if empty.

    `bundles` is the least initiation interval that it allows.
    """

    bundles: int
    cycle: tuple[Dependence, ...]


def loop_dependences(
    program: Program, loop: SourceLoop, facts: ControlFacts | None
) -> DependenceGraph | None:
    """Return the dependences of a loop; None unless each iteration executes all of its bundles.

    Those of a set whose memory is not described are not known.
    """
    if not program.isa.spaces:
        return None
    targets = _targets(program)
    bundles = [program.bundles[n] for n in program.bundle_at_address[loop.first : loop.last]]
    is_entered = any(address in targets for address in range(loop.first + 1, loop.last + 1))
    if is_entered or any(each.transfers_control for each in bundles):
        return None
    addresses = range(loop.first, loop.last + 1)
    return dependences_of(program, addresses, True, disjoint_accesses(facts))


@cached_on_program
def _targets(program: Program) -> frozenset[int]:
    return frozenset(each.target for each in program.references if each.target is not None)


def slot_pressure(isa: Isa, operations: Sequence[Operation]) -> list[SlotPressure]:
    """Return the pressure on each slot that is used, the one that binds first.

    Of slots that take up functional units, it is the pressure on the units.
    """
    counts: Counter[str] = Counter()
    capacities: dict[str, int] = {}
    for slot in isa.slots:
        capacities |= dict.fromkeys(slot.units, 1) or {slot.name: slot.capacity}
    for operation in operations:
        counts.update(isa.slot_by_name[operation.slot].units or (operation.slot,))
    used = [
        SlotPressure(name, counts[name], capacities[name]) for name in capacities if counts[name]
    ]
    return sorted(used, key=lambda each: -each.operations / each.capacity)


def resource_bound(isa: Isa, operations: Sequence[Operation]) -> int:
    """Return the bundles that the busiest slot takes; a block has one at least."""
    return max((each.bundles for each in slot_pressure(isa, operations)), default=1)


def least_bundles(isa: Isa, graph: DependenceGraph) -> int:
    """Return a lower bound for the bundles of a block: of its slots and its dependences."""
    chain = sum(each.latency for each in critical_path(graph)) + 1
    return max(resource_bound(isa, graph.operations), chain)


def critical_path(graph: DependenceGraph) -> list[Dependence]:
    """Return the chain of dependences within an iteration that takes the most bundles."""
    edges = [each for each in graph.dependences if not each.iterations]
    longest, reached_by = _longest_paths(len(graph.operations), edges, 0)
    chain: list[Dependence] = []
    place = max(range(len(longest)), key=longest.__getitem__, default=0)
    while longest and longest[place]:
        edge = reached_by[place]
        assert edge is not None
        chain.append(edge)
        place = edge.source
    return chain[::-1]


def recurrence_of(graph: DependenceGraph) -> Recurrence:
    """Return the recurrence of a loop's graph that takes the most bundles.

    Branches and breaks are left out: iterations may overlap.
    """
    edges = [each for each in graph.dependences if each.kind is not DependenceKind.CONTROL]
    found = Recurrence(0, ())
    while True:
        _, reached_by = _longest_paths(len(graph.operations), edges, found.bundles)
        cycle = _cycle_in(reached_by)
        if not cycle:
            return found
        latency = sum(each.latency for each in cycle)
        iterations = sum(each.iterations for each in cycle)
        if not iterations:
            return found  # instructions of a bundle with an error, such as two writes of a register
        found = Recurrence(-(-latency // iterations), tuple(cycle))


def _longest_paths(
    count: int, edges: Sequence[Dependence], interval: int
) -> tuple[list[int], list[Dependence | None]]:
    """Return the longest path to each operation and its last edge, or a cycle of last edges.

    An iteration counts as `interval` bundles. A cycle that takes more has paths of any length.
    """
    weighted = [(each.source, each.target, each.latency - interval * each.iterations, each)
                for each in edges]  # fmt: skip
    longest = [0] * count
    reached_by: list[Dependence | None] = [None] * count
    is_changed = True
    while is_changed and not _cycle_in(reached_by):
        is_changed = False
        for source, target, weight, edge in weighted:
            if longest[source] + weight > longest[target]:
                longest[target] = longest[source] + weight
                reached_by[target] = edge
                is_changed = True
    return longest, reached_by


def _cycle_in(reached_by: Sequence[Dependence | None]) -> list[Dependence]:
    """Return the cycle that following last edges back leads into; empty if there is none."""
    settled = [False] * len(reached_by)
    for start in range(len(reached_by)):
        path: list[int] = []
        on_path: set[int] = set()
        place: int | None = start
        while place is not None and not settled[place] and place not in on_path:
            path.append(place)
            on_path.add(place)
            edge = reached_by[place]
            place = None if edge is None else edge.source
        if place is not None and place in on_path:
            return _edges_of_cycle(reached_by, place)
        for each in path:
            settled[each] = True
    return []


def _edges_of_cycle(reached_by: Sequence[Dependence | None], start: int) -> list[Dependence]:
    cycle: list[Dependence] = []
    place = start
    while not cycle or place != start:
        edge = reached_by[place]
        assert edge is not None
        cycle.append(edge)
        place = edge.source
    return cycle[::-1]
