"""Where the text of one expansion step was copied to, through calls and repetitions."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import accumulate
from typing import Iterable, Iterator

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.macros.mapped_text import JoinedText, MappedText, Reframing, Slice
from ipu_asm.source.source_map import Segment
from ipu_asm.text import Span


class Place(NamedTuple):
    """Where a range begins in the text that was made, and what its frames became on the way."""

    start: int
    reframings: tuple[Reframing, ...] = ()

    def reframed(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """Yield segments with their frames as they are at this place."""
        for segment in segments:
            frame = segment.frame
            for reframe in self.reframings:
                frame = reframe(frame)
            yield segment._replace(frame=frame)


class Use(NamedTuple):
    """A slice of a text and the text that it became a part of."""

    part: Slice
    user: JoinedText


class Copies:
    """The slices of all texts that a text was made of."""

    def __init__(self, made: JoinedText) -> None:
        self._made = made

    @cached_property
    def _uses(self) -> dict[MappedText, _SortedUses]:
        found: dict[MappedText, list[Use]] = {}
        texts: list[JoinedText] = [self._made]
        for user in texts:
            for part in user.parts:
                if isinstance(part, Slice):
                    if part.source not in found:
                        found[part.source] = []
                        if isinstance(part.source, JoinedText):
                            texts.append(part.source)
                    found[part.source].append(Use(part, user))
        return {source: _SortedUses(uses) for source, uses in found.items()}

    def uses(self, source: MappedText, span: Span) -> list[Use]:
        """Return the slices that have characters of a span."""
        uses = self._uses.get(source)
        return uses.overlapping(span) if uses else []

    def places(self, source: MappedText, span: Span) -> list[Place] | None:
        """Return where all of a span is in the text that was made; None if a part of it is."""
        if source is self._made:
            return [Place(span.start)]
        found = []
        for (start, _, first, last, reframe), user in self.uses(source, span):
            if span.start < first or last < span.end:
                return None
            places = self.places(user, span.shifted(start - first))
            if places is None:
                return None
            own = (reframe,) if reframe else ()
            found += [Place(place.start, own + place.reframings) for place in places]
        return found


class _SortedUses:
    def __init__(self, uses: list[Use]) -> None:
        self._uses = sorted(uses, key=lambda use: use.part.first)
        self._starts = [use.part.first for use in self._uses]
        self._ends = [*accumulate((use.part.last for use in self._uses), max)]

    def overlapping(self, span: Span) -> list[Use]:
        found = []
        number = bisect_left(self._starts, span.end) - 1
        while number >= 0 and self._ends[number] > span.start:
            if self._uses[number].part.last > span.start:
                found.append(self._uses[number])
            number -= 1
        return found
