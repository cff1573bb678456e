"""What the features ask about a template: a plain analysis, and the ways to and from it.

A feature maps the written offset down to an expansion, asks the plain analysis of that, and maps
the spans of the answer up again. Text that is rendered nowhere, in a branch not taken or in a
template with an error, is read in the skeleton, which has the positions of the written text.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis, Expanded
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN, SourceMap
from ipu_asm.source.templates import tags_of
from ipu_asm.text import LineIndex, Position, SourceFile, Span, TextEdit, apply_edits


class Reading(NamedTuple):
    """How a template is read: a plain analysis whose line index counts the written lines.

    `source_map` is None in the skeleton, whose positions are those of the written text. `context`
    describes the values that were assumed. What `is_partial` may have fillers for outputs.
    """

    analysis: Analysis
    source_map: SourceMap | None
    context: str = ""
    is_partial: bool = False

    def written(self, span: Span) -> Span:
        """Return the written range of a span of the plain analysis."""
        if self.source_map is None:
            return span
        place = self.source_map.written(span)
        return span if place is None else place.span

    def in_file(self, span: Span) -> Span:
        """Return the written range of a span in the file itself.

        What a header says has the range of the call, or of the include, that brought it here.
        """
        place = None if self.source_map is None else self.source_map.written(span)
        if self.source_map is None or place is None or place.path == MAIN:
            return self.written(span)
        frame = self.source_map.frame_of(span)
        calls = (each.call for each in (frame.stack() if frame else ()))
        return next((call.span for call in calls if call.path == MAIN), span)

    def around(self, span: Span, offset: int) -> Span | None:
        """Return the written range of a span; None unless it touches a written offset.

        A word that a macro or a value begins is written elsewhere.
        """
        written = self.written(span)
        return written if written.touches(offset) else None

    def verbatim(self, span: Span) -> Span | None:
        """Return the written range of a span; None unless all its characters are written there."""
        if self.source_map is None:
            return span
        place = self.source_map.verbatim(span)
        return None if place is None else place.span


class Occasion(NamedTuple):
    """One of the offsets that a written offset has in the expansions."""

    reading: Reading
    offset: int


def is_template(analysis: Analysis) -> bool:
    """Check whether a text is a template or a listing, which features look up in expansions."""
    return bool(analysis.expanded) and (analysis.isa.surface.templates or analysis.is_listing)


def readings(analysis: Analysis) -> list[Reading]:
    """Return the expansions that have text, in the order of their contexts; else the skeleton."""
    found = [_in_expansion(analysis, each) for each in analysis.expanded if each.expansion.text]
    return found or [skeleton_reading(analysis)]


def whole_reading(analysis: Analysis) -> Reading:
    """Return the first expansion; the skeleton if no expansion has text."""
    return readings(analysis)[0]


def reading_at(analysis: Analysis, offset: int) -> Occasion:
    """Return the first occasion of a written offset; that in the skeleton if it has no other."""
    first = next(occasions(analysis, offset), None)
    return first or Occasion(skeleton_reading(analysis), offset)


def occasions(analysis: Analysis, offset: int) -> Iterator[Occasion]:
    """Yield the places of a written offset in the expansions, context by context."""
    for expanded in analysis.expanded:
        reading = _in_expansion(analysis, expanded)
        for found in expanded.expansion.source_map.expanded(MAIN, offset):
            yield Occasion(reading, found)


def expanded_again(analysis: Analysis, text: str) -> list[Expansion]:
    """Return the expansions of another state of a text, in the order of those of the analysis.

    That order may have another context first than the settings.
    """
    made = expand(analysis.isa.surface, text, analysis.source.path, analysis.settings)
    contexts = [each.expansion.context for each in analysis.expanded]
    places = {context: number for number, context in enumerate(contexts)}
    return sorted(made, key=lambda each: places.get(each.context, len(places)))


def skeleton_reading(analysis: Analysis) -> Reading:
    """Return the reading that has blanks for tags and a word for each output."""
    source = analysis.source
    lines = source.lines
    skeleton = SourceFile(analysis.program.text, source.path, lines)
    return Reading(Analysis(skeleton, analysis.program, analysis.isa, ()), None, "", True)


def _in_expansion(analysis: Analysis, expanded: Expanded) -> Reading:
    source_map, plain = expanded.expansion.source_map, expanded.analysis
    lines = _WrittenLines(source_map, analysis.source.lines)
    source = SourceFile(plain.text, analysis.source.path, lines)
    found = Analysis(source, lambda: plain.program, plain.isa, plain.diagnostics)
    expansion = expanded.expansion
    return Reading(found, source_map, expansion.context, expansion.is_partial)


class _WrittenLines(LineIndex):
    """The written lines of an expansion: its positions are those in the written text."""

    __slots__ = ("_lines", "_source_map")

    def __init__(self, source_map: SourceMap, lines: LineIndex) -> None:
        super().__init__(lines.starts, lines.length)
        self._source_map = source_map
        self._lines = lines

    def position(self, offset: int) -> Position:
        """Return the written line and column of an offset in the expansion."""
        place = self._source_map.written(Span(offset, offset))
        return self._lines.position(offset if place is None else place.span.start)


def written_edits(analysis: Analysis, edits: Sequence[TextEdit]) -> tuple[TextEdit, ...] | None:
    """Map edits of the first expansion to the template; None if expansions would differ.

    What they change is written there character by character and occurs once in each expansion, and
    the edited template expands to the edited expansions.
    """
    found = []
    reading = readings(analysis)[0]
    for edit in edits:
        span = reading.verbatim(edit.span)
        if span is None:
            return None
        found.append(TextEdit(span, edit.new_text))
    wanted = _expected(analysis, found)
    if wanted is None or wanted != expanded_texts(analysis, apply_edits(analysis.text, found)):
        return None
    return tuple(found)


def expanded_texts(analysis: Analysis, text: str) -> list[str]:
    """Return the expansions of another state of a template, in the same contexts."""
    return [each.text for each in expanded_again(analysis, text)]


def changes_comments_alone(analysis: Analysis, edit: TextEdit) -> bool:
    """Check whether an edit is outside of tags and keeps the words of each expansion."""
    start, end = edit.span
    tags = [tag.span for tag in tags_of(analysis.text)]
    if any(tag.start < start < tag.end or start < tag.start < end for tag in tags):
        return False
    texts = expanded_texts(analysis, apply_edits(analysis.text, [edit]))
    before = [_words(each.analysis.program) for each in analysis.expanded]
    return before == [_words(read_program(analysis.isa, text)) for text in texts]


def _words(program: Program) -> list[str]:
    return [word for bundle in program.bundles for word in bundle.syntax.words]


def _expected(analysis: Analysis, edits: Sequence[TextEdit]) -> list[str] | None:
    """Return the expansions with the edits; None if one of these occurs not once in each."""
    texts = []
    for expansion, _ in analysis.expanded:
        here = []
        for (start, end), new_text in edits:
            starts = expansion.source_map.expanded(MAIN, start)
            if len(starts) != 1:
                return None
            here.append(TextEdit(Span(starts[0], starts[0] + end - start), new_text))
        texts.append(apply_edits(expansion.text, sorted(here)))
    return texts
