"""What edited lines of assembly become in a run that has read all other lines.

A line of assembly changes nothing for other lines. So its output can be made alone, with the macros
that were defined before it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from typing import Iterator, Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Deferred, NameUse
from ipu_asm.source.preprocessor.conditionals import LineRead
from ipu_asm.source.preprocessor.lines import FileLines, Line
from ipu_asm.source.preprocessor.memo import KnownOutput, output_at
from ipu_asm.source.preprocessor.mistakes import Budget, LimitExceeded
from ipu_asm.source.preprocessor.output import (
    MacroNames,
    Mention,
    Output,
    Piece,
    Positions,
    verbatim,
)
from ipu_asm.source.preprocessor.run import Run
from ipu_asm.source.preprocessor.tokens import Macro
from ipu_asm.source.source_map import Segment, SourceRange, cut
from ipu_asm.text import Span


class LineEdit(NamedTuple):
    """Lines of a file and those that take their place, which begin at an offset of their own."""

    old: Sequence[Line]
    new: Sequence[Line]
    place: int


class PreprocessedEdit(NamedTuple):
    """The text of lines after the preprocessor before and after an edit, and where it starts.

    `segments` are the segments of the new text, from offset 0 on. `tokens` is the number of tokens
    that macros made.
    """

    start: int
    old: str
    new: str
    segments: Sequence[Segment]
    uses: Sequence[NameUse] = ()
    tokens: int = 0


class WrittenLines:
    """The lines of a file that is not preprocessed."""

    def __init__(self, lines: FileLines) -> None:
        self._lines = lines

    def is_skipped(self, edit: LineEdit) -> bool:
        """Return False: all lines are assembled."""
        return False

    def is_within_limits(self, tokens: int, characters: int) -> bool:
        """Return True: nothing is made."""
        return True

    def edited(self, edit: LineEdit) -> PreprocessedEdit | None:
        old, new = ("".join(line.text for line in lines) for lines in (edit.old, edit.new))
        start = self._lines.range_of(edit.old[0], 0, 0).span.start
        outputs = [verbatim(line) for line in edit.new]
        segments = Deferred(lambda: _segments(outputs, _positions({}, self._lines, edit)))
        return PreprocessedEdit(start, old, new, segments)


class ReadLines:
    """The lines of a file that a run has read."""

    def __init__(self, run: Run, lines: FileLines) -> None:
        self._run = run
        self._lines = lines
        self._table: tuple[int, dict[str, Macro]] | None = None

    @cached_property
    def _reads(self) -> dict[Line, LineRead]:
        return {read.line: read for read in self._run.reads}

    @cached_property
    def _offsets(self) -> list[int]:
        return [0, *accumulate(len(piece.output.text) for piece in self._run.pieces)]

    def is_skipped(self, edit: LineEdit) -> bool:
        """Return whether a line is in a branch that is not taken, as the edited one is.

        Its line break is in the expansion, so several lines would have some in between.
        """
        lines = (*edit.old, *edit.new)
        read = self._reads.get(edit.old[0])
        is_one = len(lines) == 2 and all(
            line.text.find("\n") == len(line.text) - 1 for line in lines
        )
        return is_one and read is not None and read.defined is None

    def is_within_limits(self, tokens: int, characters: int) -> bool:
        """Return whether the limits allow for so much more."""
        return self._run.budget.is_within_limits(tokens, characters)

    def edited(self, edit: LineEdit) -> PreprocessedEdit | None:
        """Return the texts of lines; None if other lines are to be read again."""
        first = self._reads.get(edit.old[0])
        if first is None or first.defined is None:
            return None
        pieces = self._run.pieces[first.piece : first.piece + len(edit.old)]
        before = [piece.output for piece in pieces]
        if [each.parts[0].place.line for each in before if each.parts] != [*edit.old]:
            return None
        made = self._made(edit.new, first.defined)
        outputs = [each.output for each in made]
        if not made or not all(map(_is_self_contained, (*before, *outputs))):
            return None
        positions = _positions(self._run.files, self._lines, edit)
        mentions = [Mention(line, each.used) for line, each in zip(edit.new, outputs) if each.used]
        names = MacroNames(self._run.files, positions)
        return PreprocessedEdit(
            self._offsets[first.piece],
            "".join(output.text for output in before),
            "".join(output.text for output in outputs),
            Deferred(lambda: _segments(outputs, positions)),
            Deferred(lambda: names.uses_in(self._run.macros, mentions)),
            sum(each.cost for each in made),
        )

    def _made(self, lines: Sequence[Line], defined: int) -> Sequence[KnownOutput]:
        """Return the outputs of lines; none if one of them depends on other lines."""
        table = self._table_after(defined)
        try:
            made = [output_at(lines, at, table, Budget(0)) for at in range(len(lines))]
        except LimitExceeded:
            return ()
        return () if any(each.output.reads_on for each in made) else made

    def _table_after(self, defined: int) -> dict[str, Macro]:
        """Return the macros after a number of definitions; the last table is kept."""
        if self._table is None or self._table[0] != defined:
            # What a dynamic macro gives is not known here, and no line with one is edited.
            table = {
                name: Macro(name, None, (), dynamic=lambda token: "0") if macro.dynamic else macro
                for name, macro in self._run.first_table.items()
            }
            for name, macro in self._run.log[:defined]:
                if macro is None:
                    table.pop(name, None)
                else:
                    table[name] = macro
            self._table = defined, table
        return self._table[1]


class _PlacedLines(FileLines):
    """The lines of a file, and edited ones at an offset of their own."""

    def __init__(self, lines: FileLines, edit: LineEdit) -> None:
        self._lines = lines
        starts = accumulate((len(line.text) for line in edit.new), initial=edit.place)
        self._places = dict(zip(edit.new, starts, strict=False))

    def range_of(self, line: Line, start: int, end: int) -> SourceRange:
        at = self._places.get(line)
        if at is None:
            return self._lines.range_of(line, start, end)
        return SourceRange(self._lines.path, Span(at + start, at + end))


def _positions(files: Mapping[str, FileLines], lines: FileLines, edit: LineEdit) -> Positions:
    return Positions({**files, lines.path: _PlacedLines(lines, edit)})


def _segments(outputs: Sequence[Output], positions: Positions) -> Iterator[Segment]:
    """Yield the segments of outputs one after the other, without their last line break."""
    start, size = 0, sum(len(output.text) for output in outputs) - 1
    for output in outputs:
        for segment in positions.segments(Piece(output, None), start):
            if segment.start < size:
                yield cut(segment, segment.start, min(segment.end, size))
        start += len(output.text)


def _is_self_contained(output: Output) -> bool:
    """Return whether an output depends on one line alone, and begins with text as it is written."""
    if (
        output.lines != 1
        or output.mistakes
        or any(each and each.dynamic for each in output.used.values())
    ):
        return False
    return output.parts[0].is_verbatim and output.parts[0].origin is None
