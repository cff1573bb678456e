"""A text with a map to where it was written, of which slices can be taken and joined."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Iterator, Sequence

from ipu_asm.source.source_map import MAIN, Frame, Segment, SourceMap, SourceRange
from ipu_asm.text import Span

_NOWHERE = SourceRange(MAIN, Span(0, 0))


class MappedText:
    """A text and the segments that cover it."""

    def __init__(self, text: str, segments: Sequence[Segment]) -> None:
        self.text = text
        self.segments = segments

    @cached_property
    def _starts(self) -> list[int]:
        return [segment.start for segment in self.segments]

    @cached_property
    def source_map(self) -> SourceMap:
        """The segments as a map."""
        return SourceMap(self.segments)

    def written(self, start: int, end: int) -> SourceRange:
        """Return the written range of a slice."""
        return self.source_map.written(Span(start, end)) or _NOWHERE

    def frame_at(self, offset: int) -> Frame | None:
        """Return the innermost frame at an offset."""
        return self.source_map.frame_at(offset)

    def slice_segments(self, start: int, end: int) -> Iterator[Segment]:
        """Yield the segments of a slice, with offsets in this text, cut at its ends."""
        number = max(0, bisect_right(self._starts, start) - 1)
        for segment in self.segments[number:]:
            if segment.start >= end:
                return
            if segment.end > start:
                yield _cut(segment, max(start, segment.start), min(end, segment.end))


def _cut(segment: Segment, start: int, end: int) -> Segment:
    if start == segment.start and end == segment.end:
        return segment
    path, span = segment.written
    if segment.is_verbatim:
        first = span.start + start - segment.start
        span = Span(first, first + end - start)
    return Segment(start, end, SourceRange(path, span), segment.is_verbatim, segment.frame)


class Reframing:
    """Puts text into a new frame: frames above `base` are kept, and `frame` takes its place."""

    def __init__(self, base: Frame | None, frame: Frame | None) -> None:
        self._base = base
        self._frame = frame
        # By identity: comparing chains of frames would cost their length each time.
        self._done: dict[int, tuple[Frame, Frame]] = {}

    def __call__(self, frame: Frame | None) -> Frame | None:
        if frame is None or frame is self._base:
            return self._frame
        known = self._done.get(id(frame))
        if known is None:
            known = (frame, frame._replace(parent=self(frame.parent)))
            self._done[id(frame)] = known
        return known[1]


class TextBuilder:
    """Joins slices of mapped texts."""

    def __init__(self) -> None:
        self.length = 0
        self._pieces: list[str] = []
        self._segments: list[Segment] = []

    def add(
        self, source: MappedText, start: int, end: int, reframe: Reframing | None = None
    ) -> None:
        """Append a slice of a text; `reframe` gives its parts their new frames."""
        if start >= end:
            return
        shift = self.length - start
        for first, last, written, is_verbatim, frame in source.slice_segments(start, end):
            frame = reframe(frame) if reframe else frame
            self._append(Segment(first + shift, last + shift, written, is_verbatim, frame))
        self._pieces.append(source.text[start:end])
        self.length += end - start

    def add_computed(self, text: str, written: SourceRange, frame: Frame | None) -> None:
        """Append a text that stands for a written range as a whole."""
        if text:
            end = self.length + len(text)
            self._append(Segment(self.length, end, written, False, frame))
            self._pieces.append(text)
            self.length = end

    def _append(self, segment: Segment) -> None:
        if self._segments:
            last = self._segments[-1]
            if (
                last.is_verbatim
                and segment.is_verbatim
                and last.frame is segment.frame
                and last.written.path == segment.written.path
                and last.written.span.end == segment.written.span.start
            ):
                span = Span(last.written.span.start, segment.written.span.end)
                written = SourceRange(last.written.path, span)
                self._segments[-1] = Segment(last.start, segment.end, written, True, last.frame)
                return
        self._segments.append(segment)

    def mark(self) -> tuple[int, int, int, Segment | None]:
        """Return a state to which `cut_back` returns."""
        last = self._segments[-1] if self._segments else None
        return len(self._pieces), len(self._segments), self.length, last

    def cut_back(self, mark: tuple[int, int, int, Segment | None]) -> None:
        """Remove what was appended since a mark."""
        pieces, segments, self.length, last = mark
        del self._pieces[pieces:]
        del self._segments[segments:]
        if last is not None:
            self._segments[-1] = last

    def built(self) -> MappedText:
        """Return the text that was joined."""
        return MappedText("".join(self._pieces), self._segments)
