"""Find references and document highlights for the symbol at the cursor."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from ipu_asm.ide.expansions import Occasion, is_template, occasions, readings, skeleton_reading
from ipu_asm.ide.occurrences import Occurrence, OccurrenceKind, Symbol, occurrences, symbol_at
from ipu_asm.ide.template.lookup import TemplateName, template_name_at, uses_of
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

# What is written once may be a label of its own in each iteration of a loop.
_MOST_OCCASIONS: Final = 64


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
    if is_template(analysis):
        return _of_template(analysis, offset)
    found = symbol_at(analysis, offset)
    return [] if found is None else occurrences(analysis, found[0])


def _of_template(analysis: Analysis, offset: int) -> list[Occurrence]:
    """Return the places, in any expansion, of what the offset names in any of them."""
    name = template_name_at(analysis, offset)
    if name is not None:
        return _of_name(analysis, name)
    found: dict[Span, Occurrence] = {}
    symbols = _symbols(analysis, offset)
    # The skeleton adds what is written where nothing is rendered, as in a branch not taken.
    for reading in (*readings(analysis), skeleton_reading(analysis)) if symbols else ():
        for symbol in symbols:
            for occurrence in occurrences(reading.analysis, symbol):
                span = reading.written(occurrence.span)
                found.setdefault(span, occurrence._replace(span=span))
    is_here = any(span.touches(offset) for span in found)
    return sorted(found.values(), key=lambda occurrence: occurrence.span) if is_here else []


def _of_name(analysis: Analysis, name: TemplateName) -> list[Occurrence]:
    found = {span: Occurrence(span, OccurrenceKind.NAMES) for span in uses_of(analysis, name)}
    if name.definition is not None and name.definition.place.path == MAIN:
        span = name.definition.place.span
        found[span] = Occurrence(span, OccurrenceKind.DEFINES)
    # In a template that Jinja cannot read, uses are not known.
    return sorted(found.values(), key=lambda each: each.span) if name.span in found else []


def _symbols(analysis: Analysis, offset: int) -> list[Symbol]:
    here = list(islice(occasions(analysis, offset), _MOST_OCCASIONS))
    here = here or [Occasion(skeleton_reading(analysis), offset)]
    named = (symbol_at(reading.analysis, at) for reading, at in here)
    return list(dict.fromkeys(found[0] for found in named if found is not None))
