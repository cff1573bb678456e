"""Coverage for lcov, and as self-contained HTML pages without scripts or network access."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Iterable, Iterator, Mapping
from urllib.parse import quote

from ipu_asm.config.files import FileError, Target, read_text
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.html_page import html_page, shown_lines
from ipu_asm.testbench.coverage.model import Coverage, KernelCoverage, LineCoverage, Share, files_of
from ipu_asm.text import SourceFile

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
