"""A profile as one self-contained HTML page without scripts or network access."""

from __future__ import annotations

import ntpath
import os
import re
from collections import Counter
from math import ceil, sqrt
from typing import Final, Iterator, Sequence

from ipu_asm.emulator.profile import HOTTEST, LoopUse, Profile
from ipu_asm.emulator.stops import RunEnd, StopReason, describe_stop
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.html_page import html_page, shown_lines
from ipu_asm.reports.reference import PALETTE, slot_colours
from ipu_asm.text import SourceFile, percentage

_LEVELS = 9
_SHORTEST_FOLDED: Final = 5
"""Lines of a head comment from which on it is folded."""
_WORDS: Final = re.compile(r"(?P<word>[\w.$]+)(?P<label>\s*:)?")
_BEFORE_MNEMONIC: Final = (":", ";", "|", "}")


def profile_page(profile: Profile, source: SourceFile, stop: RunEnd, isa: Isa) -> str:
    """Return the page.

    `source` is the text that the line numbers refer to, `stop` says why the run ended.
    """
    working = {slot.name for slot in isa.working_slots}
    lines = list(_lines(profile, source, isa)) if profile.lines else []
    return html_page(
        os.path.dirname(__file__),
        "profile_page.html",
        name=ntpath.basename(source.path) or source.path,
        path=source.path,
        message=describe_stop(stop),
        severity=_severity(stop),
        fault_line=stop.fault.line if stop.fault is not None else None,
        profile=profile,
        colours=slot_colours(isa),
        palette=PALETTE,
        executed=sum(bundle.cycles > 0 for bundle in profile.bundles[: profile.size]),
        working=working,
        slots=[use for use in profile.slots if use.slot in working],
        hottest_loop=max(profile.loops, key=lambda use: use.own_cycles, default=None),
        hottest=profile.hottest[:HOTTEST],
        head=_head(lines),
        lines=lines,
        coloured=lambda text: list(_coloured(text, isa)),
        levels=_LEVELS,
        count=_count,
        grouped=lambda number: f"{number:,}",
        heat_class=_heat_class,
        percent=percentage,
    )


def _severity(stop: RunEnd) -> str:
    """Return the CSS class of the message: that of a fault, of a run without an end, or none."""
    if stop.fault is not None:
        return "error"
    return "" if stop.reason is StopReason.HALTED else "warning"


class _Line(NamedTuple):
    """A source line; `cycles` is None if no bundle begins on it, `heat` its CSS class or ""."""

    cycles: int | None
    heat: str
    brackets: str
    indent: str
    code: str
    comment: str


def _lines(profile: Profile, source: SourceFile, isa: Isa) -> Iterator[_Line]:
    cycles, cycles_by_line = profile.lines, _cycles_by_line(profile)
    most = max(cycles.values())
    loops = [use for use in profile.loops if use.lines is not None]
    for line, (code, comment) in enumerate(shown_lines(source, isa), 1):
        heat = _heat_class(cycles_by_line[line], most) if line in cycles_by_line else ""
        bare = code.lstrip()
        indent = code[: len(code) - len(bare)]
        yield _Line(cycles.get(line), heat, _brackets(line, loops), indent, bare, comment)


def _head(lines: Sequence[_Line]) -> int:
    """Return how many lines the head comment has, with blank lines in it; 0 if it is short."""
    last = 0
    for number, line in enumerate(lines, 1):
        if line.code:
            break
        last = number if line.comment else last
    return last if last >= _SHORTEST_FOLDED else 0


def _coloured(text: str, isa: Isa) -> Iterator[tuple[str, str | None]]:
    """Yield the parts of code, each with the slot of the mnemonic that it is, else None."""
    at = end = 0
    for match in _WORDS.finditer(text):
        before = text[end : match.start()].strip()
        is_first = not (end or before) or before.endswith(_BEFORE_MNEMONIC)
        end = match.end()
        spec = isa.spec(match["word"]) if is_first and not match["label"] else None
        if spec is not None:
            yield text[at : match.start()], None
            yield match["word"], spec.slot
            at = end
        elif match["label"]:
            end -= 1  # the colon is what stands before the next word
    yield text[at:], None


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


def _heat_class(cycles: int, most: int) -> str:
    """Return the CSS class for a number of cycles, on a square-root scale: counts differ widely."""
    return f"h{ceil(_LEVELS * sqrt(cycles / most))}" if cycles else "h0"


def _count(number: float) -> str:
    """Format a number; a whole one has no decimals."""
    return f"{number:,.0f}" if abs(number - round(number)) < 0.005 else f"{number:,.2f}"
