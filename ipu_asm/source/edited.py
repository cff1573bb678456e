"""Expansions after an edit of text that expansion leaves as it is, without expanding again.

Most edits of a file with macros are inside an ordinary line: no directive, no name that a macro or
the preprocessor replaces. Such a line stands in an expansion once, word for word, and so does the
edited one; all else in the expansion stays as it was and moves. What an expansion depends on
besides, the headers and settings, must be unchanged.
"""

from __future__ import annotations

import re
from typing import Iterator, Mapping, NamedTuple, Sequence

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.source.expansion import (
    Deferred,
    Expansion,
    Include,
    NameDefinition,
    NameUse,
    SourceSettings,
)
from ipu_asm.source.source_map import MAIN, Frame, Segment, SourceMap, SourceRange
from ipu_asm.text import Change, Span

# Directives, continued lines, strings, marks of block comments, assignments, labels.
_SPECIAL = re.compile(
    r"""[#\\"'`=]|/\*|\*/|(?<![\w.$])\.(?!L)[A-Za-z]|^[ \t]*[\w.$]+[ \t]*:""", re.M
)
_DEFINITION = re.compile(r"\s*(?:#[ \t]*define|\.)")
_WORD = re.compile(r"[^\W\d]\w*")
_LINE_NUMBER = "__LINE__"
_ABSENT = Span(1 << 60, 1 << 60)
"""The span of lines that are not in an expansion: in a branch not taken, a macro not called."""


_MOST_LEVELS = 8


class Origin(NamedTuple):
    """How expansions were made: their text, settings and the stamps of the headers.

    `names` are all that expansion may replace.
    """

    text: str
    expansions: tuple[Expansion, ...]
    settings: SourceSettings
    stamps: Mapping[str, object]
    names: frozenset[str]


class EditMemo(NamedTuple):
    """What leads from expansions to those after an edit.

    `text` is the text of the expansions in `base`, and `change` the edit since then, to `latest`.
    The maps of `base` stand on those of other expansions, `levels` of them.
    """

    origin: Origin
    text: str
    base: tuple[Expansion, ...]
    latest: str
    change: Change | None = None
    levels: int = 0


def remembered(
    text: str, expansions: Sequence[Expansion], settings: SourceSettings, names: Sequence[str]
) -> tuple[Expansion, ...]:
    """Return expansions of a text that remember how they were made, for `after_edit`."""
    files = {path: file for each in expansions for path, file in each.files.items()}
    stamps = {path: settings.reader.stamp(path) for path in files}
    defined = {name.lower() for each in expansions for name in each.defined}
    defined.update(name.lower() for name in names)
    if not any(_LINE_NUMBER in file.text for file in files.values()) and _LINE_NUMBER not in text:
        defined.add("")  # lines may be added
    made = tuple(expansions)
    origin = Origin(text, made, settings, stamps, frozenset(defined))
    memo = EditMemo(origin, text, made, text)
    return tuple(each._replace(memo=memo) for each in made)


def memo_of(before: Sequence[Expansion]) -> EditMemo | None:
    """Return what the expansions of an earlier state remember."""
    memo = before[0].memo if before else None
    return memo if isinstance(memo, EditMemo) else None


def after_edit(
    memo: EditMemo,
    before: Sequence[Expansion],
    text: str,
    change: Change,
    settings: SourceSettings,
) -> tuple[Expansion, ...] | None:
    """Return the expansions of an edited text; None if the text is to be expanded again.

    `change` leads from the text of the expansions `before`, which remember `memo`, to this one.
    """
    origin = memo.origin
    if not change.turns(memo.latest, text) or change.start == change.old_end == change.new_end:
        return None
    if not _is_current(origin, settings):
        return None
    # One edit after another in the same lines is one edit. One elsewhere stands on the edited.
    whole = memo.change.then(change) if memo.change else change
    made = _all_edited(memo.base, memo.text, text, whole, origin.names)
    if made is not None:
        kept = memo._replace(latest=text, change=whole)
    elif memo.change is None or memo.levels >= _MOST_LEVELS:
        return None
    else:
        made = _all_edited(before, memo.latest, text, change, origin.names)
        kept = EditMemo(origin, memo.latest, tuple(before), text, change, memo.levels + 1)
    return made and tuple(each._replace(memo=kept) for each in made)


def _all_edited(
    expansions: Sequence[Expansion], old_text: str, text: str, change: Change, names: frozenset[str]
) -> tuple[Expansion, ...] | None:
    old = _lines_around(old_text, change.start, change.old_end)
    new = Span(old.start, old.end + change.new_end - change.old_end)
    if not _is_ordinary(old_text, old, names) or not _is_ordinary(text, new, names):
        return None
    lines_added = old_text.count("\n", *old) != text.count("\n", *new)
    if lines_added and "" not in names:
        return None
    new_text = text[new.start : new.end]
    made = [_edited(expansion, old, new_text, lines_added) for expansion in expansions]
    kept = tuple(each for each in made if each is not None)
    return kept if len(kept) == len(made) else None


def _is_current(origin: Origin, settings: SourceSettings) -> bool:
    same = origin.settings._replace(reader=settings.reader) == settings
    return same and all(settings.reader.stamp(p) == stamp for p, stamp in origin.stamps.items())


def _lines_around(text: str, start: int, end: int) -> Span:
    """Return the lines, without the last line break, that have a range."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return Span(first, len(text) if last < 0 else last)


def _is_ordinary(text: str, span: Span, names: frozenset[str]) -> bool:
    """Return whether expansion leaves lines as they are, unless they are in a macro."""
    if span.start >= 2 and "\\" in text[max(0, span.start - 3) : span.start]:
        return False
    lines = text[span.start : span.end]
    if _DEFINITION.match(text, span.end):  # a comment above a definition is about it
        return False
    if "\r" in lines or _SPECIAL.search(lines):
        return False
    return names.isdisjoint(_WORD.findall(lines.lower()))


def _edited(expansion: Expansion, old: Span, new_text: str, lines_added: bool) -> Expansion | None:
    """Return an expansion in which lines are replaced; None if they are not in it as written."""
    found = expansion.source_map.expanded_spans(SourceRange(MAIN, old))
    delta = len(new_text) - (old.end - old.start)
    if old.start == old.end:
        return None
    text, whole = expansion.text, _ABSENT
    if found:
        whole = Span(found[0].start, found[-1].end)
        if not _is_verbatim(expansion.source_map, whole, old):
            return None
        text = text[: whole.start] + new_text + text[whole.end :]
    elif lines_added:  # what is left out leaves its line breaks
        return None
    shift = _Shift(old, delta)
    if any(shift.cuts(finding.span) for finding in expansion.findings if finding.path is None):
        return None
    return expansion._replace(
        text=text,
        source_map=EditedMap(expansion.source_map, whole, shift),
        findings=tuple(shift.finding(finding) for finding in expansion.findings),
        definitions=Deferred(lambda: map(shift.definition, expansion.definitions)),
        uses=Deferred(lambda: map(shift.use, expansion.uses)),
        includes=tuple(shift.include(include) for include in expansion.includes),
    )


def _is_verbatim(source_map: SourceMap, span: Span, written: Span) -> bool:
    """Return whether a span is the text of a written range that nothing repeats or moves."""
    return source_map.verbatim(span) == (MAIN, written) and all(
        segment.frame is None for segment in source_map.segments_in(span)
    )


class _Shift:
    """Moves places of the analysed file that are behind an edited range."""

    def __init__(self, old: Span, delta: int) -> None:
        self.old = old
        self.delta = delta
        self._frames: dict[int, tuple[Frame, Frame]] = {}

    def cuts(self, span: Span) -> bool:
        return span.start < self.old.end and self.old.start < span.end

    def span(self, span: Span) -> Span:
        if span.start >= self.old.end:
            return span.shifted(self.delta)
        is_around = span.start <= self.old.start and self.old.end <= span.end
        return Span(span.start, span.end + self.delta) if is_around else span

    def range(self, place: SourceRange) -> SourceRange:
        return place._replace(span=self.span(place.span)) if place.path == MAIN else place

    def frame(self, frame: Frame | None) -> Frame | None:
        """Return a moved frame, the same one for the same frame."""
        if frame is None:
            return None
        known = self._frames.get(id(frame))
        if known is None:
            definition = self.range(frame.definition) if frame.definition else None
            parent = self.frame(frame.parent)
            moved = frame._replace(
                call=self.range(frame.call), definition=definition, parent=parent
            )
            known = self._frames[id(frame)] = frame, moved
        return known[1]

    def finding(self, finding: Diagnostic) -> Diagnostic:
        related = tuple(
            each if each.path else each._replace(span=self.span(each.span))
            for each in finding.related
        )
        span = finding.span if finding.path else self.span(finding.span)
        return finding._replace(span=span, related=related)

    def definition(self, definition: NameDefinition) -> NameDefinition:
        place, full = self.range(definition.place), self.range(definition.full)
        return definition._replace(place=place, full=full)

    def use(self, use: NameUse) -> NameUse:
        definition = self.definition(use.definition) if use.definition else None
        return use._replace(place=self.range(use.place), definition=definition)

    def include(self, include: Include) -> Include:
        return include._replace(place=self.range(include.place))


class EditedMap(SourceMap):
    """A map in which one range of verbatim text has another length, and all behind it moves."""

    def __init__(self, base: SourceMap, old: Span, shift: _Shift) -> None:
        """Take the earlier map, the range in its expansion, and how written places move."""
        super().__init__(self._all)
        self._base = base
        self._old = old
        self._shift = shift
        self._end = old.end + shift.delta

    def _all(self) -> Sequence[Segment]:
        return [*self._moved(self._base.segments)]

    def _moved(self, segments: Sequence[Segment]) -> Iterator[Segment]:
        """Yield segments after the edit; those of the edited text as one."""
        old, written = self._old, self._shift.old
        is_made = False
        for start, end, place, is_verbatim, frame in segments:
            if end > old.start and start < old.end:
                if not is_made:
                    is_made = True
                    base = self._base.segments_in(old)
                    first, last = base[0], base[-1]
                    begin = written.start - (old.start - first.start)
                    length = last.end - first.start + self._shift.delta
                    yield Segment(
                        first.start,
                        first.start + length,
                        SourceRange(MAIN, Span(begin, begin + length)),
                        True,
                    )
                continue
            delta = self._shift.delta if start >= old.end else 0
            yield Segment(
                start + delta,
                end + delta,
                self._shift.range(place),
                is_verbatim,
                self._shift.frame(frame),
            )

    def segment_at(self, offset: int) -> Segment | None:
        """Return the segment that contains an offset; at the end of the text, the last one."""
        segment = self._base.segment_at(self._before(offset))
        return next(self._moved([segment])) if segment else None

    def segments_in(self, span: Span) -> Sequence[Segment]:
        """Return the segments that a span has characters of; of an empty one, the one there."""
        base = Span(self._before(span.start), self._before(span.end, is_end=True))
        return [*self._moved(self._base.segments_in(base))]

    def expanded(self, path: str, offset: int) -> list[int]:
        """Return the offsets in the expansion of a written character, in order."""
        written, delta = self._shift.old, self._shift.delta
        if path == MAIN and written.start <= offset < written.end + delta:
            if self._old != _ABSENT:
                return [self._old.start + offset - written.start]
            return self._base.expanded(path, offset) if offset == written.start else []
        before = offset - delta if path == MAIN and offset >= written.end + delta else offset
        return [self._after(each) for each in self._base.expanded(path, before)]

    def expanded_spans(self, written: SourceRange) -> list[Span]:
        """Return the spans of the expansion that came from characters of a written range."""
        path, (start, end) = written
        if path != MAIN:
            return self._spans_after(written)
        first, last, delta = self._shift.old.start, self._shift.old.end, self._shift.delta
        spans = self._spans_after(SourceRange(MAIN, Span(start, min(end, first))))
        inside = Span(max(start, first), min(end, last + delta))
        if inside.start < inside.end and self._old != _ABSENT:
            spans.append(inside.shifted(self._old.start - first))
        behind = Span(max(start - delta, last), end - delta)
        spans += self._spans_after(SourceRange(MAIN, behind))
        return _joined(spans)

    def _spans_after(self, written: SourceRange) -> list[Span]:
        if written.span.start >= written.span.end:
            return []
        spans = self._base.expanded_spans(written)
        return [Span(self._after(span.start), self._after(span.end)) for span in spans]

    def _before(self, offset: int, is_end: bool = False) -> int:
        """Return an offset of the earlier expansion; inside of the edited text, its first."""
        if offset >= self._end + is_end:
            return offset - self._shift.delta
        if offset <= self._old.start:
            return offset
        return self._old.end if is_end else self._old.start

    def _after(self, offset: int) -> int:
        return offset + self._shift.delta if offset >= self._old.end else offset


def _joined(spans: list[Span]) -> list[Span]:
    """Return spans in order, those that touch as one."""
    made: list[Span] = []
    for span in sorted(spans):
        if made and made[-1].end == span.start:
            made[-1] = Span(made[-1].start, span.end)
        else:
            made.append(span)
    return made
