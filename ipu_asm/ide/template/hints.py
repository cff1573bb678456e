"""Inlay hints of a template: values of outputs, and sizes of loops and macros."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Iterator

from ipu_asm.ide.template.blocks import template_syntax
from ipu_asm.ide.template.bundles import WrittenBundles
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.jinja.tags import TagKind
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.text import Span, counted

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_MOST_VALUES: Final = 3
_LONGEST: Final = 24


class TagRemark(NamedTuple):
    """A text about the tag at a span."""

    span: Span
    text: str


def output_values(analysis: Analysis, span: Span) -> Iterator[TagRemark]:
    """Yield the first values of each output in a span, in the first expansion, where short."""
    if not analysis.expanded:
        return
    expansion = analysis.expanded[0].expansion
    for tag in template_syntax(analysis.text).tags:
        if tag.kind is TagKind.OUTPUT and tag.span.start <= span.end and span.start <= tag.span.end:
            values = _values(expansion, tag.span)
            text = ", ".join(values[:_MOST_VALUES])
            if text.strip() and len(text) <= _LONGEST and text.isprintable():
                yield TagRemark(tag.span, f"{text}, …" if len(values) > _MOST_VALUES else text)


def block_sizes(analysis: Analysis) -> Iterator[TagRemark]:
    """Yield the number of bundles of each loop and macro in the first expansion."""
    if not analysis.expanded:
        return
    bundles, unit = WrittenBundles(analysis.expanded[0]), analysis.isa.unit
    for block in template_syntax(analysis.text).blocks:
        if block.opening.keyword in ("for", "macro"):
            count = len(bundles.addresses(block.span))
            iterations = bundles.iterations(block.span)
            text = counted(count, unit)
            if iterations:
                text += f" in {counted(iterations, 'iteration')}"
            yield TagRemark(block.opening.tag.span, text)


def _values(expansion: Expansion, tag: Span) -> list[str]:
    """Return the distinct texts of an output, without those of macros that it calls."""
    spans = expansion.source_map.expanded_spans(SourceRange(MAIN, tag))
    if not set(spans).isdisjoint(expansion.unknown):
        return []
    return list(dict.fromkeys(expansion.text[span.start : span.end] for span in spans))
