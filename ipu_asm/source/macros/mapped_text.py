"""A text with a map to where it was written, of which slices can be taken and joined.

Segments are made only for the slices that are asked for. Most of the text that a macro makes is in
branches that are not taken: with segments for all of it, an expansion takes three times as long.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Iterator, Protocol, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.source_map import MAIN, Frame, Segment, SourceMap, SourceRange, cut, merged
from ipu_asm.text import Span

# Arguments of arguments may have as many segments as characters.
_MAX_SEGMENTED_LENGTH = 1_000
_NOWHERE = SourceRange(MAIN, Span(0, 0))


class MappedText(Protocol):
    """A text that knows where it was written."""

    text: str

    def segments_in(self, start: int, end: int) -> Iterator[Segment]:
        """Yield the segments of a slice, with offsets in this text, cut at its ends."""


def written_range(source: MappedText, start: int, end: int) -> SourceRange:
    if end - start > _MAX_SEGMENTED_LENGTH:
        return written_block(source, start, end)
    segments = [*source.segments_in(start, max(end, start + 1))]
    if len(segments) == 1 and start < end:
        return segments[0].written
    return SourceMap(segments).written(Span(start, end)) or _NOWHERE


def written_block(source: MappedText, start: int, end: int) -> SourceRange:
    """Return the written range from the first to the last character of a slice."""
    ends = ((start, start + 1), (end - 1, end))
    segments = [segment for part in ends for segment in source.segments_in(*part)]
    return SourceMap(segments).written(Span(start, end)) or _NOWHERE


def frame_at(source: MappedText, offset: int) -> Frame | None:
    """Return the innermost frame at an offset."""
    return next((each.frame for each in source.segments_in(offset, offset + 1)), None)


class WrittenText:
    """A text with a source map of its own."""

    def __init__(self, text: str, source_map: SourceMap) -> None:
        self.text = text
        self._map = source_map

    def segments_in(self, start: int, end: int) -> Iterator[Segment]:
        """Yield the segments of a slice, with offsets in this text, cut at its ends."""
        end = min(end, len(self.text))
        while start < end:
            segment = self._map.segment_at(start)
            assert segment is not None  # the segments cover the text
            yield cut(segment, start, min(end, segment.end))
            start = segment.end


class StackSubstitution:
    """Puts text into a new frame: frames above `base` are kept, and `frame` takes its place."""

    def __init__(self, base: Frame | None, frame: Frame | None) -> None:
        self._base = base
        self._frame = frame
        # By identity: comparing chains of frames would cost their length each time.
        self._done: dict[int, tuple[Frame, Frame]] = {}

    def __call__(self, frame: Frame | None) -> Frame | None:
        """Return the frame that takes the place of one."""
        if frame is None or frame is self._base:
            return self._frame
        known = self._done.get(id(frame))
        if known is None:
            known = (frame, frame._replace(parent=self(frame.parent)))
            self._done[id(frame)] = known
        return known[1]


class Slice(NamedTuple):
    """A slice of a source, at an offset of the text that it became a part of."""

    start: int
    source: MappedText
    first: int
    last: int
    reframe: StackSubstitution | None

    def segments_in(self, start: int, end: int) -> Iterator[Segment]:
        shift = self.start - self.first
        for first, last, written, is_verbatim, frame in self.source.segments_in(
            max(self.first, start - shift), min(self.last, end - shift)
        ):
            frame = self.reframe(frame) if self.reframe else frame
            yield Segment(first + shift, last + shift, written, is_verbatim, frame)


class Computed(NamedTuple):
    """A text that was computed from a written range as a whole."""

    start: int
    end: int
    written: SourceRange
    frame: Frame | None

    def segments_in(self, start: int, end: int) -> Iterator[Segment]:
        yield Segment(max(start, self.start), min(end, self.end), self.written, False, self.frame)


class JoinedText:
    """A text joined from slices of others."""

    def __init__(self, text: str, parts: Sequence[Slice | Computed]) -> None:
        self.text = text
        self.parts = parts

    @cached_property
    def _starts(self) -> list[int]:
        return [part.start for part in self.parts]

    def segments_in(self, start: int, end: int) -> Iterator[Segment]:
        """Yield the segments of a slice, with offsets in this text, cut at its ends."""
        end = min(end, len(self.text))
        number = max(0, bisect_right(self._starts, start) - 1)
        while start < end:
            part = self.parts[number]
            number += 1
            following = self._starts[number] if number < len(self.parts) else len(self.text)
            yield from part.segments_in(start, min(end, following))
            start = following


class TextBuilder:
    """Joins slices of texts."""

    def __init__(self) -> None:
        self.length = 0
        self._texts: list[str] = []
        self._parts: list[Slice | Computed] = []

    def add(
        self, source: MappedText, start: int, end: int, reframe: StackSubstitution | None = None
    ) -> None:
        """Append a slice of a text; `reframe` gives its parts their new frames."""
        if start < end:
            self._parts.append(Slice(self.length, source, start, end, reframe))
            self._texts.append(source.text[start:end])
            self.length += end - start

    def add_computed(self, text: str, written: SourceRange, frame: Frame | None) -> None:
        """Append a text that was computed from a written range as a whole."""
        if text:
            end = self.length + len(text)
            self._parts.append(Computed(self.length, end, written, frame))
            self._texts.append(text)
            self.length = end

    def mark(self) -> tuple[int, int]:
        """Return a state to which `cut_back` returns."""
        return len(self._parts), self.length

    def cut_back(self, mark: tuple[int, int]) -> None:
        """Remove what was appended since a mark."""
        count, self.length = mark
        del self._parts[count:]
        del self._texts[count:]

    def built(self) -> JoinedText:
        return JoinedText("".join(self._texts), self._parts)


def joined_map(joined: JoinedText) -> SourceMap:
    """Return the source map of a joined text; its segments are computed on first access."""
    return SourceMap(lambda: merged(joined.segments_in(0, len(joined.text))))
