"""Collecting the coverage of all kernels that test benches run, while somebody asks for it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Iterator

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.emulator.execution_counts import ExecutionCounts
from ipu_asm.testbench.coverage.model import Coverage
from ipu_asm.testbench.coverage.written import kernel_coverage


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
