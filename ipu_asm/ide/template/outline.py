"""The symbols of a template's tags: sets and macros."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ipu_asm.ide.template.blocks import statements_of
from ipu_asm.ide.template.names import written_definitions
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class TemplateSymbol(NamedTuple):
    """A set or a macro: `span` is all of it, `tag` its first tag."""

    name: str
    is_macro: bool
    detail: str
    span: Span
    tag: Span
    name_span: Span


def template_symbols(analysis: Analysis) -> list[TemplateSymbol]:
    """Return the sets and macros of a template in source order."""
    statements = statements_of(analysis.text)
    values = {
        definition.place.span: ", ".join(filter(None, (definition.value, definition.remark)))
        for each in analysis.expanded[:1]
        for definition in each.expansion.definitions
        if definition.place.path == MAIN
    }
    found = []
    tags = {statement.tag.span.start: statement.tag.span for statement in statements}
    for name, full, is_macro, parameters in written_definitions(analysis.text, statements):
        value = values.get(name.span, "")
        detail = f"macro: {parameters}".removesuffix(": ") if is_macro else value
        tag = tags[full.start]
        found.append(TemplateSymbol(name.text, is_macro, detail, full, tag, name.span))
    return found
