"""Positions in an expansion and in the files that it was written in, in both directions.

An *expansion* is the text that the assembler reads: a template rendered in one context, or a
source after the preprocessor and its macros. A `SourceMap` divides it into segments, each with the
written range that it came from and the calls, iterations and includes that it went through.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from enum import Enum
from functools import cached_property
from itertools import accumulate
from typing import Callable, Iterable, Iterator, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

MAIN = ""
"""The path of the analysed file itself, whatever its name."""


class SourceRange(NamedTuple):
    """A range of code points in a file; `path` is `MAIN`, or the absolute path of a header."""

    path: str
    span: Span


class FrameKind(Enum):
    INCLUDE = "include"
    MACRO = "macro"
    ITERATION = "iteration"
    VALUE = "value"
    ARGUMENT = "argument"


class Frame(NamedTuple):
    """One level of an expansion stack; `parent` is the next outer one.

    `label` describes the level for people: ``macro `save` ``, ``for row = 3``, ``include of
    `regs.h` ``, ``value of `cols` ``, ``argument `reg` ``. `call` is where the author wrote the
    call, the head of the loop, the include or the use of the value; `definition` is the name in the
    definition, for an argument what the call gives.
    """

    kind: FrameKind
    label: str
    call: SourceRange
    definition: SourceRange | None = None
    parent: Frame | None = None

    def stack(self) -> Iterator[Frame]:
        """Yield this frame and its outer ones, innermost first."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.parent


class Segment(NamedTuple):
    """A part of an expansion that came from one written range.

    With `is_verbatim`, its characters are the written ones, one by one; otherwise it was computed
    from the range as a whole: the use of a value, or a call.
    """

    start: int
    end: int
    written: SourceRange
    is_verbatim: bool
    frame: Frame | None = None


class SourceMap:
    """The sorted segments of an expansion, which cover all its characters without gaps."""

    def __init__(self, segments: Sequence[Segment] | Callable[[], Sequence[Segment]]) -> None:
        """Take the segments, or a function that computes them on first access."""
        self._given = segments

    @cached_property
    def segments(self) -> Sequence[Segment]:
        """The segments in the order of the expansion."""
        return self._given() if callable(self._given) else self._given

    @cached_property
    def _starts(self) -> list[int]:
        return [segment.start for segment in self.segments]

    @cached_property
    def _by_file(self) -> dict[str, _WrittenIndex]:
        files: dict[str, list[Segment]] = {}
        for segment in self.segments:
            files.setdefault(segment.written.path, []).append(segment)
        return {path: _WrittenIndex(segments) for path, segments in files.items()}

    def segment_at(self, offset: int) -> Segment | None:
        """Return the segment that contains an offset; at the end of the text, the last one."""
        if not self.segments:
            return None
        return self.segments[max(0, bisect_right(self._starts, offset) - 1)]

    def segments_in(self, span: Span) -> Sequence[Segment]:
        """Return the segments that overlap a span; for an empty span, the one around it."""
        first = max(0, bisect_right(self._starts, span.start) - 1)
        return self.segments[first : bisect_left(self._starts, span.end, first + 1)]

    def frame_at(self, offset: int) -> Frame | None:
        """Return the innermost frame at an offset; None outside of macros, loops and includes."""
        segment = self.segment_at(offset)
        return segment.frame if segment else None

    def written(self, span: Span) -> SourceRange | None:
        """Return the written range of a span of the expansion; None for an empty map.

        A span inside one verbatim segment maps character by character. One that begins or ends in
        a substituted value includes the whole use of the value. One that consists of an argument
        and of text around it has the range of the argument. Where the parts of a span are in
        several files, or in different calls, the range is that of the first character.
        """
        first = self.segment_at(span.start)
        if first is None:
            return None
        last = self.segment_at(max(span.start, span.end - 1))
        assert last is not None
        start = _written_start(first, span.start)
        if last is not first:
            argument = self._argument(span) or _argument_of(first, last)
            if argument is not None:
                return _range_of(argument, span)
        is_joined = last.frame is first.frame or not (first.is_verbatim and last.is_verbatim)
        if last.written.path == first.written.path and (last is first or is_joined):
            end = _written_end(last, span.end)
            if end >= start:
                return SourceRange(first.written.path, Span(start, end))
        return SourceRange(first.written.path, Span(start, _written_end(first, first.end)))

    def frame_of(self, span: Span) -> Frame | None:
        """Return the innermost frame of the text whose written range a span has."""
        argument = self._argument(span)
        return argument[0].frame if argument else self.frame_at(span.start)

    def _argument(self, span: Span) -> Sequence[Segment] | None:
        """Return the segments of the only argument in a span that has other text, too."""
        segments = self.segments_in(span)
        found = [s for s in segments if s.is_verbatim and _is_value(s.frame)]
        if not found or len(found) == len(segments):
            return None
        first, last = found[0], found[-1]
        is_one = last.frame is first.frame and last.written.path == first.written.path
        return found if is_one and last.written.span >= first.written.span else None

    def verbatim(self, span: Span) -> SourceRange | None:
        """Return the written range of a span whose characters are all written there, in order.

        An empty span has one if it is inside a verbatim segment or at one of its ends.
        """
        first, last = self.segment_at(span.start), self.segment_at(max(span.start, span.end - 1))
        if first is None or last is None or not (first.is_verbatim and last.is_verbatim):
            return None
        start = _written_start(first, span.start)
        end = start + span.end - span.start
        is_same_file = last.written.path == first.written.path
        if not is_same_file or _written_end(last, span.end) != end:
            return None
        return SourceRange(first.written.path, Span(start, end))

    def expanded(self, path: str, offset: int) -> list[int]:
        """Return the offsets in the expansion of a written character, in order.

        In a substituted value, these are the starts of the values. The end of a written range
        counts as in it only where no other range begins.
        """
        inside, at_end = [], []
        for segment in self.touching(SourceRange(path, Span(offset, offset))):
            span = segment.written.span
            distance = offset - span.start
            if offset < span.end:
                inside.append(segment.start + distance if segment.is_verbatim else segment.start)
            else:
                at_end.append(segment.end)
        return sorted(inside or at_end)

    def expanded_spans(self, written: SourceRange) -> list[Span]:
        """Return the spans of the expansion that came from characters of a written range."""
        found = []
        span = written.span
        for segment in self.touching(written):
            start, end = segment.start, segment.end
            if segment.is_verbatim:
                begin = segment.written.span.start
                start, end = start + max(0, span.start - begin), min(end, start + span.end - begin)
            if start < end and segment.written.span.start < span.end:
                found.append(Span(start, end))
        return sorted(found)

    def touching(self, written: SourceRange) -> Iterator[Segment]:
        """Yield the segments that were written in a range, or directly before or after it."""
        index = self._by_file.get(written.path)
        return iter(()) if index is None else index.touching(written.span)


def cut(segment: Segment, start: int, end: int) -> Segment:
    """Return the part of a segment between two offsets of the expansion."""
    if start == segment.start and end == segment.end:
        return segment
    path, span = segment.written
    if segment.is_verbatim:
        first = span.start + start - segment.start
        span = Span(first, first + end - start)
    return Segment(start, end, SourceRange(path, span), segment.is_verbatim, segment.frame)


def merged(segments: Iterable[Segment]) -> list[Segment]:
    """Join segments that are next to each other in the expansion and where they were written."""
    joined: list[Segment] = []
    for segment in segments:
        if joined and _continues(joined[-1], segment):
            last = joined.pop()
            span = Span(last.written.span.start, segment.written.span.end)
            written = SourceRange(last.written.path, span)
            segment = Segment(last.start, segment.end, written, True, last.frame)
        joined.append(segment)
    return joined


def _continues(last: Segment, segment: Segment) -> bool:
    return (
        last.is_verbatim
        and segment.is_verbatim
        and last.frame is segment.frame
        and last.written.path == segment.written.path
        and last.written.span.end == segment.written.span.start
    )


def _is_value(frame: Frame | None) -> bool:
    return frame is not None and frame.kind is FrameKind.VALUE


def _argument_of(first: Segment, last: Segment) -> Sequence[Segment] | None:
    """Return the segment from an argument if a word joins it with text of the macro body."""
    if first.frame is not last.frame or _is_in_call(first) is _is_in_call(last):
        return None
    return [first if _is_in_call(first) else last]


def _is_in_call(segment: Segment) -> bool:
    """Return whether a segment was written in the call that it came from."""
    if segment.frame is None or segment.written.path != segment.frame.call.path:
        return False
    call, written = segment.frame.call.span, segment.written.span
    return call.start <= written.start and written.end <= call.end


def _range_of(segments: Sequence[Segment], span: Span) -> SourceRange:
    first, last = segments[0], segments[-1]
    start = _written_start(first, max(span.start, first.start))
    return SourceRange(first.written.path, Span(start, _written_end(last, span.end)))


def _written_start(segment: Segment, offset: int) -> int:
    start = segment.written.span.start
    return start + offset - segment.start if segment.is_verbatim else start


def _written_end(segment: Segment, offset: int) -> int:
    if segment.is_verbatim:
        return segment.written.span.start + min(offset, segment.end) - segment.start
    return segment.written.span.end


class _WrittenIndex:
    """The segments of one file by their written ranges, which may repeat and overlap."""

    def __init__(self, segments: Iterable[Segment]) -> None:
        self._segments = sorted(segments, key=lambda segment: segment.written.span)
        self._starts = [segment.written.span.start for segment in self._segments]
        self._ends = [*accumulate((s.written.span.end for s in self._segments), max)]

    def touching(self, span: Span) -> Iterator[Segment]:
        """Yield the segments whose written range overlaps a span or touches it."""
        number = bisect_right(self._starts, span.end) - 1
        while number >= 0 and self._ends[number] >= span.start:
            segment = self._segments[number]
            if segment.written.span.end >= span.start:
                yield segment
            number -= 1
