"""Definitions, references, highlights and renaming of the symbol at a cursor, and links."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.ide.expansions import Reading, is_template, reading_at
from ipu_asm.ide.symbols.base import Occurrence, OccurrenceKind, RenameError
from ipu_asm.ide.symbols.header_names import FileReading, includes_of, name_at
from ipu_asm.ide.symbols.labels import target_of_distance
from ipu_asm.ide.symbols.live_ranges import range_at, register_definitions, renamed_range
from ipu_asm.ide.symbols.registers import Register, only_renameable
from ipu_asm.ide.symbols.symbol import ExpandedSymbol, check_rendered, symbol_at
from ipu_asm.ide.syntax_element import OperandAt, element_at, reference_at
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span, TextEdit


class DefinitionLink(NamedTuple):
    """A link from the span `origin` to the definition `name` in `full_span` of the file `path`."""

    origin: Span
    name: Span
    full_span: Span
    path: str = MAIN


class Renameable(NamedTuple):
    """The span of the word at the cursor, and the name that it is."""

    span: Span
    name: str


class FileLink(NamedTuple):
    """A span that names the file `path`."""

    span: Span
    path: str


def definitions(readings: Sequence[FileReading], offset: int) -> list[DefinitionLink]:
    """Return the definitions of the symbol, or the file of the include, at an offset."""
    analysis = readings[0].analysis
    for include in includes_of(analysis):
        if include.place.span.touches(offset):
            start = Span(0, 0)
            path = include.path
            return [DefinitionLink(include.place.span, start, start, path)] if path else []
    name = name_at(readings, offset)
    if name is not None and name.is_elsewhere(readings):
        return [
            DefinitionLink(name.span, found.place.span, found.full.span, file.path)
            for found, file in name.definitions
        ]
    found_here = definition(analysis, offset)
    return [*_of_register(analysis, offset)] if found_here is None else [found_here]


def _of_register(analysis: Analysis, offset: int) -> Iterator[DefinitionLink]:
    """Yield the writes that reach the register at an offset; at a write, its reads."""
    if is_template(analysis):
        reading, at = reading_at(analysis, offset)
        links = (_written(reading, link, offset) for link in _of_register(reading.analysis, at))
        yield from dict.fromkeys(link for link in links if link is not None)
        return
    found = symbol_at(analysis, offset)
    if found is not None and isinstance(found.symbol, Register):
        for name, full in register_definitions(analysis.program, offset):
            yield DefinitionLink(found.span, name, full)


def definition(analysis: Analysis, offset: int) -> DefinitionLink | None:
    """Return the definition, in the file itself, of the symbol or distance at an offset.

    At a definition, it returns that definition itself.
    """
    found = symbol_at(analysis, offset)
    if is_template(analysis) and (found is None or isinstance(found.symbol, ExpandedSymbol)):
        reading, at = reading_at(analysis, offset)
        inside = definition(reading.analysis, at)
        return inside and _written(reading, inside, offset)
    origin = found.span if found is not None else Span(offset, offset)
    place = None if is_template(analysis) else element_at(analysis.program, offset)
    if isinstance(place, OperandAt) and reference_at(analysis.program, place) is not None:
        origin = place.span
        target = target_of_distance(analysis.program, place)
        if target is not None:
            return DefinitionLink(origin, *target)
    definitions = found.symbol.definitions(analysis) if found is not None else ()
    here = [each for each in definitions if each.name.touches(offset)]
    return next((DefinitionLink(origin, *each) for each in (*here, *definitions)), None)


def references(analysis: Analysis, offset: int, with_definition: bool = True) -> list[Span]:
    """Return the spans that name the symbol at an offset, in source order.

    For a label, these include branches that reach it by a distance.
    """
    return [
        span
        for span, kind in highlights(analysis, offset)
        if with_definition or kind is not OccurrenceKind.DEFINES
    ]


def highlights(analysis: Analysis, offset: int) -> Sequence[Occurrence]:
    """Return the same places as occurrences: read, written, or only named."""
    found = symbol_at(analysis, offset)
    return [] if found is None else found.symbol.occurrences(analysis)


def prepare_rename(analysis: Analysis, offset: int) -> Renameable:
    """Return the symbol at an offset that can be renamed. Raises `RenameError` if there is none."""
    found = symbol_at(analysis, offset)
    if found is None:
        check_rendered(analysis)
        raise RenameError(only_renameable(analysis))
    if isinstance(found.symbol, Register):
        range_at(analysis.program, offset)
    else:
        found.symbol.check_renameable(analysis, found.span)
    return Renameable(found.span, found.symbol.name)


def rename(analysis: Analysis, offset: int, new_name: str) -> list[TextEdit]:
    """Return the edits that rename the symbol at an offset and keep the meaning."""
    found = symbol_at(analysis, offset)
    if prepare_rename(analysis, offset).name == new_name or found is None:
        return []
    if isinstance(found.symbol, Register):
        return renamed_range(analysis, offset, new_name.lower())
    return found.symbol.renaming(analysis, new_name)


def document_links(analysis: Analysis) -> list[FileLink]:
    """Return a link for each include whose file is found, in source order."""
    return [FileLink(i.place.span, i.path) for i in includes_of(analysis) if i.path]


def _written(reading: Reading, found: DefinitionLink, offset: int) -> DefinitionLink | None:
    """Return a definition in an expansion as it is written."""
    origin = reading.around(found.origin, offset)
    if origin is None:
        return None
    name, full_span = reading.written(found.name), reading.written(found.full_span)
    is_around = full_span.start <= name.start and name.end <= full_span.end
    return DefinitionLink(origin, name, full_span if is_around else name)
