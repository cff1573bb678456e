"""Folding ranges of comments, bundles, labels and regions, and selection ranges."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.ide.expansions import is_template
from ipu_asm.ide.macros import regions
from ipu_asm.ide.outline import label_symbols
from ipu_asm.ide.syntax_element import (
    Comment,
    LabelDefinition,
    Mnemonic,
    OperandAt,
    element_at,
    end_of_bundle,
)
from ipu_asm.ide.template_syntax import template_syntax
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.templates import TagKind, tag_words
from ipu_asm.syntax.bundle import comments_in
from ipu_asm.text import Span

COMMENT: Final = "comment"
REGION: Final = "region"


class FoldingRange(NamedTuple):
    """A range of lines, counted from 0; the first one stays visible."""

    first: int
    last: int
    kind: str


def folding(analysis: Analysis) -> list[FoldingRange]:
    """Return all folding ranges by first line, the longest first where several begin.

    The range of a region ends before the closing directive, that of a block of a template before
    the tag that ends it.
    """
    found = {
        *_comments(analysis),
        *_block_comments(analysis),
        *_bundles(analysis),
        *_labels(analysis),
        *_regions(analysis),
    }
    if is_template(analysis):
        found.update(_tags(analysis))
    return sorted(found, key=lambda fold: (fold.first, -fold.last, fold.kind))


def _tags(analysis: Analysis) -> Iterator[FoldingRange]:
    """Yield the blocks of a template, and its tags of several lines."""
    syntax, position = template_syntax(analysis.text), analysis.source.lines.position
    for tag in syntax.tags:
        first, last = (position(offset).line for offset in tag.span)
        if last > first:
            yield FoldingRange(first, last, COMMENT if tag.kind is TagKind.COMMENT else REGION)
    for block in syntax.blocks:
        first, last = (position(offset).line for offset in block.inside)
        last -= block.closing is not None
        if last > first:
            yield FoldingRange(first, last, REGION)


def _comments(analysis: Analysis) -> Iterator[FoldingRange]:
    """Yield runs of lines that have only a comment."""
    marks = analysis.isa.surface.comments
    directive_lines = _directive_lines(analysis)
    first = None
    lines = analysis.source.lines
    starts = [*lines.starts, lines.length]
    for line, (start, end) in enumerate(pairwise(starts)):
        is_comment = analysis.text[start:end].lstrip(" \t\ufeff").startswith(marks)
        is_comment = is_comment and line not in directive_lines
        if is_comment and first is None:
            first = line
        elif not is_comment and first is not None:
            if line - 1 > first:
                yield FoldingRange(first, line - 1, COMMENT)
            first = None
    if first is not None and len(lines.starts) - 1 > first:
        yield FoldingRange(first, len(lines.starts) - 1, COMMENT)


def _directive_lines(analysis: Analysis) -> set[int]:
    """Return the lines of directives, which may begin like comments."""
    program, lines = analysis.program, analysis.source.lines
    return {
        lines.position(program.span(number, bundle.first_token).start).line
        for number, bundle in program.directives
    }


def _block_comments(analysis: Analysis) -> Iterator[FoldingRange]:
    """Yield block comments of several lines."""
    program, lines = analysis.program, analysis.source.lines
    for number, bundle in enumerate(program.bundles if analysis.isa.surface.block_comments else ()):
        if "/" in bundle.syntax.text:
            for comment in comments_in(bundle.syntax):
                first, last = (lines.position(o).line for o in program.span(number, comment))
                if last > first:
                    yield FoldingRange(first, last, COMMENT)


def _regions(analysis: Analysis) -> Iterator[FoldingRange]:
    """Yield macro bodies and conditional regions."""
    program, lines = analysis.program, analysis.source.lines
    for region in regions(program):
        first, last = (
            lines.position(program.span(number, program.bundles[number].first_token).start).line
            for number in (region.first, region.last)
        )
        is_closed = program.bundles[region.last].directive is not None
        if last - is_closed > first:
            yield FoldingRange(first, last - is_closed, REGION)


def _bundles(analysis: Analysis) -> Iterator[FoldingRange]:
    program, lines = analysis.program, analysis.source.lines
    for number, bundle in enumerate(program.bundles):
        if bundle.instructions and "\n" in bundle.syntax.text:
            first = lines.position(program.span(number, bundle.span(0)).start).line
            last = lines.position(end_of_bundle(program, number)).line
            if last > first:
                yield FoldingRange(first, last, REGION)


def _labels(analysis: Analysis) -> Iterator[FoldingRange]:
    lines = analysis.source.lines
    for symbol in label_symbols(analysis):
        first, last = (lines.position(offset).line for offset in symbol.span)
        if last > first:
            yield FoldingRange(first, last, REGION)


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
