"""Collection of the coverage of all kernels that test benches run."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Iterator

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.emulator.execution_counts import ExecutionCounts, conditional_branches
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.source.source_map import MAIN
from ipu_asm.testbench.coverage.model import (
    Branch,
    Coverage,
    KernelCoverage,
    Line,
    Outcomes,
    Place,
    WrittenBundle,
)
from ipu_asm.text import Span


class _Program:
    """A program that was run: one kernel may have many, by the contexts of its template."""

    def __init__(self, kernel: Kernel, path: str) -> None:
        self.kernel = kernel
        self.path = path
        self.counts = ExecutionCounts()
        self.runs = 0


class Collector:
    """The counts of programs, by what tells them apart.

    Kernels that are no source files are left out: `images` are the names of those that are images.
    """

    def __init__(self) -> None:
        self.images: set[str] = set()
        self._programs: dict[tuple[str, str, str], _Program] = {}

    def counts_of(self, kernel: Kernel) -> ExecutionCounts | None:
        """Return what counts a run of a kernel that begins now; None for no source file."""
        if kernel.is_image:
            self.images.add(kernel.name)
        if kernel.is_image or not os.path.isfile(kernel.name):
            return None
        path = os.path.abspath(kernel.name)
        text = kernel.expansion.text if kernel.expansion else kernel.source.text
        key = (path, kernel.isa.name, text)
        program = self._programs.setdefault(key, _Program(kernel, path))
        program.runs += 1
        return program.counts

    def take_over(self, other: Collector) -> None:
        """Add what another one has collected."""
        self.images |= other.images
        for key, program in other._programs.items():
            own = self._programs.setdefault(key, _Program(program.kernel, program.path))
            own.runs += program.runs
            own.counts.executions.update(program.counts.executions)
            own.counts.departures.update(program.counts.departures)

    @property
    def coverage(self) -> Coverage:
        """The coverage of what was executed so far."""
        coverage = Coverage()
        for program in self._programs.values():
            if program.counts.executions:
                kernel, path = program.kernel, program.path
                coverage.add(kernel_coverage(kernel, program.counts, path, program.runs))
        return coverage


_collectors: list[Collector] = []


@contextmanager
def collected_coverage() -> Iterator[Collector]:
    """Collect the coverage of the kernels that test benches of this process run in the block.

    In a block inside another one, both collect.
    """
    collector = Collector()
    _collectors.append(collector)
    try:
        yield collector
    finally:
        _collectors.remove(collector)
        if _collectors:
            _collectors[-1].take_over(collector)


def counter_for(kernel: Kernel) -> ExecutionCounts | None:
    """Return what is to count a run of a kernel; None if nobody asks for coverage."""
    return _collectors[-1].counts_of(kernel) if _collectors else None


class _Extent(NamedTuple):
    """Where an instruction is written: its first character, and its last line."""

    place: Place
    last: int

    @property
    def lines(self) -> list[Line]:
        return [(self.place.path, n) for n in range(self.place.line, self.last + 1)]


def kernel_coverage(
    kernel: Kernel, counts: ExecutionCounts, path: str | None = None, runs: int = 1
) -> KernelCoverage:
    """Return the coverage of a kernel at `path`, by default its own name made absolute."""
    path = path or os.path.abspath(kernel.name)
    coverage, places = KernelCoverage(path, kernel.isa.name), _Places(kernel, path)
    coverage.runs = runs
    size = places.table.program.size
    for pc in range(size if kernel.code is not None else min(size, len(kernel.words))):
        coverage.add_bundle(places.bundle(pc), counts.executions[pc])
    for branch in conditional_branches(kernel):
        at = branch.pc, branch.slot, branch.place
        text = places.table.instruction(*at) or branch.text
        written = Branch(places.instruction(*at), text.split(" ")[0])
        coverage.add_branch(written, Outcomes(*counts.of_branch(branch)))
    return coverage


class _Places:
    """Where the bundles and instructions of a kernel are written."""

    def __init__(self, kernel: Kernel, path: str) -> None:
        self.table: LineTable = kernel.lines
        self._kernel = kernel
        self._path = path

    def bundle(self, pc: int) -> WrittenBundle:
        program = self.table.program
        bundle = program.bundles[program.bundle_at_address[pc]]
        spans = [bundle.syntax.instruction_span(n) for n in range(len(bundle.instructions))]
        extents = [self._extent(pc, span) for span in spans or [bundle.first_token]]
        lines = dict.fromkeys(line for extent in extents for line in extent.lines)
        return WrittenBundle(extents[0].place, tuple(lines))

    def instruction(self, pc: int, slot: str, number: int) -> Place:
        """The place of an instruction; that of its bundle if it is not written."""
        program = self.table.program
        bundle = program.bundles[program.bundle_at_address[pc]]
        written = bundle.instructions_of(slot)[number : number + 1]
        if not written:
            return self.bundle(pc).place
        return self._extent(pc, bundle.syntax.instruction_span(written[0])).place

    def _extent(self, pc: int, span: Span) -> _Extent:
        path, written = self.table.written(pc, span)
        expansion = self.table.expansion
        file = expansion.files.get(path) if expansion and path != MAIN else None
        lines = (file or self._kernel.source).lines
        start, end = lines.position(written.start), lines.position(written.end)
        place = Place(self._path if file is None else path, start.line + 1, start.column + 1)
        return _Extent(place, end.line + 1)
