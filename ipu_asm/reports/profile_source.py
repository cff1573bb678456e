"""The source of a profiled program as an HTML table, each line coloured by its cycles."""

from __future__ import annotations

from html import escape
from math import ceil, sqrt

from ipu_asm.diagnostics.rendering import printable
from ipu_asm.emulator.profile import LoopUse, Profile
from ipu_asm.isa.model import Isa
from ipu_asm.text import SourceFile

_LEVELS = 9
_TAB = 4


def source_table(profile: Profile, source: SourceFile, isa: Isa) -> str:
    """Return the section with the source; "" if no line belongs to a bundle."""
    cycles = profile.lines
    if not cycles:
        return ""
    most = max(cycles.values())
    cycles_by_line = _cycles_by_line(profile)
    loops = [use for use in profile.loops if use.lines is not None]
    rows = []
    for line in range(1, len(source.lines.starts) + 1):
        text = source.line_text(line - 1).removeprefix("\ufeff")
        if line == len(source.lines.starts) and not text:
            break
        counts = _counts(cycles.get(line), profile.cycles)
        level = heat_class(cycles_by_line[line], most) if line in cycles_by_line else ""
        rows.append(
            f'<tr id="L{line}"><td class="n faint">{line}</td>{counts}'
            f'<td class="loop">{_brackets(line, loops)}</td>'
            f'<td class="code {level}">{_code(text, isa)}</td></tr>'
        )
    head = '<th class="n">line</th><th class="n">cycles</th><th class="n"></th><th></th><th></th>'
    body = "\n".join(rows)
    return (
        f"<h2>Source</h2>\n{_scale()}\n"
        f'<div class="wide"><table class="source">\n<tr>{head}</tr>\n{body}\n</table></div>'
    )


def percent(part: int, whole: int) -> str:
    """Return a fraction as a short percentage, such as `12.5 %`."""
    share = 100 * part / whole if whole else 0.0
    if part and share < 0.05:
        return "&lt;0.1 %"
    return f"{share:.0f} %" if share in (0, 100) else f"{min(share, 99.9):.1f} %"


def heat_class(cycles: int, most: int) -> str:
    """Return the CSS class for a number of cycles.

    The scale is a square root because counts differ widely.
    """
    return f"h{ceil(_LEVELS * sqrt(cycles / most))}" if cycles else "h0"


def _cycles_by_line(profile: Profile) -> dict[int, int]:
    """Return the cycles of each line that contains a part of a bundle."""
    cycles_by_line: dict[int, int] = {}
    for bundle in profile.bundles:
        if bundle.place is not None:
            for line in range(bundle.place.line, bundle.place.end_line + 1):
                cycles_by_line[line] = max(cycles_by_line.get(line, 0), bundle.cycles)
    for line, cycles in profile.lines.items():
        cycles_by_line[line] = max(cycles_by_line[line], cycles)
    return cycles_by_line


def _counts(cycles: int | None, total: int) -> str:
    """Return two table cells: the cycles, and their share, of the bundles that begin on a line."""
    if cycles is None:
        return "<td></td><td></td>"
    if not cycles:
        return '<td class="n never">never</td><td></td>'
    return f'<td class="n">{cycles:,}</td><td class="n faint">{percent(cycles, total)}</td>'


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


def _code(text: str, isa: Isa) -> str:
    """Return a source line as HTML, with its comment marked up."""
    shown = printable(text.expandtabs(_TAB))
    starts = (shown.find(mark) for mark in isa.surface.comments)
    start = min((start for start in starts if start >= 0), default=len(shown))
    comment = escape(shown[start:])
    tail = f'<span class="comment">{comment}</span>' if comment else ""
    return escape(shown[:start]) + tail


def _scale() -> str:
    steps = "".join(f'<span class="h{level}"></span>' for level in range(1, _LEVELS + 1))
    return f'<p class="faint scale">executed rarely {steps} often</p>'
