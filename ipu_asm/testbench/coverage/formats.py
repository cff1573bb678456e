"""Coverage of all kernels that test benches run: collected, written for lcov, and as HTML pages.

The pages are self-contained, without scripts or network access.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from hashlib import sha256
from typing import Iterable, Iterator, Mapping
from urllib.parse import quote

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.config.files import FileError, Target, read_text
from ipu_asm.emulator.execution_counts import ExecutionCounts, conditional_branches
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.reports.html_page import html_page, shown_lines
from ipu_asm.source.source_map import MAIN
from ipu_asm.testbench.coverage import (
    Branch,
    Coverage,
    KernelCoverage,
    Line,
    LineCoverage,
    Outcomes,
    Place,
    Share,
    WrittenBundle,
    files_of,
)
from ipu_asm.text import SourceFile, Span


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


INDEX = "index.html"
# Longer comments at the beginning are folded.
_MAX_HEAD = 8
_FOLDER = os.path.dirname(__file__)


class _Line(NamedTuple):
    """A line of the page; `kind` is hit, part, miss, or empty for a line without bundles."""

    number: int
    executions: str
    kind: str
    code: str
    comment: str
    notes: list[str]


class _File(NamedTuple):
    """A file with lines of a kernel; `anchor` begins the names of its lines.

    `head` are the comments before the first code, which are folded.
    """

    name: str
    anchor: str
    lines: list[_Line]
    head: list[_Line]


def coverage_page(
    kernel: KernelCoverage,
    *,
    message: str = "",
    sources: Mapping[str, SourceFile] = {},
    index: str | None = None,
) -> str:
    """Return the page of one kernel.

    `message` says where the numbers come from. `sources` are its files by absolute path; others
    are read. `index` is the address of a page with all kernels.
    """
    base = os.getcwd()
    files = [
        _file(path, number, lines, load_isa(kernel.isa), sources.get(path))
        for number, (path, lines) in enumerate(kernel.files.items())
    ]
    return html_page(
        _FOLDER,
        "page.html",
        name=os.path.basename(kernel.path),
        path=shown_path(kernel.path, base),
        kernel=kernel,
        message=message or _runs(kernel.runs),
        files=files,
        index=index,
    )


def coverage_pages(coverage: Coverage, message: str = "") -> Iterator[tuple[str, str]]:
    """Yield file names and pages: one for each kernel, and `INDEX` with all of them."""
    base, rows = os.getcwd(), []
    for kernel in sorted(coverage.kernels.values(), key=lambda each: each.path):
        name = _page_name(kernel.path)
        link = quote(name, errors="surrogateescape")
        rows.append((shown_path(kernel.path, base), link, kernel))
        yield name, coverage_page(kernel, index=INDEX)
    totals = [Share(0, 0)] * 4
    for _, _, kernel in rows:
        shares = (kernel.lines, kernel.bundle_share, kernel.branch_share, kernel.total)
        totals = [total.plus(share) for total, share in zip(totals, shares)]
    yield INDEX, html_page(_FOLDER, "index.html", rows=rows, totals=totals, message=message)


def _page_name(path: str) -> str:
    """A file name for the page of a kernel, different for files of the same name."""
    digest = sha256(path.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{os.path.basename(path)}.{digest[:8]}.html"


def _runs(number: int) -> str:
    return "one run" if number == 1 else f"{number:,} runs together"


def _file(
    path: str, number: int, lines: Mapping[int, LineCoverage], isa: Isa, source: SourceFile | None
) -> _File:
    anchor = "L" if number == 0 else f"F{number}L"
    name = shown_path(path, os.getcwd())
    try:
        text = source or SourceFile(read_text(Target(path)).text, path)
    except FileError as error:
        return _File(f"{name}: cannot be shown: {error}", anchor, [], [])
    shown = list(_shown(shown_lines(text, isa), lines))
    count = next((at for at, line in enumerate(shown) if line.code.strip() or line.kind), 0)
    folded = count if count > _MAX_HEAD else 0
    return _File(name, anchor, shown[folded:], shown[:folded])


def _shown(texts: Iterable[tuple[str, str]], lines: Mapping[int, LineCoverage]) -> Iterator[_Line]:
    for number, (code, comment) in enumerate(texts, 1):
        line = lines.get(number)
        if line is None:
            yield _Line(number, "", "", code, comment, [])
            continue
        notes = line.notes
        kind = "part" if notes else "hit" if line.executions else "miss"
        shown = f"{line.executions:,}" if line.executions else "never"
        yield _Line(number, shown, kind, code, comment, notes)


def lcov_text(coverage: Coverage, root: str | None = None) -> str:
    """Return an lcov tracefile, with a record for each file that has bundles.

    Paths below `root`, by default the current directory, are relative to it, as tools want them
    that run there.
    """
    base = os.path.abspath(root or ".")
    files = sorted(files_of(coverage.kernels.values()).items())
    records = (_record(shown_path(path, base), lines) for path, lines in files if lines)
    return "".join(f"{line}\n" for record in records for line in record)


def shown_path(path: str, base: str) -> str:
    """Return a path as it is shown: relative to a folder that it is in, with slashes."""
    inside = path.startswith(base.rstrip(os.sep) + os.sep)
    return (os.path.relpath(path, base) if inside else path).replace(os.sep, "/")


def _record(name: str, lines: Mapping[int, LineCoverage]) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{name}"
    branches = [
        f"BRDA:{number},{block},{way},{count if outcomes.is_executed else '-'}"
        for number, line in lines.items()
        for block, (_, outcomes) in enumerate(line.branches)
        for way, count in enumerate(outcomes)
    ]
    yield from branches
    yield f"BRF:{len(branches)}"
    yield f"BRH:{sum(not each.endswith((',0', ',-')) for each in branches)}"
    yield from (f"DA:{number},{line.executions}" for number, line in lines.items())
    yield f"LF:{len(lines)}"
    yield f"LH:{sum(line.executions > 0 for line in lines.values())}"
    yield "end_of_record"
