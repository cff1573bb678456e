"""Selection ranges: operand, instruction, bundle, labelled block, file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from ipu_asm.ide.expansions import is_template
from ipu_asm.ide.symbols import label_symbols
from ipu_asm.ide.syntax_element import (
    Comment,
    LabelDefinition,
    Mnemonic,
    OperandAt,
    element_at,
    end_of_bundle,
)
from ipu_asm.ide.template.blocks import template_syntax
from ipu_asm.source.jinja.tags import tag_words
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


def selection_ranges(analysis: Analysis, offset: int) -> list[Span]:
    """Return the spans around an offset from the inside out; each contains the one before."""
    offset = min(max(offset, 0), len(analysis.text))
    found: list[Span] = []
    around = list(_around(analysis, offset))
    if is_template(analysis):
        around = sorted((*_in_template(analysis, offset), *around), key=_length)
    for span in around:
        inner = found[-1] if found else Span(offset, offset)
        is_around = span.start <= inner.start and span.end >= inner.end
        if is_around and (span != inner or not found):
            found.append(span)
    return found


def _length(span: Span) -> int:
    return span.end - span.start


def _in_template(analysis: Analysis, offset: int) -> Iterator[Span]:
    """Yield the word of a tag, the tag, and the blocks of tags, without and with these."""
    syntax = template_syntax(analysis.text)
    for tag in syntax.tags:
        if tag.span.touches(offset):
            yield tag.span
            words = (word.span for word in tag_words(syntax.text, tag))
            yield from (span for span in words if span.touches(offset))
    for block in syntax.blocks:
        if block.span.touches(offset):
            yield from (block.inside, block.span)


def _around(analysis: Analysis, offset: int) -> Iterator[Span]:
    program = analysis.program
    place = element_at(program, offset)
    if isinstance(place, (Comment, LabelDefinition, Mnemonic, OperandAt)):
        yield place.span
    else:
        yield Span(offset, offset)
    bundle = program.bundles[place.bundle]
    if isinstance(place, Mnemonic | OperandAt):
        span = bundle.syntax.instruction_span(place.instruction)
        yield program.span(place.bundle, span)
    if bundle.syntax.spans:
        start = program.span(place.bundle, bundle.first_token).start
        yield Span(start, end_of_bundle(program, place.bundle))
    blocks = [symbol.span for symbol in label_symbols(analysis) if symbol.span.touches(offset)]
    yield from sorted(blocks, key=_length)
    yield Span(0, len(analysis.text))
