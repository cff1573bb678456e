"""Go to definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.ide.expansions import Reading, is_template, reading_at
from ipu_asm.ide.macros.names import parameter_at, parameter_use_at
from ipu_asm.ide.macros.occurrences import macro_at
from ipu_asm.ide.names.lookup import includes_of
from ipu_asm.ide.numeric_labels import numeric_label_span, resolve_numeric_label
from ipu_asm.ide.occurrences import LabelName, symbol_at
from ipu_asm.ide.syntax_element import (
    Blank,
    Comment,
    LabelDefinition,
    OperandAt,
    SyntaxElement,
    element_at,
    end_of_bundle,
    is_valid_value,
    reference_at,
)
from ipu_asm.ide.template.lookup import TemplateName, template_name_at
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.labels import Reference
from ipu_asm.program.program import Program
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class DocumentLink(NamedTuple):
    """A span that names a file."""

    span: Span
    path: str


class Definition(NamedTuple):
    """A link from the span `origin` to the definition `name`, which begins `full_span`."""

    origin: Span
    name: Span
    full_span: Span


def definition(analysis: Analysis, offset: int) -> Definition | None:
    """Return the definition of the label, distance or macro at an offset.

    At a definition, it returns that definition itself.
    """
    if is_template(analysis):
        named = template_name_at(analysis, offset)
        if named is not None:
            return _of_name(named)
        reading, at = reading_at(analysis, offset)
        found = definition(reading.analysis, at)
        return found and _written(reading, found, offset)
    program = analysis.program
    place = element_at(program, offset)
    if program.isa.surface.preprocessed and not isinstance(place, Comment):
        found = _to_macro(program, place, offset)
        if found is not None:
            return found
    if isinstance(place, LabelDefinition):
        return Definition(place.span, place.span, _full_span(program, place.bundle, place.span))
    if isinstance(place, Blank):
        return _by_name(analysis, offset)
    if not isinstance(place, OperandAt):
        return None
    reference = reference_at(program, place)
    if reference is not None and reference.target is not None:
        label = resolve_numeric_label(program, reference)
        if label is not None:
            name = numeric_label_span(program, label)
            return Definition(place.span, name, _full_span(program, label.bundle, name))
        return _to_address(program, place.span, reference)
    if reference is None and is_valid_value(program.bundles[place.bundle], *place[2:]):
        return None
    return _by_name(analysis, offset)


def _of_name(name: TemplateName) -> Definition | None:
    if name.definition is None or name.definition.place.path != MAIN:
        return None
    return Definition(name.span, name.definition.place.span, name.definition.full.span)


def _written(reading: Reading, found: Definition, offset: int) -> Definition | None:
    """Return a definition in an expansion as it is written."""
    origin = reading.around(found.origin, offset)
    if origin is None:
        return None
    name, full_span = reading.written(found.name), reading.written(found.full_span)
    is_around = full_span.start <= name.start and name.end <= full_span.end
    return Definition(origin, name, full_span if is_around else name)


def _to_macro(program: Program, place: SyntaxElement, offset: int) -> Definition | None:
    """Return the definition of the macro or macro parameter at an offset, if any."""
    use = parameter_use_at(program, offset) or parameter_at(program, offset)
    if use is not None:
        (body, parameter), origin = use
        return Definition(origin, parameter.span, _full_span(program, body.first, parameter.span))
    found = None if isinstance(place, LabelDefinition) else macro_at(program, offset)
    if found is None:
        return None
    (macro, *_), origin = found
    return Definition(origin, macro.span, _full_span(program, macro.bundle, macro.span))


def _by_name(analysis: Analysis, offset: int) -> Definition | None:
    """Return the definition of the label that a word names where no label operand is expected."""
    found = symbol_at(analysis, offset)
    if found is None or not isinstance(found[0], LabelName):
        return None
    name, span = found[0].name, found[1]
    return _to_label(analysis.program, span, name) if name in analysis.program.labels else None


def _to_address(program: Program, origin: Span, reference: Reference) -> Definition | None:
    """Return the definition of the referenced label, else the first instruction at the target."""
    target = reference.target
    if target is None or target >= program.size:
        return None
    number = program.number_at(target)
    if program.label_addresses.get(reference.text) == target:
        return _to_label(program, origin, reference.text)
    bundle = program.bundles[number]
    name = program.span(number, bundle.span(0) if bundle.instructions else bundle.first_token)
    return Definition(origin, name, _full_span(program, number, name))


def _to_label(program: Program, origin: Span, label: str) -> Definition:
    name = program.label_span(label)
    return Definition(origin, name, _full_span(program, program.labels[label], name))


def _full_span(program: Program, bundle: int, name: Span) -> Span:
    """Return the span from a name in a bundle to the end of the bundle's last token."""
    return Span(name.start, end_of_bundle(program, bundle))


def document_links(analysis: Analysis) -> list[DocumentLink]:
    """Return a link for each include whose file is found, in source order."""
    return [DocumentLink(i.place.span, i.path) for i in includes_of(analysis) if i.path]
