"""Listing of a program: address, word and source line side by side, with errors in place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, Sequence

from ipu_asm.assembler.listing import listing_rows

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class ListingLine(NamedTuple):
    """The address whose word a listing line shows, and the source line (from 0) that it shows."""

    address: int | None
    line: int | None


class Listing(NamedTuple):
    """The text of a listing, and the contents of each of its lines."""

    text: str
    lines: tuple[ListingLine, ...]


def listing(analysis: Analysis, words: Sequence[int | None]) -> Listing:
    """Return the listing of a program, given its words; a bundle with errors has the word None."""
    name = os.path.basename(analysis.source.path) or analysis.source.path
    rows = list(listing_rows(analysis.program, words, name))
    text = "".join(f"{row.text}\n" for row in rows)
    return Listing(text, tuple(ListingLine(row.address, row.line) for row in rows))
