"""The bundles that come from a part of a template."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property
from typing import Mapping

from ipu_asm.analysis.analysis import Expanded
from ipu_asm.source.source_map import MAIN, FrameKind, SourceMap
from ipu_asm.text import Span


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
