"""The symbol at a cursor, its definitions, references, highlights and renaming, and links."""

from __future__ import annotations

from itertools import islice
from typing import Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.ide.expansions import (
    Occasion,
    Reading,
    expanded_again,
    is_template,
    occasions,
    reading_at,
    readings,
    skeleton_reading,
)
from ipu_asm.ide.symbols import (
    Definition,
    NamedSymbol,
    Occurrence,
    OccurrenceKind,
    RenameError,
    Symbol,
    line_of,
)
from ipu_asm.ide.symbols.header_names import FileReading, includes_of, name_at
from ipu_asm.ide.symbols.labels import (
    Label,
    label_at_definition,
    label_in_operand,
    label_in_words,
    target_of_distance,
)
from ipu_asm.ide.symbols.macros import macro_at
from ipu_asm.ide.symbols.parameters import parameter_at
from ipu_asm.ide.symbols.registers import (
    Register,
    only_renameable,
    range_at,
    register_definitions,
    registers_in,
    renamed_range,
)
from ipu_asm.ide.syntax_element import (
    Blank,
    Comment,
    LabelDefinition,
    OperandAt,
    element_at,
    is_valid_value,
    reference_at,
)
from ipu_asm.ide.template_pages import template_name_at
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span, TextEdit, apply_edits

# What is written once may be a label of its own in each iteration of a loop.
_MAX_OCCASIONS: Final = 64


def symbol_at(analysis: Analysis, offset: int) -> NamedSymbol | None:
    """Return the symbol at an offset and the span of its name there; None if there is none."""
    if is_template(analysis):
        name = template_name_at(analysis, offset)
        return _in_expansions(analysis, offset) if name is None else NamedSymbol(name, name.span)
    program = analysis.program
    place = element_at(program, offset)
    if program.isa.surface.preprocessed and not isinstance(place, Comment):
        found = parameter_at(program, offset) or macro_at(program, offset)
        if found is not None:
            return found
    if isinstance(place, LabelDefinition):
        return NamedSymbol(label_at_definition(program, place.bundle, place.name), place.span)
    if isinstance(place, OperandAt):
        return _in_operand(program, place, offset) or label_in_words(program, place.bundle, offset)
    return label_in_words(program, place.bundle, offset) if isinstance(place, Blank) else None


def _in_operand(program: Program, place: OperandAt, offset: int) -> NamedSymbol | None:
    bundle = program.bundles[place.bundle]
    value = program.span(place.bundle, bundle.value_span(place.instruction, place.operand))
    if not value.touches(offset):
        return None
    label = label_in_operand(program, place, value)
    if label is not None:
        return label
    for use in registers_in(program.isa, bundle):
        span = program.span(place.bundle, use.span)
        is_here = (use.instruction, use.operand) == (place.instruction, place.operand)
        if is_here and span.touches(offset):
            return NamedSymbol(Register(use.register), span)
    text = program.text[value.start : value.end]
    is_misplaced = not is_valid_value(bundle, place.instruction, place.operand)
    return NamedSymbol(Label(text), value) if is_misplaced and text in program.labels else None


class ExpandedSymbol(NamedTuple):
    """What a place of a template names in its expansions: a symbol, or one for each iteration."""

    symbols: tuple[Symbol, ...]
    offset: int

    @property
    def name(self) -> str:
        """The name in the first expansion."""
        return self.symbols[0].name

    def definitions(self, analysis: Analysis) -> list[Definition]:
        """Return the written places of the definitions in the first expansion."""
        reading, _ = reading_at(analysis, self.offset)
        return [
            Definition(reading.written(name), reading.written(full))
            for name, full in self.symbols[0].definitions(reading.analysis)
        ]

    def occurrences(self, analysis: Analysis) -> list[Occurrence]:
        """Return the written places of the occurrences in any expansion.

        The skeleton adds what is written where nothing is rendered, as in a branch not taken.
        """
        found: dict[Span, Occurrence] = {}
        for reading in (*readings(analysis), skeleton_reading(analysis)):
            for symbol in self.symbols:
                for occurrence in symbol.occurrences(reading.analysis):
                    span = reading.written(occurrence.span)
                    found.setdefault(span, occurrence._replace(span=span))
        is_here = any(span.touches(self.offset) for span in found)
        return sorted(found.values(), key=lambda occurrence: occurrence.span) if is_here else []

    def description(self, analysis: Analysis) -> str | None:
        """Return the page of the symbol in the first expansion."""
        return self.symbols[0].description(reading_at(analysis, self.offset).reading.analysis)

    def check_renameable(self, analysis: Analysis, _span: Span) -> None:
        """Raise `RenameError` unless the symbol is a label that is literal text everywhere."""
        check_rendered(analysis)
        reading, at = reading_at(analysis, self.offset)
        found = symbol_at(reading.analysis, at)
        symbol, span = found or NamedSymbol(self.symbols[0], Span(at, at))
        symbol.check_renameable(reading.analysis, span)
        written = reading.verbatim(span)
        if written is None or not written.touches(self.offset):
            raise RenameError(f"{quoted(symbol.name)} is computed, so it cannot be renamed here")
        for each in readings(analysis):
            _written_names(each, symbol.name)

    def renaming(self, analysis: Analysis, new_name: str) -> list[TextEdit]:
        """Return the edits that rename a label in all expansions, and where nothing is rendered."""
        label = Label(self.name)
        spans = set(_written_names(skeleton_reading(analysis), self.name))
        wanted = []
        for reading in readings(analysis):
            is_known = self.name in reading.analysis.program.labels
            edits = label.renaming(reading.analysis, new_name) if is_known else []
            spans.update(_written_names(reading, self.name))
            wanted.append(apply_edits(reading.analysis.text, edits))
        edits = [TextEdit(span, new_name) for span in sorted(spans)]
        text = apply_edits(analysis.text, edits)
        if [each.text for each in expanded_again(analysis, text) if each.text] != wanted:
            called = quoted(new_name)
            raise RenameError(f"{called} would change more than the label in the expansion")
        return edits


def check_rendered(analysis: Analysis) -> None:
    """Raise `RenameError` for a listing, and for a template of which Jinja renders no part."""
    if analysis.is_listing:
        raise RenameError("this is the listing of a disassembler: rename in its source")
    if is_template(analysis) and all(each.expansion.is_partial for each in analysis.expanded):
        raise RenameError("the template has an error: correct that before you rename")


def _written_names(reading: Reading, label: str) -> list[Span]:
    """Return the written places of a label. Raises `RenameError` if one of them is computed."""
    found = []
    for place in Label(label).written(reading.analysis):
        span = reading.verbatim(place)
        if span is None:
            line = line_of(reading.analysis, place)
            raise RenameError(f"{quoted(label)} is computed on line {line}: rename it there")
        found.append(span)
    return found


def _in_expansions(analysis: Analysis, offset: int) -> NamedSymbol | None:
    here = list(islice(occasions(analysis, offset), _MAX_OCCASIONS))
    here = here or [Occasion(skeleton_reading(analysis), offset)]
    found = [(reading, symbol_at(reading.analysis, at)) for reading, at in here]
    named = [(reading, each) for reading, each in found if each is not None]
    if not named:
        return None
    reading, first = named[0]
    symbols = tuple(dict.fromkeys(each.symbol for _, each in named))
    span = reading.verbatim(first.span) or Span(offset, offset)
    return NamedSymbol(ExpandedSymbol(symbols, offset), span)


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
