"""The performance report as one self-contained HTML page without scripts or network access."""

from __future__ import annotations

import os
from typing import Sequence

from ipu_asm.diagnostics.rendering import printable
from ipu_asm.flow.control_run.trace import merged, shared
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.html_page import html_page, shown_lines
from ipu_asm.reports.performance import wording
from ipu_asm.reports.performance.memory import AccessReport, Region
from ipu_asm.reports.performance.report import PerformanceReport
from ipu_asm.text import SourceFile, counted

_CELLS = 400
"""Parts of a strip, each of which has one colour."""


class Piece(NamedTuple):
    """A part of a memory strip: its place and width in percent, and `read`, `written` or `both`."""

    left: float
    width: float
    use: str


class Strip(NamedTuple):
    """The bytes of a region, or of one access of it, between the ends of the region."""

    name: str
    uses: str
    pieces: Sequence[Piece]


class RegionMap(NamedTuple):
    """A region with a strip for all of it, and one for each access."""

    title: str
    extent: str
    size: str
    whole: Strip
    accesses: Sequence[Strip]


def report_page(report: PerformanceReport, path: str, source: SourceFile | None = None) -> str:
    """Return the page on a program; its title is the name of the file at `path`.

    With its `source`, it ends with that, and lines are links to there.
    """
    regions = sorted(report.regions, key=lambda region: region.base.value or 0)
    return html_page(
        os.path.dirname(__file__),
        "page.html",
        trim_blocks=True,
        name=printable(os.path.basename(path)),
        path=printable(path),
        report=report,
        overview=_overview(report),
        maps=[region_map(region) for region in regions],
        source=[*shown_lines(source, report.isa)] if source else [],
        slots=_slots(report),
        words=wording,
    )


def region_map(region: Region) -> RegionMap:
    """Return the strips of a region; without pieces if it is not known."""
    touched = region.touched
    start, end = (touched[0].start, touched[-1].stop) if touched else (0, 0)
    base = region.base.value or 0
    accesses = [_access_strip(access, range(start, end)) for access in region.accesses]
    return RegionMap(
        wording.region_title(region),
        wording.range_text(start + base, end + base) if touched else "?",
        counted(sum(map(len, touched)), "byte") if region.is_known else "? bytes",
        Strip("all", "", _pieces(region.read, region.written, range(start, end))),
        accesses,
    )


def _overview(report: PerformanceReport) -> Strip | None:
    """Return a strip of all regions if their bases are known and there are several."""
    read: list[range] = []
    written: list[range] = []
    for region in report.regions:
        base = region.base.value
        if base is None:
            return None
        read += [range(each.start + base, each.stop + base) for each in region.read]
        written += [range(each.start + base, each.stop + base) for each in region.written]
    every = merged([*read, *written])
    if len(report.regions) < 2 or not every:
        return None
    extent = range(every[0].start, every[-1].stop)
    name = wording.range_text(extent.start, extent.stop)
    return Strip(name, "", _pieces(merged(read), merged(written), extent))


def _access_strip(access: AccessReport, extent: range) -> Strip:
    touched = access.bytes or ()
    read, written = (touched, ()) if access.kind == "read" else ((), touched)
    uses = f"{access.kind}s {access.size} x {wording.short(access.executions)}"
    name = f"line {access.place.line}: {access.mnemonic}"
    return Strip(name, uses, _pieces(read, written, extent))


def _slots(report: PerformanceReport) -> list[str]:
    used = {each.slot for loop in report.loops for each in loop.pressure}
    return [slot.name for slot in report.isa.slots if slot.name in used]


def _pieces(read: Sequence[range], written: Sequence[range], extent: range) -> list[Piece]:
    """Return the coloured parts of a strip; a part that is touched at all has a colour."""
    cells = [""] * min(_CELLS, len(extent))
    _paint(cells, read, extent, "read")
    _paint(cells, written, extent, "written")
    _paint(cells, shared(read, written), extent, "both")
    pieces: list[Piece] = []
    width = 100 / len(cells) if cells else 0.0
    for number, use in enumerate(cells):
        if use and pieces and pieces[-1].use == use and number and cells[number - 1] == use:
            pieces[-1] = pieces[-1]._replace(width=pieces[-1].width + width)
        elif use:
            pieces.append(Piece(number * width, width, use))
    return pieces


def _paint(cells: list[str], ranges: Sequence[range], extent: range, use: str) -> None:
    for each in ranges:
        first = (each.start - extent.start) * len(cells) // len(extent)
        last = (each.stop - 1 - extent.start) * len(cells) // len(extent)
        cells[first : last + 1] = [use] * (last + 1 - first)
