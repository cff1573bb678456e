"""SVG picture of a word's layout: rows of 32 bits, highest first, with a box for each field.

It is computed coordinates in a few kinds of elements, which a template would only make longer.
"""

from __future__ import annotations

from html import escape
from typing import Iterator

from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.slot_colours import PALETTE, slot_colours

_BITS_A_ROW = 32
_BIT = 30
_BOX = 34
_ROW = _BOX + 34
_MARGIN = 20
_TOP = 56
_FONT = 11
# Average width of a letter as a fraction of the font size.
_LETTER = 0.58
_IDLE = "#e6e8eb"


class _Box(NamedTuple):
    slot: str
    text: str
    high: int
    low: int


def layout_svg(isa: Isa) -> str:
    """Return the picture as a complete SVG document."""
    rows = -(-isa.word_bits // _BITS_A_ROW)
    width = _BITS_A_ROW * _BIT + 2 * _MARGIN
    legend_top = _TOP + rows * _ROW + 10
    height = legend_top + 44
    title = f"{isa.title} word: {isa.word_bits} bits"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="{_FONT}" '
        f'role="img" aria-label="{escape(title)}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{width / 2:g}" y="26" text-anchor="middle" font-size="17" '
        f'font-weight="bold">{escape(title)}</text>',
    ]
    boxes = {name: PALETTE[number].box for name, number in slot_colours(isa).items()}
    colours = {slot.name: boxes.get(slot.name, _IDLE) for slot in isa.slots}
    for row in range(rows):
        parts += _row(isa, rows - 1 - row, _TOP + row * _ROW, colours)
    parts += _legend(isa, legend_top, colours)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _boxes(isa: Isa) -> Iterator[_Box]:
    """Yield a box for each field of each place of each slot."""
    for slot in isa.slots:
        for low in slot.lows:
            for field in slot.fields:
                start = low + field.low
                yield _Box(slot.name, field.type, start + field.width - 1, start)


def _row(isa: Isa, row: int, top: int, colours: dict[str, str]) -> Iterator[str]:
    low = row * _BITS_A_ROW
    high = min(low + _BITS_A_ROW, isa.word_bits) - 1
    for bit in range(low, high + 1):
        x = _left(bit, low) + _BIT / 2
        yield (
            f'<text x="{x:g}" y="{top}" text-anchor="middle" font-size="9" '
            f'fill="#555555">{bit}</text>'
        )
    for box in _boxes(isa):
        if box.high >= low and box.low <= high:
            yield from _box_svg(box, low, high, top + 5, colours[box.slot])


def _left(bit: int, low: int) -> int:
    return _MARGIN + (_BITS_A_ROW - 1 - (bit - low)) * _BIT


def _box_svg(box: _Box, low: int, high: int, top: int, colour: str) -> Iterator[str]:
    """Yield the part of a field in one row; a field split over rows has its name in each."""
    first, last = min(box.high, high), max(box.low, low)
    x = _left(first, low)
    width = (first - last + 1) * _BIT
    bits = str(box.high) if box.high == box.low else f"{box.high}:{box.low}"
    yield (
        f'<rect x="{x}" y="{top}" width="{width}" height="{_BOX}" fill="{colour}" '
        f'stroke="#444444"><title>{escape(f"{box.slot}: {box.text} [{bits}]")}</title></rect>'
    )
    for offset, text in ((14, box.text), (27, f"[{bits}]")):
        size = min(_FONT, (width - 4) / (len(text) * _LETTER))
        yield (
            f'<text x="{x + width / 2:g}" y="{top + offset}" text-anchor="middle" '
            f'font-size="{size:.3g}">{escape(text)}</text>'
        )


def _legend(isa: Isa, top: int, colours: dict[str, str]) -> Iterator[str]:
    x, y = float(_MARGIN), top
    for slot in isa.slots:
        text = f"{slot.name} ({slot.title})"
        room = 34 + len(text) * _FONT * _LETTER
        if x + room > _BITS_A_ROW * _BIT + _MARGIN:
            x, y = float(_MARGIN), y + 20
        yield (
            f'<rect x="{x:g}" y="{y}" width="14" height="14" fill="{colours[slot.name]}" '
            f'stroke="#444444"/>'
        )
        yield f'<text x="{x + 19:g}" y="{y + 11}">{escape(text)}</text>'
        x += room
