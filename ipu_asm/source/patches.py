"""Lines of a file that were edited after its expansion, and where that moves everything else.

The text of a patch has offsets of its own, beyond those of any file, which do not depend on other
patches. A `Shift` maps them, and offsets of the file as it was expanded, to the file as it is now.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Iterator, Sequence

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Include, NameDefinition, NameUse
from ipu_asm.source.source_map import MAIN, Frame, Segment, SourceMap, SourceRange, cut, merged
from ipu_asm.text import Span

# The offsets of patch `n` begin at `n` times this.
_OFFSETS_OF_PATCH = 1 << 40


class Copy(NamedTuple):
    """Edited lines in an expansion: the text that they became, and the span that it replaces.

    `segments` are the segments of the text alone, from offset 0 on.
    """

    old: Span
    text: str
    segments: Sequence[Segment]


class EditedLines(NamedTuple):
    """What edited lines become in one expansion: copies, and the names that they use.

    `text` is what the preprocessor made of them; `tokens` are those that its macros made.
    """

    copies: Sequence[Copy] = ()
    uses: Sequence[NameUse] = ()
    text: str = ""
    tokens: int = 0


class Patch(NamedTuple):
    """Lines of the file as it was expanded, by their numbers and span, and what they are now.

    The span and the text are without the last line break. `number` is unique.
    """

    number: int
    first: int
    last: int
    old: Span
    text: str
    made: Sequence[EditedLines] = ()

    @property
    def place(self) -> int:
        """The first of the offsets of its text."""
        return self.number * _OFFSETS_OF_PATCH

    @property
    def growth(self) -> int:
        """How many characters it adds to the file."""
        return len(self.text) - (self.old.end - self.old.start)


class Shift:
    """Moves positions from the file as it was expanded to the file with patches, and back."""

    def __init__(self, patches: Sequence[Patch]) -> None:
        """Take patches in their order."""
        self._patches = patches
        self._starts = [patch.old.start for patch in patches]
        self._ends = [patch.old.end for patch in patches]
        self._deltas = [0, *accumulate(patch.growth for patch in patches)]
        self._now = [start + delta for start, delta in zip(self._starts, self._deltas)]
        self._numbers = {patch.number: at for at, patch in enumerate(patches)}
        self._frames: dict[int, tuple[Frame, Frame]] = {}

    def patch_at(self, now: int) -> tuple[Patch, Span] | None:
        """Return the patch whose text is around an offset of the file, or ends there."""
        number = bisect_right(self._now, now) - 1
        if number < 0:
            return None
        patch, start = self._patches[number], self._now[number]
        span = Span(start, start + len(patch.text))
        return (patch, span) if now <= span.end else None

    def around(self, now: Span) -> Span:
        """Return the span that was at a span of the file, with all of the lines that it is in."""
        first, last = self.patch_at(now.start), self.patch_at(now.end)
        start = first[0].old.start if first else self._before(now.start)
        return Span(start, last[0].old.end if last else self._before(now.end))

    def _before(self, now: int) -> int:
        return now - self._deltas[bisect_right(self._now, now)]

    def start(self, offset: int) -> int:
        """Return where something that starts at an offset is now."""
        if offset >= _OFFSETS_OF_PATCH:
            return self._in_patch(offset)
        return offset + self._deltas[bisect_right(self._ends, offset)]

    def end(self, offset: int) -> int:
        """Return where something that ends at an offset ends now."""
        if offset >= _OFFSETS_OF_PATCH:
            return self._in_patch(offset)
        return offset + self._deltas[bisect_left(self._starts, offset)]

    def _in_patch(self, offset: int) -> int:
        number, distance = divmod(offset, _OFFSETS_OF_PATCH)
        return self._now[self._numbers[number]] + distance

    def span(self, span: Span) -> Span:
        """Return where a span is now."""
        start = self.start(span.start)
        return Span(start, self.end(span.end) if span.end > span.start else start)

    def is_edited(self, span: Span) -> bool:
        """Return whether a span has characters that were replaced."""
        number = bisect_right(self._ends, span.start)
        return number < len(self._starts) and self._starts[number] < span.end

    def range(self, place: SourceRange) -> SourceRange:
        """Return where a range of a file is now."""
        return SourceRange(MAIN, self.span(place.span)) if place.path == MAIN else place

    def frame(self, frame: Frame | None) -> Frame | None:
        """Return a frame with its places as they are now, the same one for the same frame."""
        if frame is None:
            return None
        known = self._frames.get(id(frame))
        if known is None:
            definition = self.range(frame.definition) if frame.definition else None
            call, parent = self.range(frame.call), self.frame(frame.parent)
            moved = frame._replace(call=call, definition=definition, parent=parent)
            known = self._frames[id(frame)] = frame, moved
        return known[1]

    def segment(self, segment: Segment, distance: int) -> Segment:
        """Return a segment with its places as they are now, further on in the expansion."""
        start, end, place, is_verbatim, frame = segment
        return Segment(
            start + distance, end + distance, self.range(place), is_verbatim, self.frame(frame)
        )

    def finding(self, finding: Diagnostic) -> Diagnostic:
        """Return a finding with its places as they are now."""
        related = tuple(
            each if each.path else each._replace(span=self.span(each.span))
            for each in finding.related
        )
        span = finding.span if finding.path else self.span(finding.span)
        return finding._replace(span=span, related=related)

    def definition(self, definition: NameDefinition) -> NameDefinition:
        """Return a definition with its places as they are now."""
        place, full = self.range(definition.place), self.range(definition.full)
        return definition._replace(place=place, full=full)

    def use(self, use: NameUse) -> NameUse:
        """Return a use of a name with its places as they are now."""
        definition = self.definition(use.definition) if use.definition else None
        return use._replace(place=self.range(use.place), definition=definition)

    def include(self, include: Include) -> Include:
        """Return an include with its place as it is now."""
        return include._replace(place=self.range(include.place))


class EditedMap(SourceMap):
    """A map of an expansion with copies of edited lines; between them, an earlier map applies.

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
        """Yield the segments that were written in a range, or directly before or after it.

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
