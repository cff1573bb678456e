"""What edited lines become where macros and repetitions have copied them.

Lines without directives, calls and labels are copied, or left out, whatever their text is. So
edited lines replace each copy, with the same arguments for parameters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from itertools import accumulate
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Deferred, NameDefinition, NameUse
from ipu_asm.source.macros.expander import LABEL, Expander
from ipu_asm.source.macros.macro import Body, BodyText
from ipu_asm.source.macros.mapped_text import (
    JoinedText,
    MappedText,
    Slice,
    StackSubstitution,
    WrittenText,
    written_range,
)
from ipu_asm.source.patches import Copy
from ipu_asm.source.preprocessor.edited_lines import PreprocessedEdit
from ipu_asm.source.preprocessor.lines import BLOCK_COMMENT
from ipu_asm.source.source_map import Segment, SourceMap
from ipu_asm.text import Span


class Place(NamedTuple):
    """Where a range begins in the text that was made, and what its frames became on the way."""

    start: int
    reframings: tuple[StackSubstitution, ...] = ()

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


_COMMENT = re.compile(rf"//[^\r\n]*|{BLOCK_COMMENT}")


# Directives, continued lines, parameters, strings, open comments, assignments.
_SPECIAL = re.compile(r"""[#\\"'`]|(?<!\+)=|/\*|\*/|(?<![\w.$])\.(?!L)[A-Za-z]""")


_WORD = re.compile(r"[\w.$]+")


_DIGITS = re.compile(r"[0-9]+")


_MARK = re.compile(r"\\(\(\)|[@+]|[A-Za-z_.$][\w.$]*)")


_COUNTERS = ("@", "+")


_MAX_VALUE_LENGTH = 200


class MacroEdit(NamedTuple):
    """The copies of edited lines, and the uses of parameters in them."""

    copies: Sequence[Copy]
    uses: Sequence[NameUse] = ()


class MacroLines:
    """The lines of a text from which an expander has made another text."""

    def __init__(self, expander: Expander, source: WrittenText, made: JoinedText) -> None:
        self._expander = expander
        self._source = source
        self._made = made
        self._copies = Copies(made)
        self._macros = {_without_numbers(name) for name in expander.defined_macros}
        self._asked = {_without_numbers(name) for name in expander.asked}

    def is_within_limits(self, texts: Sequence[str]) -> bool:
        """Return whether the limits allow for so much more in each body."""
        lines = sum(text.count("\n") + text.count(";") for text in texts)
        characters = sum(len(text) + _MAX_VALUE_LENGTH * text.count("\\") for text in texts)
        return self._expander.budget.is_within_limits(lines, characters)

    def edited(
        self, edit: PreprocessedEdit, definitions: Sequence[NameDefinition]
    ) -> MacroEdit | None:
        """Return the copies of edited lines; None if more than the copies changes.

        `definitions` are the definitions of the expansion.
        """
        span = Span(edit.start, edit.start + len(edit.old))
        if "\\" in edit.old or "\\" in edit.new:
            body = next((each for each in self._expander.bodies if self._has(each, span)), None)
            if body is None or not self._is_same_in(body, edit):
                return None
            return self._with_parameters(body, edit, span, definitions)
        if not self._is_same(edit.old, edit.new):
            return None
        places = self._copies.places(self._source, span)
        if places is None:
            return None
        return MacroEdit([_copy(place, edit.old, edit.new, edit.segments) for place in places])

    def _is_same(self, old: str, new: str) -> bool:
        """Return whether the expander copies lines, and others in their place, word for word."""
        if not self._asked.isdisjoint(_labels(old) ^ _labels(new)):
            return False
        codes = [_COMMENT.sub(" ", text) for text in (old, new)]
        words = {_without_numbers(word) for code in codes for word in _WORD.findall(code)}
        return self._macros.isdisjoint(words) and not any(map(_SPECIAL.search, codes))

    def _has(self, body: Body, span: Span) -> bool:
        is_inside = body.span.start <= span.start and span.end <= body.span.end
        return body.source is self._source and is_inside

    def _is_same_in(self, body: Body, edit: PreprocessedEdit) -> bool:
        """Return whether lines are copied word for word with any arguments of a body."""
        texts = (edit.old, edit.new)
        names = {name for text in texts for name in _MARK.findall(text)}
        if not names <= {"()", *_COUNTERS, *body.parameters}:
            return False
        values = [value for each in body.bindings for _, value in each]
        if any(len(value) > _MAX_VALUE_LENGTH or ";" in value for value in values):
            return False
        bindings = [dict.fromkeys(names, "0"), *map(dict, body.bindings)]
        return all(self._is_same(*(_bound(text, each, "0") for text in texts)) for each in bindings)

    def _with_parameters(
        self, body: Body, edit: PreprocessedEdit, span: Span, definitions: Sequence[NameDefinition]
    ) -> MacroEdit | None:
        """Return the copies of lines with parameters, each with its arguments."""
        text = edit.new[:-1]
        source = WrittenText(text, SourceMap(lambda: edit.segments))
        lines = Body(source, Span(0, len(text)), body.parameters)
        copies, seen = [], set()
        for part, user in self._copies.uses(self._source, span):
            if isinstance(user, BodyText) and user.body is body:
                if user not in seen:
                    seen.add(user)
                    found = self._copies_in(user, edit, span, lines)
                    if found is None:
                        return None
                    copies += found
            elif user is not self._made or span.start < part.first or part.last < span.end:
                return None
            else:
                place = Place(part.start + span.start - part.first)
                copies.append(_copy(place, edit.old, edit.new, edit.segments))
        return MacroEdit(copies, Deferred(lambda: _uses(lines, definitions)))

    def _copies_in(
        self, user: BodyText, edit: PreprocessedEdit, span: Span, lines: Body
    ) -> list[Copy] | None:
        arguments = user.binding.arguments
        values = {name: each.text for name, each in arguments.items()}
        old = _bound(edit.old, values, user.binding.counter)
        start = user.offset(span.start)
        if user.text[start : start + len(old)] != old:
            return None
        places = self._copies.places(user, Span(start, start + len(old)))
        if places is None:
            return None
        made = lines.expanded(*user.binding)
        segments = Deferred(lambda: made.segments_in(0, len(made.text)))
        return [_copy(place, old, made.text + "\n", segments) for place in places]


def _labels(text: str) -> set[str]:
    return {_without_numbers(name) for name in LABEL.findall(text)}


def _without_numbers(name: str) -> str:
    """Return a name with one zero for each number: counters may make any of them."""
    return _DIGITS.sub("0", name)


def _bound(text: str, values: Mapping[str, str], counter: str) -> str:
    """Return a text with values for its parameters and counters."""
    known = {**dict.fromkeys(_COUNTERS, counter), **values}
    return _MARK.sub(lambda match: known.get(match[1], ""), text)


def _copy(place: Place, old: str, new: str, segments: Sequence[Segment]) -> Copy:
    """Return the copy of lines at a place, without their last line break."""
    span = Span(place.start, place.start + len(old) - 1)
    return Copy(span, new[:-1], Deferred(lambda: place.reframed(segments)))


def _uses(lines: Body, definitions: Sequence[NameDefinition]) -> Iterator[NameUse]:
    known = {each.place: each for each in definitions}
    for start, end, name, _ in lines.parts:
        place = lines.parameters.get(name)
        if place is not None:
            yield NameUse(name, written_range(lines.source, start + 1, end), known.get(place))
