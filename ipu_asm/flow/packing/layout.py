"""The text of a block whose instructions are in other bundles: the author's layout and comments.

A comment after an instruction stays after it, and one above it stays above it. Between two
instructions that stay neighbours, the text is as it was.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.packing.operations import Operation
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit

Place = tuple[int, int]
"""The address of a bundle, and the number of an instruction in it."""

_INDENT = "    "
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class _Piece(NamedTuple):
    """An instruction as written.

    `lead` are the lines of comments and blanks above it, `indent` the blanks before it if it begins
    a line, `trail` the blanks and the comments after it.
    """

    place: Place
    text: str
    lead: str
    indent: str | None
    trail: str


class _Style(NamedTuple):
    """How the author sets bundles: line breaks inside and between them, an empty line between."""

    breaks_inside: bool
    breaks_between: bool
    empty_line: bool
    indent: str
    line_break: str


def block_edit(
    program: Program,
    addresses: range,
    bundles: Sequence[Sequence[Operation]],
    texts: Mapping[Place, str],
) -> TextEdit:
    """Return the edit that writes a block in other bundles.

    `texts` has the instructions that are written differently.
    """
    source = _Source(program, addresses, texts)
    written = [[source.pieces[each.address, each.number] for each in bundle] for bundle in bundles]
    source.keep_remarks({piece.place for bundle in written for piece in bundle})
    written = [[source.pieces[piece.place] for piece in bundle] for bundle in written]
    return TextEdit(source.span, _Writer(source).text(written))


def bundles_text(
    program: Program, addresses: range, bundles: Sequence[Sequence[Operation | str]], comment: str
) -> str:
    """Return lines below a comment in a block's style: copies of its instructions, and others."""
    source = _Source(program, addresses, {})
    style, surface = source.style, program.isa.surface
    inside = f"{surface.separator}{style.line_break}{style.indent}"
    gap = inside if style.breaks_inside else f"{surface.separator} "
    written = [
        gap.join(o if isinstance(o, str) else source.pieces[o.address, o.number].text for o in b)
        for b in bundles
    ]
    end = f"{surface.bundle_end}{style.line_break}" + style.line_break * style.empty_line
    first = f"{style.indent}{surface.comments[0]} {comment}{style.line_break}"
    return first + "".join(f"{style.indent}{text}{end}" for text in written)


class _Source:
    """The pieces of a block and the text between them."""

    def __init__(self, program: Program, addresses: range, texts: Mapping[Place, str]) -> None:
        self._program = program
        self.places = [
            (address, number)
            for address in addresses
            for number in range(len(_bundle(program, address).instructions))
        ]
        self.spans = {place: _span(program, place) for place in self.places}
        end = _end_of_block(program, addresses)
        self.span = Span(self.spans[self.places[0]].start, end)
        self.pieces: dict[Place, _Piece] = {}
        self.gaps: dict[tuple[Place, Place], str] = {}
        text = program.text
        lead, indent = "", _indent_before(text, self.span.start)
        for place, following in zip(self.places, [*self.places[1:], None]):
            start, stop = self.spans[place]
            until = end if following is None else self.spans[following].start
            remarks = _without_marks(program, place, following, Span(stop, until))
            trail, next_lead, next_indent = _divided(remarks, text, stop)
            written = texts.get(place, text[start:stop])
            self.pieces[place] = _Piece(place, written, lead, indent, trail)
            if following is not None:
                self.gaps[place, following] = text[stop:until]
            lead, indent = next_lead, next_indent
        self.style = self._style(program)

    def keep_remarks(self, kept: set[Place]) -> None:
        """Give the comments of instructions that are left out to the next one that is not."""
        remarks = ""
        last = None
        for place in self.places:
            piece = self.pieces[place]
            own = _as_lines(piece, self.style)
            if place not in kept:
                remarks += own
            else:
                if remarks:
                    self.pieces[place] = piece._replace(lead=remarks + piece.lead)
                    remarks, last = "", None
                last = place
        if remarks and last is not None:
            piece = self.pieces[last]
            end = self.style.line_break + remarks.rstrip("\r\n")
            self.pieces[last] = piece._replace(trail=piece.trail + end)

    def _style(self, program: Program) -> _Style:
        inside, between, empty = _counts(self.gaps)
        if not sum(inside):
            inside = _inside_all(program)
        indents = [piece.indent for piece in self.pieces.values() if piece.indent is not None]
        return _Style(
            inside[True] >= inside[False] if sum(inside) else False,
            between[True] >= between[False],
            empty[True] > empty[False],
            max(indents, key=indents.count) if indents else _INDENT,
            "\r\n" if "\r\n" in program.text else "\n",
        )


class _Writer:
    """Writes bundles of pieces in the style of their block."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._style = source.style
        surface = source._program.isa.surface
        self._separator, self._end = surface.separator, surface.bundle_end

    def text(self, bundles: Sequence[Sequence[_Piece]]) -> str:
        first = bundles[0][0]
        parts = [self._opening(first)]
        last: _Piece | None = None
        for bundle in bundles:
            if last is not None:
                parts.append(self._gap(last, bundle[0], self._end))
            parts.append(bundle[0].text)
            for piece, following in pairwise(bundle):
                parts += (self._gap(piece, following, self._separator), following.text)
            last = bundle[-1]
        assert last is not None
        return "".join([*parts, self._end, _beside(last, self._end)])

    def _opening(self, first: _Piece) -> str:
        """Return what stands before the block's first instruction, after the label."""
        comments = _without_empty_lines(first.lead)
        if not comments:
            return ""
        indent = self._indent(first)
        begins_line = self._source.pieces[self._source.places[0]].indent is not None
        return (
            comments.lstrip(" \t") if begins_line else self._style.line_break + comments
        ) + indent

    def _gap(self, piece: _Piece, following: _Piece, mark: str) -> str:
        old = self._source.gaps.get((piece.place, following.place))
        is_first = following.place[1] == 0
        was_between = is_first and following.place != self._source.places[0]
        if old is not None and was_between == (mark == self._end):
            return old
        lead = following.lead
        if mark == self._separator or not was_between:
            lead = _without_empty_lines(lead)
            if mark == self._end and self._style.empty_line:
                lead = self._style.line_break + lead
        between = self._style.breaks_between if mark == self._end else self._style.breaks_inside
        if not (between or piece.trail or lead):
            return f"{mark} "
        return mark + _beside(piece, mark) + self._style.line_break + lead + self._indent(following)

    def _indent(self, piece: _Piece) -> str:
        return self._style.indent if piece.indent is None else piece.indent


def _beside(piece: _Piece, mark: str) -> str:
    """Return the comment after a piece and its mark, in the column in which it was."""
    comment = piece.trail.lstrip(" \t")
    if not comment or comment.startswith(("\r", "\n")):
        return comment
    return " " * max(1, len(piece.trail) - len(comment) - len(mark)) + comment


def _as_lines(piece: _Piece, style: _Style) -> str:
    indent = style.indent if piece.indent is None else piece.indent
    comment = piece.trail.strip()
    line = f"{indent}{comment}{style.line_break}" if comment else ""
    return _without_empty_lines(piece.lead) + line


def _without_empty_lines(lines: str) -> str:
    return "".join(line for line in _LINE.findall(lines) if line.strip())


def _bundle(program: Program, address: int) -> Bundle:
    return program.bundles[program.bundle_at_address[address]]


def _span(program: Program, place: Place) -> Span:
    number = program.bundle_at_address[place[0]]
    return program.span(number, program.bundles[number].syntax.instruction_span(place[1]))


def _indent_before(text: str, offset: int) -> str | None:
    """Return the blanks before an offset if nothing else is before it on its line."""
    ahead = text[text.rfind("\n", 0, offset) + 1 : offset]
    return None if ahead.strip(" \t") else ahead


def _end_of_block(program: Program, addresses: range) -> int:
    """Return the end of the block's last bundle, or of the comment after it on its line."""
    number = program.bundle_at_address[addresses[-1]]
    syntax = program.bundles[number].syntax
    end = program.span(number, syntax.spans[-1]).end
    rest = re.compile(r"[ \t]*").match(program.text, end)
    assert rest is not None
    comment = syntax.grammar.comment.match(program.text, rest.end())
    return end if comment is None else comment.end()


def _without_marks(program: Program, place: Place, following: Place | None, gap: Span) -> str:
    """Return the text of a gap without separators and end marks: blanks and comments."""
    number = program.bundle_at_address[place[0]]
    marks = [
        program.span(number, span)
        for span in _bundle(program, place[0]).syntax.spans
        if program.starts[number] + span.start >= gap.start
    ]
    position, parts = gap.start, []
    for mark in marks:
        if mark.start >= gap.end or (following is not None and mark.end > gap.end):
            break
        parts.append(program.text[position : mark.start] + " " * (mark.end - mark.start))
        position = mark.end
    return "".join([*parts, program.text[position : gap.end]])


def _divided(remarks: str, text: str, offset: int) -> tuple[str, str, str | None]:
    """Divide the text after an instruction into its trail, and the next one's lead and indent."""
    lines = _LINE.findall(remarks)
    if not lines or not lines[0].endswith("\n"):
        comment = remarks.rstrip()
        return comment, "", None
    trail = lines[0].rstrip()
    rest = lines[1:]
    indent = rest.pop() if rest and not rest[-1].endswith("\n") else ""
    column = offset - text.rfind("\n", 0, offset) - 1 + len(trail) - len(trail.lstrip())
    while trail and rest and _is_comment_in(rest[0], column):
        trail += "\n" + rest.pop(0).rstrip()
    return trail, "".join(rest), indent


def _is_comment_in(line: str, column: int) -> bool:
    """Whether a line is a comment that begins in the column of the one above, and so goes on."""
    stripped = line.strip()
    return bool(stripped) and len(line) - len(line.lstrip()) == column


def _counts(gaps: Mapping[tuple[Place, Place], str]) -> tuple[list[int], list[int], list[int]]:
    """Count the gaps without and with a line break, in and between bundles, and empty lines."""
    inside, between, empty = [0, 0], [0, 0], [0, 0]
    for (_, following), gap in gaps.items():
        if following[1]:
            inside["\n" in gap] += 1
        else:
            between["\n" in gap] += 1
            empty[any(not line.strip() for line in gap.split("\n")[1:-1])] += 1
    return inside, between, empty


def _inside_all(program: Program) -> list[int]:
    """Count the gaps inside all bundles of a program without and with a line break."""
    found = [0, 0]
    for number in program.bundle_at_address:
        without, with_break = _breaks_inside(program.isa, program.bundles[number])
        found[0] += without
        found[1] += with_break
    return found


@cached_on_bundle
def _breaks_inside(_isa: Isa, bundle: Bundle) -> tuple[int, int]:
    spans = [bundle.syntax.instruction_span(n) for n in range(len(bundle.instructions))]
    gaps = [bundle.syntax.text[a.end : b.start] for a, b in pairwise(spans)]
    with_break = sum("\n" in gap for gap in gaps)
    return len(gaps) - with_break, with_break


def line_edits(old: str, new: str) -> Iterator[TextEdit]:
    """Yield edits of whole lines that turn one text into another."""
    one, other = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, one))]
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    for kind, first, end, new_first, new_end in matcher.get_opcodes():
        if kind != "equal":
            yield TextEdit(Span(starts[first], starts[end]), "".join(other[new_first:new_end]))
