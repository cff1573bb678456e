"""The performance report of a program, from the facts of its control run."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.emulator.html_tables import table
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import End, fault_message, fault_of
from ipu_asm.flow.control_run.summary import Count
from ipu_asm.flow.control_run.values import Symbolic
from ipu_asm.isa.model import Isa
from ipu_asm.lint.run_findings import iterations_text
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable, SourceLocation
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.functions import FunctionReport, function_reports
from ipu_asm.reports.performance.loops import LoopReport, loop_reports
from ipu_asm.reports.performance.measured import Measured, measure
from ipu_asm.reports.performance.memory import (
    AccessReport,
    Overlap,
    Region,
    access_reports,
    overlaps_of,
    regions_of,
)
from ipu_asm.reports.performance.moves import MovesReport, moves_report


class PerformanceReport(NamedTuple):
    """What is known about the run of a program.

    `cycles` are None if they are not known; of a run that faults, they are those before the fault.
    `executed` are those that are certain, `refused` is why it faults. `end` is None for an
    instruction set in which data may decide control; its `functions` have the cycles of a call.
    `unknown` are the values that missing numbers depend on, by the names of registers. `presets`
    are the values that registers have at the start.
    """

    isa: Isa
    cycles: Count
    bundles: int
    executed: Count
    end: End | None
    end_place: SourceLocation | None
    refused: str
    functions: tuple[FunctionReport, ...]
    loops: tuple[LoopReport, ...]
    accesses: tuple[AccessReport, ...]
    regions: tuple[Region, ...]
    overlaps: tuple[Overlap, ...]
    moves: MovesReport
    unknown: tuple[str, ...]
    presets: Mapping[str, int]

    @property
    def hottest_loop(self) -> LoopReport | None:
        """The loop whose own bundles take the most cycles."""
        known = [loop for loop in self.loops if loop.own_cycles]
        return max(known, key=lambda loop: loop.own_cycles or 0, default=None)

    @property
    def bases_without_value(self) -> tuple[str, ...]:
        """The base registers whose values are not known, so that addresses are offsets."""
        names = [name for region in self.regions for name in region.base.unknown]
        return tuple(dict.fromkeys(names))

    def _repr_html_(self) -> str:
        cycles = "unknown" if self.cycles is None else f"{self.cycles:,}"
        depends = f"; they depend on {', '.join(self.unknown)}" if self.unknown else ""
        caption = f"{cycles} cycles, {self.bundles:,} bundles{depends}"
        rows = [
            (
                each.label or "",
                each.row,
                each.bundles,
                each.trips,
                "unknown" if each.cycles is None else each.cycles,
            )
            for each in self.loops
        ]
        return table(("loop", "line", "bundles", "trips", "cycles"), rows, caption)


def performance_report(
    program: Program, lines: LineTable, facts: ControlFacts | None, *, with_moves: bool = True
) -> PerformanceReport:
    """Return the report; positions are those of `lines`.

    Moves, whose schedules take most of the time, are left out without `with_moves`.
    """
    measured = measure(program, lines, facts)
    accesses = access_reports(measured) if facts else []
    regions = regions_of(accesses)
    return PerformanceReport(
        isa=program.isa,
        cycles=measured.cycles,
        bundles=program.size,
        executed=facts.summary.cycles if facts else None,
        end=facts.run.end if facts else None,
        end_place=lines.place(facts.run.end.address) if facts else None,
        refused=_refused(program, facts) if facts else "",
        functions=tuple(function_reports(program, lines)) if facts is None else (),
        loops=tuple(loop_reports(measured)),
        accesses=tuple(accesses),
        regions=tuple(regions),
        overlaps=tuple(overlaps_of(regions)),
        moves=moves_report(measured) if with_moves else MovesReport(()),
        unknown=_unknown(measured),
        presets=facts.presets if facts else {},
    )


def _refused(program: Program, facts: ControlFacts) -> str:
    """Return what the machine refuses at the end of the run, and in which iteration."""
    fault = fault_of(program, facts.run)
    if fault is None:
        return ""
    return fault_message(program, facts.run, fault) + iterations_text(program, facts.run)


def _unknown(measured: Measured) -> tuple[str, ...]:
    facts = measured.facts
    if facts is None:
        return ()
    names = [*facts.summary.unknown]
    for summary in facts.summary.accesses.values():
        for start, dimensions in summary.offsets:
            for value in (start, *(stride for stride, _ in dimensions)):
                names += value.registers if isinstance(value, Symbolic) else ()
    return tuple(sorted(set(names), key=lambda name: (len(name), name)))
