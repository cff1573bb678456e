"""Small pieces of HTML for notebooks: tables, and vectors as strips of colours. Without scripts."""

from __future__ import annotations

import math
import struct
import zlib
from base64 import b64encode
from html import escape
from typing import Any, Final, Iterable, Sequence

from ipu_asm.named_tuple import NamedTuple

STRIP: Final = 128
"""Elements in a line of a strip."""

_PIXEL: Final = 4
_MAX_BAR_WIDTH: Final = 200
_LINE: Final = 10
_NOT_A_NUMBER: Final = bytes((150, 60, 200))
_ZERO: Final = bytes((225, 225, 225))
_POSITIVE: Final = (200, 60, 20)
_NEGATIVE: Final = (30, 90, 200)
_FAINTEST: Final = 0.25


class Html(NamedTuple):
    """Text that is HTML already."""

    text: str


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Return a table; cells are escaped unless they are `Html`, numbers are aligned right."""
    title = f"<caption style='text-align:left'>{escape(caption)}</caption>" if caption else ""
    names = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def bar(share: float) -> Html:
    """Return a share, 0 to 1, as a bar."""
    style = f"background:#c83c14;height:10px;width:{round(_MAX_BAR_WIDTH * share)}px"
    return Html(f'<div style="{style}"></div>')


def strip(numbers: Sequence[float]) -> Html:
    """Return numbers as a picture: red above zero, blue below it, grey for zero, purple for NaN.

    The greater a number, compared with the greatest, the stronger its colour.
    """
    finite = [abs(number) for number in numbers if math.isfinite(number)]
    most = max(finite, default=0) or 1
    lines = [numbers[start : start + STRIP] for start in range(0, len(numbers), STRIP)]
    colours = (b"".join(_colour(n, most) for n in line) for line in lines)
    # The last line may be shorter; the rest of it is white.
    pixels = b"".join(b"\0" + line.ljust(3 * len(lines[0]), b"\xff") for line in colours)
    data = b64encode(_png(len(lines[0]), len(lines), pixels)).decode()
    size = f"width:{_PIXEL * len(lines[0])}px;height:{_LINE * len(lines)}px"
    style = f"{size};max-width:none;margin:0;image-rendering:pixelated"
    return Html(f'<img alt="" style="{style}" src="data:image/png;base64,{data}">')


def _cell(value: Any) -> str:
    if isinstance(value, Html):
        return f"<td>{value.text}</td>"
    if isinstance(value, int):
        return f"<td style='text-align:right'>{value:,}</td>"
    return f"<td style='text-align:left'>{escape(str(value))}</td>"


def _colour(number: float, most: float) -> bytes:
    if math.isnan(number):
        return _NOT_A_NUMBER
    if not number:
        return _ZERO
    strength = _FAINTEST + (1 - _FAINTEST) * min(abs(number) / most, 1)
    strongest = _POSITIVE if number > 0 else _NEGATIVE
    return bytes(round(255 + (part - 255) * strength) for part in strongest)


def _png(width: int, height: int, lines: bytes) -> bytes:
    """A PNG file of 8-bit RGB; each line begins with a zero, its filter."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
