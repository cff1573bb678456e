"""The output of `ipu-run --coverage`: a tracefile of lcov, or an HTML page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.config.files import FileError

if TYPE_CHECKING:
    from ipu_asm.cli.run.execution import RunOutcome


def check_coverage(path: str | None, kernel: Kernel | None) -> None:
    """Raise `FileError` before the run if lcov cannot say what was executed of the program.

    Its records name a file with lines: an image and standard input are none.
    """
    if path is None or kernel is None or _is_page(path):
        return
    if kernel.is_image:
        reason = "lcov counts the lines of a source, and this is an image"
    elif not os.path.isfile(kernel.name):
        reason = "lcov names the file of a source, and this is none"
    else:
        return
    raise FileError(f"{reason}: name a page for --coverage, such as `coverage.html`", kernel.name)


def coverage_file(path: str, kernel: Kernel, outcome: RunOutcome) -> str:
    """Return the coverage of a run; a `path` that ends in `.html` is a page, else for lcov."""
    from ipu_asm.emulator.execution_counts import ExecutionCounts
    from ipu_asm.emulator.stops import describe_stop
    from ipu_asm.testbench.coverage.lcov import lcov_text
    from ipu_asm.testbench.coverage.model import Coverage
    from ipu_asm.testbench.coverage.page import coverage_page
    from ipu_asm.testbench.coverage.written import kernel_coverage

    assert outcome.recording is not None
    counts = ExecutionCounts()
    counts.add(outcome.recording, outcome.machine.state.program_counter)
    covered = kernel_coverage(kernel, counts)
    if _is_page(path):
        message = f"one run of {outcome.cycles:,} cycles, {describe_stop(outcome.stop)}"
        return coverage_page(covered, message=message, sources={covered.path: kernel.source})
    coverage = Coverage()
    coverage.add(covered)
    return lcov_text(coverage)


def _is_page(path: str) -> bool:
    return os.path.splitext(path)[1].lower() in (".html", ".htm")
