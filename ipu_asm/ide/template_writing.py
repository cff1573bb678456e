"""A rewritten expansion as text of its template: changed lines keep the tags of their words.

A line of the expansion is written out if it has a place of its own in the template, once in each
expansion, and no tag but outputs. What is written is right only if the edited template expands to
the rewritten text, which is checked.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import accumulate
from typing import Iterator, Mapping

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.flow.packing.layout import line_edits
from ipu_asm.flow.packing.pack import PackingError, packing_blocks
from ipu_asm.ide.expansions import expanded_texts
from ipu_asm.program.program import Program
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span, TextEdit, apply_edits, numbered

_STATEMENT = re.compile(r"\{[%#]")
_WORD = re.compile(r"[\w.]+")
_PART = re.compile(r"[^;:\s](?:[^;:\n]*[^;:\s])?")


class WrittenTemplate:
    """The template of an analysis whose contexts all give the same program."""

    def __init__(self, analysis: Analysis) -> None:
        """Raise `PackingError` if its contexts give different programs."""
        texts = {each.expansion.text for each in analysis.expanded}
        if len(texts) > 1:
            raise PackingError("the template gives another program in each of several contexts")
        self._analysis = analysis
        self._map = analysis.expanded[0].expansion.source_map
        self.program = analysis.effective_program
        lines = self.program.text.splitlines(keepends=True)
        self._starts = [0, *accumulate(map(len, lines))]

    @cached_property
    def lines(self) -> frozenset[int]:
        """The numbers of the lines, from 0, that are written out."""
        return frozenset(n for n in range(len(self._starts) - 1) if self._slice_of_line(n))

    @property
    def is_whole(self) -> bool:
        """Whether all blocks are written out."""
        return len(self.blocks()) == len(packing_blocks(self.program))

    def blocks(self) -> list[range]:
        """Return the basic blocks all of whose lines are written out."""
        program = self.program
        return [
            block
            for block in packing_blocks(program)
            if self.lines.issuperset(lines_of_block(program, block))
        ]

    def lines_of(self, block: range) -> str:
        """Return the written lines of a block, as `line 3` or `lines 3 to 5`."""
        lines = lines_of_block(self.program, block)
        found = [self._written_line(number) for number in (lines[0], lines[-1])]
        return numbered("line", found[0], found[1])

    def _written_line(self, number: int) -> int:
        start = self._starts[number]
        place = self._map.written(Span(start, start))
        offset = 0 if place is None else place.span.start
        return self._analysis.text.count("\n", 0, offset) + 1

    def written(self, text: str) -> str:
        """Return the template that expands to a text. Raises `PackingError` if that fails."""
        edits = []
        for edit in line_edits(self.program.text, text):
            place = self._place(edit.span)
            if place is None:
                raise PackingError("the template has no text of its own for what would change")
            lines = edit.new_text.splitlines(keepends=True)
            edits.append(TextEdit(place, "".join(map(self._with_tags, lines))))
        made = apply_edits(self._analysis.text, edits)
        if any(each != text for each in expanded_texts(self._analysis, made)):
            raise PackingError("the template has no text of its own for what would change")
        return made

    def _place(self, span: Span) -> Span | None:
        """Return the written range of whole lines of the expansion."""
        first = self._starts.index(span.start)
        last = self._starts.index(span.end) - 1
        if last < first:
            before = self._slice_of_line(first - 1) if first else Span(0, 0)
            return None if before is None else Span(before.end, before.end)
        slices = [self._slice_of_line(number) for number in range(first, last + 1)]
        if slices[0] is None or slices[-1] is None or slices[-1].end < slices[0].start:
            return None
        return Span(slices[0].start, slices[-1].end)

    def _slice_of_line(self, number: int) -> Span | None:
        return self._slice(Span(self._starts[number], self._starts[number + 1]))

    def _slice(self, span: Span) -> Span | None:
        """Return where a span is written out; None if it is not, or more than once."""
        segments = self._map.segments_in(span)
        if any(each.written.path != MAIN for each in segments):
            return None
        first, last = segments[0], segments[-1]
        start, end = first.written.span.start, last.written.span.end
        start += span.start - first.start if first.is_verbatim else 0
        end -= last.end - span.end if last.is_verbatim else 0
        places = self._map.expanded(MAIN, start)
        is_whole = first.is_verbatim or first.start == span.start
        if end < start or len(places) != 1 or not is_whole:
            return None
        return None if _STATEMENT.search(self._analysis.text[start:end]) else Span(start, end)

    def _with_tags(self, line: str) -> str:
        """Return a line of a rewritten program with the tags that its words are written with."""
        comment = self.program.isa.surface.comments[0]
        code, mark, rest = line.partition(comment)
        parts = self._parts
        code = _PART.sub(lambda found: parts.get(found[0]) or self._with_words(found[0]), code)
        if mark and (mark + rest).strip() in self._remarks:
            remark = (mark + rest).strip()
            rest = (mark + rest).replace(remark, self._remarks[remark])
            return code + rest
        return code + mark + rest

    def _with_words(self, text: str) -> str:
        words = self._words
        return _WORD.sub(lambda found: words.get(found[0].lower(), found[0]), text)

    @cached_property
    def _parts(self) -> Mapping[str, str]:
        """The instructions of the expansion as they are written."""
        found: dict[str, str] = {}
        for span in self._instructions():
            place = self._slice(span)
            if place is not None:
                text = self.program.text[span.start : span.end]
                found.setdefault(text, self._analysis.text[place.start : place.end])
        return found

    def _instructions(self) -> Iterator[Span]:
        for number in self.program.bundle_at_address:
            bundle = self.program.bundles[number]
            for nth in range(len(bundle.instructions)):
                yield self.program.span(number, bundle.syntax.instruction_span(nth))

    @cached_property
    def _words(self) -> Mapping[str, str]:
        """The tags of words that are written with one tag alone."""
        tags: dict[str, set[str]] = {}
        for segment in self._map.segments:
            word = self.program.text[segment.start : segment.end]
            written = self._analysis.text[slice(*segment.written.span)]
            is_tag = not segment.is_verbatim and written.startswith("{{")
            if segment.written.path == MAIN and is_tag and _WORD.fullmatch(word):
                tags.setdefault(word.lower(), set()).add(written)
        return {word: min(found) for word, found in tags.items() if not word.isdigit()}

    @cached_property
    def _remarks(self) -> Mapping[str, str]:
        """The comments of the expansion that are written with tags."""
        comment = self.program.isa.surface.comments[0]
        found: dict[str, str] = {}
        for number, start in enumerate(self._starts[:-1]):
            line = self.program.text[start : self._starts[number + 1]]
            place = line.find(comment)
            if place >= 0:
                remark = line[place:].rstrip()
                written = self._slice(Span(start + place, start + place + len(remark)))
                if written is not None:
                    found[remark] = self._analysis.text[written.start : written.end]
        return found


def lines_of_block(program: Program, block: range) -> range:
    """Return the numbers of the lines, from 0, on which a block is written, its label included."""
    first, last = (program.bundle_at_address[block[place]] for place in (0, -1))
    label = program.bundles[first].label
    start = program.span(first, program.bundles[first].syntax.instruction_span(0)).start
    start = start if label is None else program.label_span(label).start
    end = program.span(last, program.bundles[last].syntax.spans[-1]).end
    text = program.text
    return range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)


def blocks_of_lines(program: Program, source: Program, lines: frozenset[int]) -> set[int]:
    """Return the first addresses of the blocks of a rewritten program that only some lines have.

    These are `lines` of the source, and those that the source does not have.
    """
    allowed: set[int] = set()
    old_place = new_place = 0
    for edit in [*line_edits(source.text, program.text), None]:
        start = len(source.text) if edit is None else edit.span.start
        kept = source.text[old_place:start].count("\n") + (edit is None)
        first = source.text.count("\n", 0, old_place)
        allowed |= {new_place + n for n in range(kept) if first + n in lines}
        new_place += kept
        if edit is not None:
            count = edit.new_text.count("\n")
            allowed |= set(range(new_place, new_place + count))
            new_place += count
            old_place = edit.span.end
    return {
        block.start
        for block in packing_blocks(program)
        if allowed.issuperset(lines_of_block(program, block))
    }
