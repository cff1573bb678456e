"""Listing of a program: address, word and source line side by side, with errors in place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Sequence

from ipu_asm.assembler.listing import WrittenLines, listing_rows
from ipu_asm.ide.expansions import is_template
from ipu_asm.named_tuple import NamedTuple

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis
    from ipu_asm.program.program import Program


class ListingLine(NamedTuple):
    """The address whose word a listing line shows, and the source line (from 0) that it shows."""

    address: int | None
    line: int | None


class Listing(NamedTuple):
    """The text of a listing, and the contents of each of its lines."""

    text: str
    lines: tuple[ListingLine, ...]


def listed_program(analysis: Analysis) -> Program:
    """Return the program that a listing shows: of a template, that of its first expansion."""
    return analysis.effective_program if is_template(analysis) else analysis.program


def listing(analysis: Analysis, words: Sequence[int | None], *, has_words: bool = True) -> Listing:
    """Return the listing of a program, given its words; a bundle with errors has the word None.

    Without `has_words` only addresses stand before the source, which then fits half a window.
    That of a template is the listing of its first expansion, with the lines of the template.
    """
    name = os.path.basename(analysis.source.path) or analysis.source.path
    written = None
    if is_template(analysis):
        written = WrittenLines(analysis.expanded[0].expansion, analysis.source)
    program = listed_program(analysis)
    rows = list(listing_rows(program, words, name, written, has_words=has_words))
    text = "".join(f"{row.text}\n" for row in rows)
    return Listing(text, tuple(ListingLine(row.address, row.line) for row in rows))
