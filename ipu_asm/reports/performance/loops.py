"""The loops of a program: trips, cycles, and what bounds the bundles of an iteration."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.summary import Count
from ipu_asm.flow.loop_numbers import entry_trips_text, loop_numbers
from ipu_asm.flow.loops import SourceLoop, loops_of
from ipu_asm.flow.packing.dependences import (
    Dependence,
    SlotPressure,
    dependences_of,
    recurrence_of,
    slot_pressure,
)
from ipu_asm.flow.packing.operations import Operation, disjoint_accesses, operations_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import SourceLocation
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.measured import Measured, total
from ipu_asm.source.source_map import MAIN


class CarriedDependence(NamedTuple):
    """The longest dependence from an iteration to the next: so many bundles, by a chain of
    instructions, each with the register or memory that leads to the following one.
    """

    bundles: int
    chain: tuple[tuple[Operation, str], ...]


class LoopReport(NamedTuple):
    """A loop of the source, from address `first` to `last`, inside of `depth` others.

    `row` is the line of its label, or of its first bundle. `own` are the addresses outside of its
    inner loops; `pressure` is that of their instructions, highest bound first. `trips` of one entry
    are in words, such as `cr5 - 1`; `least` and `most` are numbers, `iterations` those of all
    entries. `cycles` include inner loops, `own_cycles` do not; `entry_cycles` are those of one
    entry, where nothing more is known. Counts are None if they are not known; `dependence` is None
    for a loop with more than one path or with inner loops.
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

    @property
    def bundles(self) -> int:
        """The number of bundles, those of inner loops included."""
        return self.last - self.first + 1

    @property
    def bound(self) -> int:
        """The number of bundles that its own instructions take at least."""
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
    least, most = _trips(measured, loop)
    cycles = total(measured.executions[address] for address in every)
    return LoopReport(
        first=loop.first,
        last=loop.last,
        label=loop.label,
        place=place,
        row=_row(measured, loop) or place.line,
        depth=sum(_is_around(other, loop) for other in loops),
        own=own,
        pressure=_pressure(measured, own),
        dependence=_dependence(measured, every) if _has_one_path(program, loop) else None,
        trips=_trips_text(measured, loop),
        least=least,
        most=most,
        iterations=measured.executions[loop.first],
        cycles=cycles,
        own_cycles=total(measured.executions[address] for address in own),
        entry_cycles=_entry_cycles(measured, loop) if cycles is None else None,
    )


def _has_one_path(program: Program, loop: SourceLoop) -> bool:
    """Return whether all iterations execute all bundles in order; if that is known."""
    targets = {reference.target for reference in program.references}
    bundles = [program.bundles[n] for n in program.bundle_at_address[loop.first : loop.last]]
    is_entered = any(address in targets for address in range(loop.first + 1, loop.last + 1))
    return bool(program.isa.spaces) and not (
        is_entered or any(bundle.transfers_control for bundle in bundles)
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


def _dependence(measured: Measured, addresses: range) -> CarriedDependence:
    are_disjoint = disjoint_accesses(measured.facts)
    graph = dependences_of(measured.program, addresses, True, are_disjoint)
    bundles, cycle = recurrence_of(graph)
    chain = [_link(graph.operations, dependence) for dependence in cycle]
    return CarriedDependence(bundles, tuple(chain))


def _link(operations: Sequence[Operation], dependence: Dependence) -> tuple[Operation, str]:
    return operations[dependence.source], dependence.resource


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
        return "?" if counted is None else entry_trips_text(counted)
    if measured.executions[loop.first] is None and not facts.is_complete:
        return "?"
    summary = facts.summary.loops.get(loop.first)
    return "0" if summary is None else entry_trips_text(summary)


def _entry_cycles(measured: Measured, loop: SourceLoop) -> Count:
    """Return the cycles of one entry of a loop that counts constants; None if not known."""
    counted = (
        loop_numbers(measured.program, None).get(loop.first) if measured.facts is None else None
    )
    return None if counted is None else counted.entry_cycles
