"""The symbols of a template's tags, sets and macros, among those of its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Sequence

from ipu_asm.ide.blocks import MACRO, REGISTER, DocumentSymbol
from ipu_asm.ide.template.blocks import WrittenName, template_syntax, written_names
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameKind
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_DEEPEST: Final = 20


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


def with_tags(
    found: Sequence[DocumentSymbol], tags: Sequence[TemplateSymbol], depth: int = 0
) -> list[DocumentSymbol]:
    """Return symbols with those of tags at their places, each in the innermost one around it.

    Where the block of a tag overlaps the end of a symbol, or is too deep, it is cut to its tag.
    """
    result: list[DocumentSymbol] = []
    here = there = 0
    while here < len(found) or there < len(tags):
        tag = tags[there] if there < len(tags) else None
        if tag is None or (here < len(found) and found[here].span.start <= tag.tag.start):
            symbol = found[here]
            inside, there = _inside(tags, there, symbol.span)
            children = with_tags(symbol.children, inside, depth + 1)
            result.append(symbol._replace(children=tuple(children)))
            here += 1
            continue
        end = here
        while end < len(found) and found[end].span.end <= tag.span.end:
            end += 1
        overlaps = end < len(found) and found[end].span.start < tag.span.end
        span, end = (tag.tag, here) if overlaps or depth >= _DEEPEST else (tag.span, end)
        inside, there = _inside(tags, there + 1, span)
        children = with_tags(found[here:end], inside, depth + 1)
        result.append(symbol_of_tag(tag, span, tuple(children)))
        here = end
    return result


def symbol_of_tag(
    tag: TemplateSymbol, span: Span, children: tuple[DocumentSymbol, ...] = ()
) -> DocumentSymbol:
    """Return the symbol of a tag, with those that its block contains."""
    kind = MACRO if tag.is_macro else REGISTER
    return DocumentSymbol(tag.name, kind, tag.detail, span, tag.name_span, children)


def _inside(
    tags: Sequence[TemplateSymbol], first: int, span: Span
) -> tuple[list[TemplateSymbol], int]:
    """Return the tags from index `first` that begin in a span, and the index after them.

    A tag whose block extends beyond the span keeps only its opening tag.
    """
    inside: list[TemplateSymbol] = []
    while first < len(tags) and tags[first].tag.start < span.end:
        tag = tags[first]
        if tag.span.end <= span.end:
            inside.append(tag)
        elif tag.tag.end <= span.end:
            inside.append(tag._replace(span=tag.tag))
        first += 1
    return inside, first


def _macro_detail(name: WrittenName) -> str:
    return f"macro: {', '.join(name.parameters)}" if name.parameters else "macro"
