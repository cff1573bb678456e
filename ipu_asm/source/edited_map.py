"""The source map of an expansion some lines of which were edited after it was made."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Iterator, Sequence

from ipu_asm.source.patches import Copy, Shift
from ipu_asm.source.source_map import MAIN, Segment, SourceMap, SourceRange, cut, merged
from ipu_asm.text import Span


class EditedMap(SourceMap):
    """A map with copies of edited lines in it; what is between them is that of an earlier map.

    A segment of the earlier map that copies divide has parts, one in each *gap*: gap `n` is before
    copy `n`.
    """

    def __init__(self, base: SourceMap, length: int, copies: Sequence[Copy], shift: Shift) -> None:
        """Take the earlier map, the length of its expansion, and the copies in order."""
        super().__init__(lambda: merged(self._parts()))
        self._base = base
        self._length = length
        self._copies = copies
        self._shift = shift
        self._starts = [copy.old.start for copy in copies]
        self._ends = [copy.old.end for copy in copies]
        growths = (len(copy.text) - (copy.old.end - copy.old.start) for copy in copies)
        self._deltas = [0, *accumulate(growths)]
        self._now = [start + delta for start, delta in zip(self._starts, self._deltas)]
        self._made: dict[int, list[Segment]] = {}

    def segment_at(self, offset: int) -> Segment | None:
        """Return the segment that contains an offset; at the end of the text, the last one."""
        segment = self._part_at(offset)
        if segment is None:
            return None
        while segment.start in self._borders:
            before = self._part_at(segment.start - 1)
            joined = merged([before, segment]) if before else []
            if len(joined) != 1:
                break
            segment = joined[0]
        while segment.end in self._borders:
            behind = self._part_at(segment.end)
            joined = merged([segment, behind]) if behind else []
            if len(joined) != 1:
                break
            segment = joined[0]
        return segment

    def segments_in(self, span: Span) -> Sequence[Segment]:
        """Return the segments that a span has characters of; of an empty one, the one there."""
        segment = self.segment_at(span.start)
        end = min(span.end, self._length + self._deltas[-1])
        found = []
        while segment is not None:
            found.append(segment)
            segment = self.segment_at(segment.end) if segment.end < end else None
        return found

    def touching(self, written: SourceRange) -> Iterator[Segment]:
        """Yield the segments that were written in a range, or directly before or behind it.

        Those at a copy of an edited line are divided there.
        """
        path, (start, end) = written
        before = SourceRange(path, self._shift.around(written.span)) if path == MAIN else written
        for segment in self._base.touching(before):
            last = bisect_left(self._starts, segment.end)
            for number in range(bisect_left(self._ends, segment.start), last + 1):
                part = self._moved(segment, number)
                span = part.written.span
                if part.start < part.end and span.end >= start and span.start <= end:
                    yield part
        yield from self._of_copies.touching(written)

    @cached_property
    def _borders(self) -> frozenset[int]:
        """The offsets at which copies begin or end inside of the expansion."""
        ends = (start + len(copy.text) for start, copy in zip(self._now, self._copies))
        return frozenset((*self._now, *ends)) - {0, self._length + self._deltas[-1]}

    def _part_at(self, offset: int) -> Segment | None:
        number = bisect_right(self._now, offset)
        if number and offset < self._now[number - 1] + len(self._copies[number - 1].text):
            segments = self._of_copy(number - 1)
            return segments[bisect_right(segments, offset, key=lambda each: each.start) - 1]
        segment = self._base.segment_at(offset - self._deltas[number])
        return self._moved(segment, number) if segment else None

    def _parts(self) -> Iterator[Segment]:
        for number in range(len(self._copies) + 1):
            gap = self._gap(number)
            for segment in self._base.segments_in(gap) if gap.start < gap.end else ():
                yield self._moved(segment, number)
            if number < len(self._copies):
                yield from self._of_copy(number)

    def _gap(self, number: int) -> Span:
        """Return the span of a gap in the earlier expansion."""
        end = self._starts[number] if number < len(self._starts) else self._length
        return Span(self._ends[number - 1] if number else 0, end)

    def _moved(self, segment: Segment, number: int) -> Segment:
        """Return the part of a segment of the earlier map that is in a gap."""
        gap = self._gap(number)
        start = min(max(gap.start, segment.start), segment.end)
        part = cut(segment, start, max(start, min(gap.end, segment.end)))
        return self._shift.segment(part, self._deltas[number])

    def _of_copy(self, number: int) -> list[Segment]:
        segments = self._made.get(number)
        if segments is None:
            start, copy = self._now[number], self._copies[number]
            segments = [self._shift.segment(each, start) for each in copy.segments]
            self._made[number] = segments
        return segments

    @cached_property
    def _of_copies(self) -> SourceMap:
        """The map of the copies alone."""
        numbers = range(len(self._copies))
        return SourceMap([each for number in numbers for each in self._of_copy(number)])
