"""The bundles that come from a part of a template."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final, Iterator, Mapping

from ipu_asm.analysis.analysis import Expanded
from ipu_asm.ide.template.blocks import template_syntax
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN, FrameKind, SourceMap, SourceRange
from ipu_asm.source.templates import TagKind
from ipu_asm.text import Span, counted

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class WrittenBundles:
    """The addresses of the bundles of an expansion, by the written places that they come from.

    A place is where the end of the bundle is written, and the calls and loops that led there.
    """

    def __init__(self, expanded: Expanded) -> None:
        program, source_map = expanded.analysis.program, expanded.expansion.source_map
        found: list[tuple[int, int]] = []
        for address, number in enumerate(program.bundle_at_address):
            end = program.span(number, program.bundles[number].syntax.spans[-1])
            found += [(place, address) for place in _places(source_map, end)]
        found.sort()
        self._places = [place for place, _ in found]
        self._addresses = [address for _, address in found]
        self._source_map = source_map

    @cached_property
    def _frames(self) -> Mapping[tuple[FrameKind, int], int]:
        """How many frames of each kind there are, by the starts of their calls."""
        frames = {
            id(frame): (frame.kind, frame.call.span.start)
            for segment in self._source_map.segments
            for frame in (segment.frame.stack() if segment.frame else ())
            if frame.call.path == MAIN
        }
        return Counter(frames.values())

    def iterations(self, loop: Span) -> int:
        """Return how often a loop runs; its span begins with its tag."""
        return self._frames.get((FrameKind.ITERATION, loop.start), 0)

    def addresses(self, written: Span) -> list[int]:
        """Return the addresses of the bundles that come from a written span, in order."""
        first, last = (
            bisect_left(self._places, written.start),
            bisect_right(self._places, max(written.start, written.end - 1)),
        )
        return sorted(set(self._addresses[first:last]))


def _places(source_map: SourceMap, span: Span) -> set[int]:
    segment = source_map.segment_at(span.start)
    if segment is None:
        return set()
    written = source_map.written(span)
    places = [written] if written else []
    places += [frame.call for frame in (segment.frame.stack() if segment.frame else ())]
    return {place.span.start for place in places if place.path == MAIN}


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
