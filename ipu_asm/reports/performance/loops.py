"""The loops of a program: trips, cycles, and what bounds the bundles of an iteration."""

from __future__ import annotations

from typing import Iterable, Sequence

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import RAN_OFF
from ipu_asm.flow.control_run.steps import Step
from ipu_asm.flow.control_run.summary import Count
from ipu_asm.flow.counted_loops.loops import counted_loops
from ipu_asm.flow.functions import local_labels
from ipu_asm.flow.loop_numbers import entry_trips_text, executions_of, loop_numbers, total_cycles
from ipu_asm.flow.loops import SourceLoop, loops_of
from ipu_asm.flow.packing.dependences import SlotPressure, slot_pressure
from ipu_asm.flow.packing.operations import Operation, operations_of
from ipu_asm.flow.steady_loops import (
    LoopBound,
    RegisterWindows,
    loop_bound,
    register_windows,
    steady_loop,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable, SourceLocation
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.picture import Picture, picture_of
from ipu_asm.source.source_map import MAIN


class Measured(NamedTuple):
    """A program, its source lines, and how often each address is executed: None if not known.

    `facts` are None for a set in which data may decide control.
    """

    program: Program
    lines: LineTable
    facts: ControlFacts | None
    executions: Sequence[Count]

    @property
    def cycles(self) -> Count:
        """The cycles of the run, or those until it faults; of a call of the only function."""
        if self.facts is None:
            return total_cycles(self.program, None)
        if not self.facts.is_complete:
            return None
        cycles = self.facts.summary.cycles
        return None if cycles is None else cycles + self.empty_cycles

    @property
    def empty_cycles(self) -> int:
        """The cycles in memory without a program, after the last bundle."""
        assert self.facts is not None
        end = self.facts.run.end
        limit = self.program.isa.program_limit
        return max(0, limit - end.address) if end.reason == RAN_OFF else 0


def measure(program: Program, lines: LineTable, facts: ControlFacts | None) -> Measured:
    """Return a program with its executions.

    Of a run whose end is not known, those of addresses that it may still come to are not known.
    """
    if facts is None:
        return Measured(program, lines, None, executions_of(program, None) or [None] * program.size)
    executions = list(facts.summary.executions)
    end = facts.run.end
    if not facts.is_complete:
        for address in _reachable(facts.run.steps, end.address):
            executions[address] = None
    return Measured(program, lines, facts, executions)


def total(counts: Iterable[Count]) -> Count:
    """Return the sum of counts; None if one is not known."""
    known = 0
    for count in counts:
        if count is None:
            return None
        known += count
    return known


def _reachable(steps: Sequence[Step], start: int) -> set[int]:
    """Return the addresses that control may come to from one, itself included."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        address = waiting.pop()
        if address in found or address >= len(steps):
            continue
        found.add(address)
        step = steps[address]
        if step.branch is None or step.branch.relation:
            waiting += [] if step.halts else [address + 1]
        if step.branch is not None:
            target = step.branch.target
            waiting += range(len(steps)) if target is None else [target]
    return found


class Link(NamedTuple):
    """An instruction of a chain, and the register or memory that leads to the following one."""

    line: int
    mnemonic: str
    resource: str


class CarriedDependence(NamedTuple):
    """The longest dependence from an iteration to the next: so many bundles, by a chain."""

    bundles: int
    chain: tuple[Link, ...]


class Limit(NamedTuple):
    """Why iterations of a loop of one path cannot begin more often than every few `bundles`.

    Either the `slots` are full, by these `instructions`, or the only one is a branch that needs its
    `delay_slots`, or each waits for the one before, the first one for the last one of the iteration
    before.
    """

    bundles: int
    slots: tuple[str, ...]
    instructions: tuple[Link, ...]
    delay_slots: int = 0

    @property
    def is_dependence(self) -> bool:
        return bool(self.bundles) and not self.slots and not self.delay_slots


class LoopReport(NamedTuple):
    """A loop of the source, from address `first` to `last`, inside of `depth` others.

    `row` is the line of its label, or of its first bundle. `own` are the addresses outside of its
    inner loops; `pressure` is that of their instructions, highest bound first. `trips` of one entry
    are in words, such as `cr5 - 1`; `least` and `most` are numbers, `iterations` those of all
    entries; `formula` is the trips as an argument plus a constant. `cycles` include inner
    loops, `own_cycles` do not; `entry_cycles` are those of one
    entry, where nothing more is known. Counts are None if they are not known; `dependence` is None
    for a loop with more than one path or with inner loops, and so is its `limit`; it has no
    `windows` and no `picture` then.
    """

    first: int
    last: int
    label: str | None
    place: SourceLocation
    row: int
    depth: int
    own: tuple[int, ...]
    pressure: tuple[SlotPressure, ...]
    dependence: CarriedDependence | None
    trips: str
    least: Count
    most: Count
    iterations: Count
    cycles: Count
    own_cycles: Count
    entry_cycles: Count = None
    windows: tuple[RegisterWindows, ...] = ()
    limit: Limit | None = None
    formula: str = ""
    picture: Picture | None = None

    @property
    def bundles(self) -> int:
        """The number of bundles, those of inner loops included."""
        return self.last - self.first + 1

    @property
    def bound(self) -> int:
        """The number of bundles that its own instructions take at least, as far as is known."""
        if self.limit is not None:
            return self.limit.bundles
        return self.pressure[0].bundles if self.pressure else 0


def loop_reports(measured: Measured) -> list[LoopReport]:
    """Return the loops of a program by their first address."""
    loops = loops_of(measured.program)
    return [_loop(measured, loop, loops) for loop in loops]


def _loop(measured: Measured, loop: SourceLoop, loops: Sequence[SourceLoop]) -> LoopReport:
    inside = {
        address
        for other in loops
        if _is_around(loop, other)
        for address in range(other.first, other.last + 1)
    }
    every = range(loop.first, loop.last + 1)
    own = tuple(address for address in every if address not in inside)
    program = measured.program
    place = measured.lines.place(loop.first)
    assert place is not None
    is_exposed = program.isa.has_exposed_pipeline
    steady = steady_loop(program, loop.first, loop.last) if is_exposed else None
    least, most = _trips(measured, loop)
    cycles = total(measured.executions[address] for address in every)
    bound = loop_bound(program, loop, measured.facts, steady)
    dependence = None if bound is None else _carried(measured, bound)
    return LoopReport(
        first=loop.first,
        last=loop.last,
        label=loop.label,
        place=place,
        row=_row(measured, loop) or place.line,
        depth=sum(_is_around(other, loop) for other in loops),
        own=own,
        pressure=_pressure(measured, own),
        dependence=dependence,
        trips=_trips_text(measured, loop),
        least=least,
        most=most,
        iterations=measured.executions[loop.first],
        cycles=cycles,
        own_cycles=total(measured.executions[address] for address in own),
        entry_cycles=_entry_cycles(measured, loop) if cycles is None else None,
        formula=_formula(measured, loop),
        windows=tuple(register_windows(steady)) if steady is not None else (),
        limit=None
        if bound is None or dependence is None
        else _limit(measured, bound, dependence.chain),
        picture=None if bound is None else picture_of(program, measured.lines, loop, bound),
    )


def _row(measured: Measured, loop: SourceLoop) -> int | None:
    """Return the line of a loop's label in the source; None if it is not written there."""
    lines, program = measured.lines, measured.program
    bundle = program.bundles[program.bundle_at_address[loop.first]]
    if bundle.label is None:
        return None
    path, span = lines.written(loop.first, bundle.syntax.label_span(bundle.label))
    return None if path != MAIN else lines.source.lines.position(span.start).line + 1


def _is_around(outer: SourceLoop, inner: SourceLoop) -> bool:
    return outer is not inner and outer.first <= inner.first and inner.last <= outer.last


def _pressure(measured: Measured, addresses: Sequence[int]) -> tuple[SlotPressure, ...]:
    program = measured.program
    found = slot_pressure(program.isa, operations_of(program, addresses))
    return tuple(sorted(found, key=lambda each: -each.bundles))


def _carried(measured: Measured, bound: LoopBound) -> CarriedDependence:
    bundles, cycle = bound.recurrence
    chain = [_link(measured, bound.graph.operations[each.source], each.resource) for each in cycle]
    return CarriedDependence(bundles, tuple(chain))


def _limit(measured: Measured, bound: LoopBound, chain: tuple[Link, ...]) -> Limit:
    full = bound.slots
    if not full and bound.recurrence.bundles == bound.bundles:
        return Limit(bound.bundles, (), chain)
    slots = measured.program.isa.slot_by_name
    inside = [each for each in bound.graph.operations if each.is_branch]
    if full:
        inside = [o for o in bound.graph.operations if {*full} & {o.slot, *slots[o.slot].units}]
    links = tuple(_link(measured, each, "") for each in inside)
    return Limit(bound.bundles, full, links, 0 if full else bound.branch - 1)


def _link(measured: Measured, operation: Operation, resource: str) -> Link:
    program = measured.program
    bundle = program.bundles[program.bundle_at_address[operation.address]]
    place = measured.lines.place(operation.address)
    mnemonic = bundle.instructions[operation.number].mnemonic
    return Link(place.line if place else 0, mnemonic, resource)


def _trips(measured: Measured, loop: SourceLoop) -> tuple[Count, Count]:
    """Return the least and the most trips of one entry; 0 for a loop that is never entered."""
    if measured.facts is None:
        counted = loop_numbers(measured.program, None).get(loop.first)
        return (None, None) if counted is None else (counted.least, counted.most)
    if measured.executions[loop.first] is None:
        return None, None
    summary = measured.facts.summary.loops.get(loop.first)
    return (0, 0) if summary is None else (summary.least, summary.most)


def _trips_text(measured: Measured, loop: SourceLoop) -> str:
    facts = measured.facts
    if facts is None:
        counted = loop_numbers(measured.program, None).get(loop.first)
        count = _formula(measured, loop)
        count = f"({count})" if " " in count else count
        return count if count else "?" if counted is None else entry_trips_text(counted)
    if measured.executions[loop.first] is None and not facts.is_complete:
        return "?"
    summary = facts.summary.loops.get(loop.first)
    return "0" if summary is None else entry_trips_text(summary)


def _formula(measured: Measured, loop: SourceLoop) -> str:
    """Return the trips as an argument plus a constant, if they are that."""
    if measured.facts is not None:
        return ""
    return counted_loops(measured.program).counts.get(loop.first, "")


def _entry_cycles(measured: Measured, loop: SourceLoop) -> Count:
    """Return the cycles of one entry of a loop that counts constants; None if not known."""
    counted = (
        loop_numbers(measured.program, None).get(loop.first) if measured.facts is None else None
    )
    return None if counted is None else counted.entry_cycles


class FunctionReport(NamedTuple):
    """A function: the place and the label of its first bundle, and the cycles of a call.

    `label` is None if it has none. `cycles` are None if they are not known; then those are known
    that come before the bundle at `undecided`, or before the end of the file if that is None; or
    they are a `formula` of arguments.
    """

    place: SourceLocation
    label: str | None
    cycles: Count
    undecided: SourceLocation | None
    formula: str = ""


def function_reports(program: Program, lines: LineTable) -> list[FunctionReport]:
    """Return the functions by address; none for a set without counters."""
    local = local_labels(program)
    labels = sorted(program.label_addresses, key=lambda label: label not in local)
    names = {program.label_addresses[label]: label for label in labels}
    found: list[FunctionReport] = []
    for function in counted_loops(program).functions:
        place = lines.place(function.start)
        assert place is not None
        undecided = lines.place(function.undecided) if function.cycles is None else None
        label = names.get(function.start)
        report = FunctionReport(place, label, function.cycles, undecided, function.formula)
        found.append(report)
    return found
