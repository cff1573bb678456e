"""The coverage of a kernel, from how often the bundles of its program were executed."""

from __future__ import annotations

import os

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.emulator.execution_counts import ExecutionCounts, conditional_branches
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.source.source_map import MAIN
from ipu_asm.testbench.coverage.model import (
    Branch,
    KernelCoverage,
    Line,
    Outcomes,
    Place,
    WrittenBundle,
)
from ipu_asm.text import Span


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
    for pc in range(min(places.table.program.size, len(kernel.words))):
        coverage.add_bundle(places.bundle(pc), counts.executions[pc])
    outcomes = counts.branches(kernel.isa, kernel.words)
    for branch in conditional_branches(kernel.isa, tuple(kernel.words)):
        slot, place = branch.instruction.slot.name, branch.instruction.place
        text = places.table.instruction(branch.pc, slot, place) or str(branch.instruction)
        written = Branch(places.instruction(branch.pc, slot, place), text.split(" ")[0])
        coverage.add_branch(written, Outcomes(*outcomes[branch.pc]))
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
