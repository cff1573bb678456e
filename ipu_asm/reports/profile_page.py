"""A profile as one self-contained HTML page without scripts or network access."""

from __future__ import annotations

import os
from collections import Counter
from math import ceil, sqrt
from typing import Iterator, NamedTuple

from ipu_asm.diagnostics.rendering import printable
from ipu_asm.emulator.profile import HOTTEST, LoopUse, Profile
from ipu_asm.isa.model import Isa
from ipu_asm.text import SourceFile

_LEVELS = 9
_TAB = 4


def profile_page(profile: Profile, source: SourceFile, message: str, isa: Isa) -> str:
    """Return the page.

    `source` is the text that the line numbers refer to, `message` the reason why the run stopped.
    """
    import jinja2

    loader = jinja2.FileSystemLoader(os.path.dirname(__file__))
    environment = jinja2.Environment(loader=loader, autoescape=True, keep_trailing_newline=True)
    working = _working_slots(isa)
    page = environment.get_template("profile_page.html").render(
        name=source.path,
        message=message,
        profile=profile,
        executed=sum(bundle.cycles > 0 for bundle in profile.bundles[: profile.size]),
        working=working,
        slots=[use for use in profile.slots if use.slot in working],
        hottest_loop=max(profile.loops, key=lambda use: use.own_cycles, default=None),
        hottest=profile.hottest[:HOTTEST],
        lines=list(_lines(profile, source, isa)) if profile.lines else [],
        levels=_LEVELS,
        count=_count,
        grouped=lambda number: f"{number:,}",
        heat_class=_heat_class,
        percent=_percent,
    )
    # File names and sources may have any bytes.
    return page.encode("utf-8", "replace").decode("utf-8")


def _working_slots(isa: Isa) -> set[str]:
    """Return the slots that have instructions other than no-ops and breakpoints."""
    return {
        spec.slot for spec in isa.instructions.values() if not spec.nop and spec.flow != "break"
    }


class _Line(NamedTuple):
    """A source line; `cycles` is None if no bundle begins on it, `heat` its CSS class or ""."""

    cycles: int | None
    heat: str
    brackets: str
    code: str
    comment: str


def _lines(profile: Profile, source: SourceFile, isa: Isa) -> Iterator[_Line]:
    cycles, cycles_by_line = profile.lines, _cycles_by_line(profile)
    most = max(cycles.values())
    loops = [use for use in profile.loops if use.lines is not None]
    count = len(source.lines.starts)
    for line in range(1, count + 1):
        text = source.line_text(line - 1).removeprefix("\ufeff")
        if line == count and not text:
            break
        shown = printable(text.expandtabs(_TAB))
        starts = (shown.find(mark) for mark in isa.surface.comments)
        comment = min((start for start in starts if start >= 0), default=len(shown))
        # A template's comment begins with its brace.
        comment -= shown[max(0, comment - 1) : comment + 1] == "{#"
        heat = _heat_class(cycles_by_line[line], most) if line in cycles_by_line else ""
        code = shown[:comment], shown[comment:]
        yield _Line(cycles.get(line), heat, _brackets(line, loops), *code)


def _cycles_by_line(profile: Profile) -> dict[int, int]:
    """Return the cycles of each line that contains a part of a bundle."""
    # The bundles that the iterations of a template have made of the same lines count together.
    cycles_by_place: Counter[tuple[int, int]] = Counter()
    for bundle in profile.bundles:
        if bundle.place is not None:
            cycles_by_place[bundle.place.line, bundle.place.end_line] += bundle.cycles
    cycles_by_line: dict[int, int] = {}
    for (first, last), cycles in cycles_by_place.items():
        for line in range(first, last + 1):
            cycles_by_line[line] = max(cycles_by_line.get(line, 0), cycles)
    for line, cycles in profile.lines.items():
        cycles_by_line[line] = max(cycles_by_line[line], cycles)
    return cycles_by_line


def _brackets(line: int, loops: list[LoopUse]) -> str:
    """Return a bracket character for each nesting depth of the loops that include a line."""
    columns: dict[int, str] = {}
    for use in loops:
        assert use.lines is not None
        first, last = use.lines
        if first <= line <= last:
            edge = "╶" if first == last else "┌" if line == first else "└" if line == last else "│"
            columns[use.depth] = edge
    return "".join(columns.get(depth, " ") for depth in range(max(columns, default=-1) + 1)) + " "


def _percent(part: int, whole: int) -> str:
    """Return a fraction as a short percentage, such as `12.5 %`."""
    share = 100 * part / whole if whole else 0.0
    if part and share < 0.05:
        return "<0.1 %"
    return f"{share:.0f} %" if share in (0, 100) else f"{min(share, 99.9):.1f} %"


def _heat_class(cycles: int, most: int) -> str:
    """Return the CSS class for a number of cycles, on a square-root scale: counts differ widely."""
    return f"h{ceil(_LEVELS * sqrt(cycles / most))}" if cycles else "h0"


def _count(number: float) -> str:
    """Format a number; a whole one has no decimals."""
    return f"{number:,.0f}" if abs(number - round(number)) < 0.005 else f"{number:,.2f}"
