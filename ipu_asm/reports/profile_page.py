"""A profile as one self-contained HTML page without scripts or network access."""

from __future__ import annotations

import os
from html import escape

from ipu_asm.emulator.profile import HOTTEST, BundleUse, LoopUse, Profile, SlotUse
from ipu_asm.isa.model import Isa
from ipu_asm.program.line_table import SourceLocation
from ipu_asm.reports.profile_source import heat_class, percent, source_table
from ipu_asm.text import SourceFile

_STYLE = os.path.join(os.path.dirname(__file__), "profile_page.css")


def profile_page(profile: Profile, source: SourceFile, message: str, isa: Isa) -> str:
    """Return the page.

    `source` is the text that the line numbers refer to, `message` the reason why the run stopped.
    """
    with open(_STYLE, encoding="utf-8") as file:
        style = file.read()
    name = escape(_printable(source.path))
    slots = _working_slots(isa)
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}: profile</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    )
    parts = [
        f'<h1>{name}</h1>\n<p class="faint">{_code(message)}</p>',
        _cards(profile, slots),
        _slots(profile, slots),
        _loops(profile, slots),
        _hottest(profile),
        source_table(profile, source, isa),
    ]
    return head + "\n".join(parts) + "\n</body>\n</html>\n"


def _working_slots(isa: Isa) -> set[str]:
    """Return the slots that have instructions other than no-ops and breakpoints."""
    return {
        spec.slot for spec in isa.instructions.values() if not spec.nop and spec.flow != "break"
    }


def _cards(profile: Profile, slots: set[str]) -> str:
    run = sum(bundle.cycles > 0 for bundle in profile.bundles[: profile.size])
    idle = [use.slot for use in profile.slots if use.slot in slots and not use.busy]
    cards = [
        (f"{profile.cycles:,}", "cycles"),
        (f"{run} of {profile.size}", "bundles executed"),
        _hottest_loop(profile),
        (", ".join(idle) or "none", "idle slots"),
    ]
    boxes = (f'<div class="card"><b>{big}</b>{small}</div>' for big, small in cards)
    return f'<div class="cards">{"".join(boxes)}</div>'


def _hottest_loop(profile: Profile) -> tuple[str, str]:
    """Return the name and description of the loop with the most cycles outside its inner loops."""
    if not profile.loops:
        return "none", "loops"
    use = max(profile.loops, key=lambda use: use.own_cycles)
    share = percent(use.own_cycles, profile.cycles)
    per = _count(use.own_bundles_per_iteration)
    unit = "bundle" if per == "1" else "bundles"
    return _loop_name(use), f"hottest loop: {share} of all cycles, {per} {unit} per iteration"


def _slots(profile: Profile, slots: set[str]) -> str:
    rows = "\n".join(_slot_row(use) for use in profile.slots if use.slot in slots)
    return (
        '<h2>Slots</h2>\n<p class="faint">Share of a slot\'s places with an instruction other than '
        f'a no-op.</p>\n<div class="wide"><table>\n{rows}\n</table></div>'
    )


def _slot_row(use: SlotUse) -> str:
    many = f' <span class="faint">x{use.capacity}</span>' if use.capacity > 1 else ""
    share = percent(use.busy, use.possible) if use.busy else '<span class="idle">idle</span>'
    width = f"{100 * use.share:.2f}%"
    return (
        f'<tr><td><code>{escape(use.slot)}</code>{many}</td><td class="n">{share}</td>'
        f'<td class="bar"><div><i style="width:{width}"></i></div></td>'
        f'<td class="n faint">{use.busy:,} of {use.possible:,}</td></tr>'
    )


def _loops(profile: Profile, slots: set[str]) -> str:
    if not profile.loops:
        return "<h2>Loops</h2>\n<p>No loop was executed.</p>"
    titles = ["loop", "lines"]
    numbers = ["entries", "iterations", "bundles per iteration", "without inner loops"]
    numbers += ["cycles", ""]
    numbers += [use.slot for use in profile.slots if use.slot in slots]
    head = "".join(f"<th>{title}</th>" for title in titles)
    head += "".join(f'<th class="n">{escape(title)}</th>' for title in numbers)
    rows = "\n".join(_loop_row(use, profile, slots) for use in profile.loops)
    return (
        '<h2>Loops</h2>\n<p class="faint">Loops of the executed control flow; an outer loop '
        "includes its inner ones. Behind the cycles: the share of a slot that was used.</p>\n"
        f'<div class="wide"><table>\n<tr>{head}</tr>\n{rows}\n</table></div>'
    )


def _loop_row(use: LoopUse, profile: Profile, slots: set[str]) -> str:
    indent = f' style="padding-left:{0.6 + 1.4 * use.depth:.1f}rem"'
    own = _count(use.own_bundles_per_iteration)
    numbers = [
        f"{use.loop.entries:,}",
        f"{use.loop.iterations:,}",
        f"<b>{_count(use.bundles_per_iteration)}</b>",
        own if own != _count(use.bundles_per_iteration) else '<span class="faint">all</span>',
        f"{use.cycles:,}",
        percent(use.cycles, profile.cycles),
    ]
    cells = "".join(f'<td class="n">{number}</td>' for number in numbers)
    cells += "".join(_slot_cell(slot) for slot in use.slots if slot.slot in slots)
    lines = f'<td class="code">{_lines(use)}</td>'
    return f"<tr><td{indent}>{_loop_name(use)}</td>{lines}{cells}</tr>"


def _slot_cell(use: SlotUse) -> str:
    if not use.busy:
        return '<td class="n idle">idle</td>'
    return (
        f'<td class="n cell" style="--share:{use.share:.3f}">{percent(use.busy, use.possible)}</td>'
    )


def _loop_name(use: LoopUse) -> str:
    name = use.place and use.place.name
    return f"<code>{escape(name)}</code>" if name else f"bundle {use.loop.header}"


def _lines(use: LoopUse) -> str:
    if use.lines is None:
        return ""
    first, last = use.lines
    shown = str(first) if first == last else f"{first}–{last}"
    return f'<a href="#L{first}">{shown}</a>'


def _hottest(profile: Profile) -> str:
    hottest = profile.hottest
    if not hottest:
        return ""
    rows = "\n".join(_bundle_row(use, profile, hottest[0].cycles) for use in hottest[:HOTTEST])
    head = '<th class="n">cycles</th><th class="n"></th>'
    head += "<th>bundle</th><th>line</th><th>instructions</th>"
    return (
        f"<h2>Hottest bundles</h2>\n"
        f'<div class="wide"><table>\n<tr>{head}</tr>\n{rows}\n</table></div>'
    )


def _bundle_row(use: BundleUse, profile: Profile, most: int) -> str:
    name = f" {_code(f'`{use.place.name}`')}" if use.place and use.place.name else ""
    empty = "(empty)" if use.pc < profile.size else "(not loaded)"
    what = "; ".join(use.instructions) or empty
    return (
        f'<tr><td class="n {heat_class(use.cycles, most)}">{use.cycles:,}</td>'
        f'<td class="n">{percent(use.cycles, profile.cycles)}</td>'
        f'<td class="code">{use.pc}{name}</td>'
        f"<td>{_line_link(use.place)}</td><td><code>{escape(_printable(what))}</code></td></tr>"
    )


def _line_link(place: SourceLocation | None) -> str:
    return f'<a href="#L{place.line}">{place.line}</a>' if place else ""


def _count(number: float) -> str:
    """Format a number; a whole one has no decimals."""
    return f"{number:,.0f}" if abs(number - round(number)) < 0.005 else f"{number:,.2f}"


def _code(message: str) -> str:
    """Return a message as HTML, with the parts between backticks as code."""
    pieces = escape(_printable(message)).split("`")
    return "".join(f"<code>{p}</code>" if n % 2 else p for n, p in enumerate(pieces))


def _printable(text: str) -> str:
    """Replace characters that cannot be encoded, as file names and sources may have any bytes."""
    return text.encode("utf-8", "replace").decode("utf-8")
