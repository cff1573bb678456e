"""Coverage in a run of pytest: collected in each process, merged and reported in the first one.

The plugin loads this only where `--ipu-cov` asks for it. Workers of pytest-xdist send what they
have collected with `workeroutput`.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, Iterator, Protocol

import pytest

from ipu_asm.config.file_writing import Output, replace_file, replace_files
from ipu_asm.config.files import FileError, file_error
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.coverage import Coverage, KernelCoverage, Share
from ipu_asm.testbench.coverage.formats import (
    INDEX,
    collected_coverage,
    coverage_pages,
    lcov_text,
    shown_path,
)

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_SENT: Final = "ipu_coverage"
_TERM: Final = "term"
REPORTS: Final = "term, lcov:FILE or html:DIR"


class Report(NamedTuple):
    """A report that was asked for: `term`, `lcov` or `html`, and where it goes."""

    kind: str
    path: str = ""


def report_of(text: str) -> Report:
    """Return the report that an option names, with an absolute path. Raises ValueError."""
    kind, _, path = text.partition(":")
    if text == _TERM:
        return Report(_TERM)
    if kind in ("lcov", "html") and path:
        return Report(kind, os.path.abspath(path))
    raise ValueError(f"expected {REPORTS}, found `{text}`")


class _Node(Protocol):
    """A worker of pytest-xdist, as its controller knows it."""

    workeroutput: dict[str, Any]


class CoverageSession:
    """The plugin that collects and reports, in a run with `--ipu-cov`."""

    def __init__(self, reports: list[Report], root: str) -> None:
        self._reports = reports or [Report(_TERM)]
        self._root = root
        self._stack = ExitStack()
        self._collector = self._stack.enter_context(collected_coverage())
        self._received = Coverage()
        self._images: set[str] = set()
        self._notes: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: _Node) -> None:
        """Take what a worker has collected; one that crashed has sent nothing."""
        sent = getattr(node, "workeroutput", {}).get(_SENT)
        if sent is None:
            self._notes.append("a worker ended without telling what it executed")
            return
        data, images = sent
        self._received.update(Coverage.of_data(data))
        self._images.update(images)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send what was collected to the controller, or write the files."""
        self._stack.close()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_SENT] = [self._collector.coverage.data, sorted(self._collector.images)]
            return
        self._received.update(self._collector.coverage)
        self._images |= self._collector.images
        for report in self._reports:
            try:
                self._write(report)
            except FileError as error:
                self._notes.append(f"--ipu-cov-report={report.kind}: {error}")
                session.exitstatus = session.exitstatus or pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Print the table, and what was written."""
        terminalreporter.write_sep("=", "coverage of kernels")
        if Report(_TERM) in self._reports:
            for line in table(self._received, self._root):
                terminalreporter.write_line(line)
        for name in sorted(self._images):
            terminalreporter.write_line(f"{name} is an image: it has no lines to count")
        for note in self._notes:
            terminalreporter.write_line(note)

    def _write(self, report: Report) -> None:
        if report.kind == "lcov":
            text = lcov_text(self._received, self._root)
            replace_file(report.path, text.encode("utf-8", "surrogateescape"))
            self._wrote(report.path)
        elif report.kind == "html":
            try:
                os.makedirs(report.path, exist_ok=True)
            except OSError as error:
                raise file_error(report.path, error) from error
            pages = [
                Output(os.path.join(report.path, name), page.encode("utf-8", "surrogateescape"))
                for name, page in coverage_pages(self._received)
            ]
            replace_files(pages)
            self._wrote(os.path.join(report.path, INDEX))

    def _wrote(self, path: str) -> None:
        self._notes.append(f"wrote {shown_path(path, os.getcwd())}")


def table(coverage: Coverage, root: str) -> Iterator[str]:
    """Yield the lines of the summary: a row for each kernel, and one for all."""
    kernels = sorted(coverage.kernels.values(), key=lambda kernel: kernel.path)
    if not kernels:
        yield "no kernel of a file was run"
        return
    rows = [_row(shown_path(kernel.path, root), _shares(kernel)) for kernel in kernels]
    missing = [kernel.missing for kernel in kernels]
    if len(kernels) > 1:
        totals = [Share(0, 0)] * len(_shares(kernels[0]))
        for kernel in kernels:
            totals = [one.plus(other) for one, other in zip(totals, _shares(kernel))]
        rows.append(_row("all", totals))
        missing.append("")
    head = ["kernel", "lines", "bundles", "branches", "cover"]
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    for row, more in zip([head, *rows], ["missing", *missing]):
        name, *numbers = (
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        )
        yield "  ".join([name, *numbers, more]).rstrip()


def _shares(kernel: KernelCoverage) -> list[Share]:
    return [kernel.lines, kernel.bundle_share, kernel.branch_share, kernel.total]


def _row(name: str, shares: list[Share]) -> list[str]:
    *counts, total = shares
    return [name, *(f"{share.hit}/{share.of}" for share in counts), f"{total.percent}%"]
