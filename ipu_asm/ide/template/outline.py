"""The symbols of a template's tags: sets and macros."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.ide.template.blocks import template_syntax
from ipu_asm.ide.template.names import WrittenName, written_names
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameKind
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
    """Return the sets and macros of a template in source order; of several in a tag, the first."""
    syntax = template_syntax(analysis.text)
    tags = {tag.span.start: tag.span for tag in syntax.tags}
    found: dict[int, TemplateSymbol] = {}
    for name in written_names(syntax):
        if name.kind in (NameKind.SET, NameKind.TEMPLATE_MACRO):
            tag = tags[name.full.start]
            is_macro = name.kind is NameKind.TEMPLATE_MACRO
            detail = _macro_detail(name) if is_macro else described(name.value, name.remark)
            symbol = TemplateSymbol(name.name, is_macro, detail, name.full, tag, name.place)
            found.setdefault(tag.start, symbol)
    return list(found.values())


def described(value: str | None, remark: str) -> str:
    """Return a value and its remark as one phrase."""
    return ", ".join(filter(None, (value, remark)))


def _macro_detail(name: WrittenName) -> str:
    return f"macro: {', '.join(name.parameters)}" if name.parameters else "macro"
