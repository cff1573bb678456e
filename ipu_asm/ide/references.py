"""All places that speak of what the cursor is on, across the file or lit up in the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.ide.occurrences import Access, Occurrence, occurrences, subject_at
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analyzer import Analysis


def references(analysis: Analysis, offset: int, with_definition: bool = True) -> list[Span]:
    """Where the label, macro or register at an offset is named, in the order of the text.

    Of a label the branches that come to it by their distance are among them.
    """
    return [
        occurrence.span
        for occurrence in highlights(analysis, offset)
        if with_definition or occurrence.access is not Access.DEFINES
    ]


def highlights(analysis: Analysis, offset: int) -> list[Occurrence]:
    """The same places with what each of them does: reads, writes, or just names."""
    found = subject_at(analysis, offset)
    return [] if found is None else occurrences(analysis, found[0])
