"""Find references and document highlights for the symbol at the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.ide.occurrences import Occurrence, OccurrenceKind, occurrences, symbol_at
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


def references(analysis: Analysis, offset: int, with_definition: bool = True) -> list[Span]:
    """Return the spans that name the label, macro or register at an offset, in source order.

    For a label, these include branches that reach it by a distance.
    """
    return [
        occurrence.span
        for occurrence in highlights(analysis, offset)
        if with_definition or occurrence.kind is not OccurrenceKind.DEFINES
    ]


def highlights(analysis: Analysis, offset: int) -> list[Occurrence]:
    """Return the same places as occurrences: read, written, or only named."""
    found = symbol_at(analysis, offset)
    return [] if found is None else occurrences(analysis, found[0])
