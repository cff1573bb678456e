"""Address, word and source of a program side by side, with its errors in their places."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, Sequence

from ipu_asm.assembler.listing import listing_rows

if TYPE_CHECKING:
    from ipu_asm.analysis.analyzer import Analysis


class Line(NamedTuple):
    """What a line of a listing shows: the word of an address, and a line of the source from 0."""

    address: int | None
    line: int | None


class Listing(NamedTuple):
    """A listing, and what each of its lines shows."""

    text: str
    lines: tuple[Line, ...]


def listing(analysis: Analysis, words: Sequence[int | None]) -> Listing:
    """The listing of a program, whose words are None for bundles with errors."""
    name = os.path.basename(analysis.source.path) or analysis.source.path
    rows = list(listing_rows(analysis.program, words, name))
    text = "".join(f"{row.text}\n" for row in rows)
    return Listing(text, tuple(Line(row.address, row.line) for row in rows))
