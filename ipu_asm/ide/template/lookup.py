"""The name at a place of a template, with its definition and its uses in all contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from ipu_asm.ide.template.blocks import WrittenName, names_known_at, template_syntax, written_names
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Expansion, NameDefinition, NameKind
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.source.templates import WordKind, tag_words
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class TemplateName(NamedTuple):
    """A name at `span`; its definition is None if nothing in the template defines it."""

    name: str
    span: Span
    definition: NameDefinition | None


def template_name_at(analysis: Analysis, offset: int) -> TemplateName | None:
    """Return the name at an offset of a tag; None if there is none that a tag uses or defines."""
    for expansion in _expansions(analysis):
        for definition in expansion.definitions:
            if is_here(definition, offset):
                return TemplateName(definition.name, definition.place.span, definition)
        for name, place, used in expansion.uses:
            if place.path == MAIN and place.span.touches(offset):
                return TemplateName(name, place.span, used)
    return None if are_names_known(analysis) else _written_name_at(analysis.text, offset)


def are_names_known(analysis: Analysis) -> bool:
    """Check whether Jinja could read the template, so that its names and uses are known."""
    return any(each.definitions or each.uses for each in _expansions(analysis))


def _written_name_at(text: str, offset: int) -> TemplateName | None:
    """Return the name at an offset of a template that Jinja cannot read."""
    syntax = template_syntax(text)
    tag = syntax.tag_at(offset) or syntax.tag_around(offset)
    for word in tag_words(text, tag) if tag else ():
        if word.kind is WordKind.NAME and word.span.touches(offset):
            here = [name for name in written_names(syntax) if name.place == word.span]
            known = [name for name in names_known_at(syntax, offset) if name.name == word.text]
            for name in (*here, *known):
                return TemplateName(word.text, word.span, _definition(name))
    return None


def _definition(known: WrittenName) -> NameDefinition:
    place, full = SourceRange(MAIN, known.place), SourceRange(MAIN, known.full)
    parameters = known.parameters if known.kind is NameKind.TEMPLATE_MACRO else None
    value = known.value or None
    return NameDefinition(known.name, known.kind, place, full, value, parameters, known.remark)


def uses_of(analysis: Analysis, wanted: TemplateName) -> list[Span]:
    """Return the spans that refer to the definition of a name in any context, in source order.

    For an undefined name, these are all undefined uses of the same name.
    """
    place_of_wanted = wanted.definition.place if wanted.definition else None
    found = {
        place.span
        for expansion in _expansions(analysis)
        for name, place, definition in expansion.uses
        if name == wanted.name and place.path == MAIN
        if (definition.place if definition else None) == place_of_wanted
    }
    return sorted(found)


def values_of(analysis: Analysis, wanted: NameDefinition) -> list[str]:
    """Return the values of a definition in the contexts, each once."""
    values = [wanted.value]
    values += (
        definition.value
        for expansion in _expansions(analysis)
        for definition in expansion.definitions
        if definition.place == wanted.place and definition.name == wanted.name
    )
    return list(dict.fromkeys(value for value in values if value is not None))


def is_here(definition: NameDefinition, offset: int) -> bool:
    """Check whether a cursor is at the name of a definition in the template itself."""
    return definition.place.path == MAIN and definition.place.span.touches(offset)


def _expansions(analysis: Analysis) -> Iterator[Expansion]:
    return (each.expansion for each in analysis.expanded)
