"""Loops with one path in sets without interlocks: which result each read sees, and what is free.

In a steady state the bundle at offset t of a loop with L bundles is issued in the cycles t, t + L,
t + 2L, ... A read sees the result that landed last before the cycle in which it really reads.
"""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.accesses import RegisterAccess, accesses_of, needed_distance
from ipu_asm.flow.control_flow import delay_slots_of
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.loops import SourceLoop
from ipu_asm.flow.packing.dependences import (
    Dependence,
    DependenceGraph,
    DependenceKind,
    Recurrence,
    SlotPressure,
    loop_dependences,
    recurrence_of,
    slot_pressure,
)
from ipu_asm.flow.packing.operations import written_operations
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program


class Seen(NamedTuple):
    """A read of a part of a register, and the write whose result it sees.

    The write is `iterations` earlier. Its result landed in the cycle `landed`, counted from where
    the iteration of the read starts.
    """

    read: RegisterAccess
    offset: int
    write: RegisterAccess
    origin: int
    iterations: int
    needed: int
    unit: str
    landed: int


class SteadyLoop(NamedTuple):
    """The accesses of the bundles of a loop, from address `first` on, and what its reads see."""

    program: Program
    first: int
    accesses: Sequence[tuple[RegisterAccess, ...]]
    seen: Sequence[Seen]

    @property
    def bundles(self) -> int:
        return len(self.accesses)


def steady_loop(program: Program, first: int, last: int) -> SteadyLoop | None:
    """Return a loop whose iterations all execute the same bundles in order; None for another."""
    targets = {reference.target for reference in program.references}
    if any(address in targets - {last} for address in range(first + 1, last + 1)):
        return None
    bundles = [program.bundles[n] for n in program.bundle_at_address[first : last + 1]]
    for number, bundle in enumerate(bundles):
        is_own = number + delay_slots_of(bundle) == len(bundles) - 1
        if (bundle.transfers_control and not is_own) or bundle.has_unknown:
            return None
    accesses = [accesses_of(program.isa, bundle) for bundle in bundles]
    return SteadyLoop(program, first, accesses, tuple(_seen(accesses)))


class LoopBound(NamedTuple):
    """What keeps iterations of a loop of one path from beginning more often, if they overlap.

    `branch` has the bundles of its branch and the delay slots, 0 if there are no delay slots.
    """

    graph: DependenceGraph
    pressure: Sequence[SlotPressure]
    recurrence: Recurrence
    branch: int

    @property
    def bundles(self) -> int:
        """The bundles from one iteration to the next, at least."""
        slots = (each.bundles for each in self.pressure)
        return max([self.branch, self.recurrence.bundles, *slots])

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that are full at the bound."""
        return tuple(each.slot for each in self.pressure if each.bundles == self.bundles)


def loop_bound(
    program: Program, loop: SourceLoop, facts: ControlFacts | None, steady: SteadyLoop | None
) -> LoopBound | None:
    """Return the bound of a loop, None if it has several paths; `steady` is what is known of it."""
    if steady is not None:
        graph = carried_dependences(steady)
    elif (found := loop_dependences(program, loop, facts)) is not None:
        graph = found
    else:
        return None
    numbers = program.bundle_at_address[loop.first : loop.last + 1]
    delays = max(delay_slots_of(program.bundles[number]) for number in numbers)
    pressure = slot_pressure(program.isa, graph.operations)
    return LoopBound(graph, pressure, recurrence_of(graph), delays and delays + 1)


def carried_dependences(loop: SteadyLoop) -> DependenceGraph:
    """Return the dependences between the instructions of a loop: what reads whose result."""
    addresses = range(loop.first, loop.first + loop.bundles)
    operations = written_operations(loop.program, addresses)
    numbers = {(each.address - loop.first, each.number): n for n, each in enumerate(operations)}
    found: dict[Dependence, None] = {}
    for seen in loop.seen:
        source = numbers.get((seen.origin, seen.write.instruction))
        target = numbers.get((seen.offset, seen.read.instruction))
        if source is not None and target is not None:
            name = seen.read.register
            edge = (source, target, DependenceKind.TRUE, name, seen.needed, seen.iterations)
            found[Dependence(*edge)] = None
    return DependenceGraph(operations, tuple(found))


def _seen(accesses: Sequence[tuple[RegisterAccess, ...]]) -> Iterator[Seen]:
    writes: dict[str, list[tuple[int, RegisterAccess, int]]] = {}
    for offset, found in enumerate(accesses):
        for access in found:
            if access.writes and access.timing.def_cycle is not None:
                for unit in access.units:
                    write = offset, access, offset + access.timing.def_cycle
                    writes.setdefault(unit, []).append(write)
    count = len(accesses)
    for offset, found in enumerate(accesses):
        for read in found:
            if read.reads and read.timing.use_cycle is not None:
                for unit in read.units & writes.keys():
                    yield _latest(read, offset, unit, writes[unit], count)


def _latest(
    read: RegisterAccess,
    offset: int,
    unit: str,
    writes: Sequence[tuple[int, RegisterAccess, int]],
    count: int,
) -> Seen:
    """Return the write that a read sees: that which landed last, of equals the one issued last."""
    timing = read.timing
    sampled = offset + (timing.use_cycle or 1) - 1
    best: tuple[int, int] | None = None
    for number, (origin, write, lands) in enumerate(writes):
        is_passed_on = bool(timing.bypass) and write.timing.bypass == timing.bypass
        landed = sampled + is_passed_on - (sampled + is_passed_on - lands) % count
        if best is None or (landed, landed - lands + origin) > best:
            best, chosen = (landed, landed - lands + origin), number
    origin, write, _ = writes[chosen]
    assert best is not None
    needed = needed_distance(write, read) or 0
    iterations = -((offset - needed - origin) // count)
    return Seen(read, offset, write, origin, iterations, needed, unit, best[0])


class RegisterWindows(NamedTuple):
    """The use of a register file in a loop, and when registers are free.

    `most` parts of registers of the file hold a value that is still read at once, out of `parts`.
    `free` has the cycles of an iteration from which on a register holds nothing that is read, and
    those in which the next result lands; the second may be in the next iteration.
    """

    file: str
    most: int
    parts: int
    free: Mapping[str, tuple[tuple[int, int], ...]]


def register_windows(loop: SteadyLoop) -> list[RegisterWindows]:
    """Return the windows of the registers that data streams through."""
    isa = loop.program.isa
    cycles = _live_cycles(loop)
    names = {access.register for accesses in loop.accesses for access in accesses}
    found = []
    for file in isa.register_files:
        if file.name not in isa.counting.wide_files:
            continue
        parts = set(file.registers)
        live = [cycles[part] for part in parts if part in cycles]
        if not live:
            continue
        most = max(sum(each >> cycle & 1 for each in live) for cycle in range(loop.bundles))
        whole = [name for name in names if isa.units(name) <= parts & cycles.keys()]
        free = {}
        for name in sorted(whole, key=lambda each: (len(each), each)):
            if not any(isa.units(name) < isa.units(other) for other in whole):
                union = 0
                for part in isa.units(name):
                    union |= cycles[part]
                free[name] = _windows(union, loop.bundles)
        found.append(RegisterWindows(file.name, most, len(parts), free))
    return found


def _live_cycles(loop: SteadyLoop) -> dict[str, int]:
    """Return the cycles of an iteration in which each part holds a value that is still read.

    They are bits; a part that is only read holds one in all cycles.
    """
    count = loop.bundles
    written = {unit for each in loop.accesses for a in each if a.writes for unit in a.units}
    found = dict.fromkeys(written, 0)
    for accesses in loop.accesses:
        for access in accesses:
            for unit in access.units - found.keys():
                found[unit] = (1 << count) - 1
    for seen in loop.seen:
        sampled = seen.offset + (seen.read.timing.use_cycle or 1) - 1
        for cycle in range(seen.landed, sampled + 1):
            found[seen.unit] |= 1 << cycle % count
    return found


def _windows(live: int, count: int) -> tuple[tuple[int, int], ...]:
    """Return the runs of cycles without a value, by their first and the one after their last."""
    free = [cycle for cycle in range(count) if not live >> cycle & 1]
    if len(free) == count:
        return ((0, count),)
    starts = [cycle for cycle in free if live >> (cycle - 1) % count & 1]
    found = []
    for start in starts:
        end = start
        while not live >> end % count & 1:
            end += 1
        found.append((start, end))
    return tuple(found)
