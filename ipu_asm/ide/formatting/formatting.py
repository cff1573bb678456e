"""A tidy text: columns for mnemonics and operands, comments where they belong, the words untouched.

The same text comes out of formatting it again, and it assembles to the same words. A comment that
silences the linter stays on the line of what it silences.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, Iterator, NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide.comments import comments_in
from ipu_asm.ide.formatting.bundle_layout import (
    INDENT,
    KEEP,
    LINE_BREAK,
    STYLES,
    Layout,
    Row,
    lay_out,
)
from ipu_asm.ide.formatting.gap_layout import lay_out_gaps
from ipu_asm.ide.formatting.line_layout import lay_out_line
from ipu_asm.isa.model import Isa
from ipu_asm.lint.directives import directives_of
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span, TextEdit, changed_stretch

if TYPE_CHECKING:
    from ipu_asm.analysis.analyzer import Analysis

__all__ = ["KEEP", "STYLES", "BundleEdits", "Desk", "bundle_edits", "desk_for", "formatting"]

_BYTE_ORDER_MARK = "\ufeff"


class Desk(NamedTuple):
    """What is to be tidied, and how. `pinned` has the slices on whose lines the linter is silenced:
    in them no line break comes or goes. `is_whole` tells whether the last line is ended, too.
    """

    program: Program
    style: str
    line_break: str
    pinned: frozenset[int]
    is_whole: bool = True


class BundleEdits(NamedTuple):
    """The edits of one slice: in the rest of the line of the bundle before it, and of its own."""

    tail: TextEdit | None
    body: TextEdit | None


def formatting(analysis: Analysis, style: str = KEEP, span: Span | None = None) -> list[TextEdit]:
    """The edits that tidy a text, or the bundles of it that a span touches."""
    program, desk = analysis.program, desk_for(analysis, style)
    first, last = 0, len(program.bundles) - 1
    if span is not None:
        first, last = _touched(program, span)
    edits = []
    for number in range(first, min(last + 2, len(program.bundles))):
        found = bundle_edits(desk, number)
        edits += [found.tail if number > first else None, found.body if number <= last else None]
    return [edit for edit in edits if edit is not None]


def desk_for(analysis: Analysis, style: str, is_silenced: bool = True) -> Desk:
    """What there is to know before a text can be tidied; `is_silenced` if comments may silence."""
    text = analysis.program.text
    line_break = "\r\n" if "\r\n" in text else "\n"
    pinned = _pinned(analysis) if is_silenced else ()
    return Desk(analysis.program, style, line_break, frozenset(pinned))


def _pinned(analysis: Analysis) -> Iterator[int]:
    """The slices with words on the lines that comments for the linter are for."""
    program, source = analysis.program, analysis.source
    if "ipu:" not in program.text:
        return
    for directive in directives_of(program, source):
        if directive.line is not None:
            line = source.lines.line_span(directive.line)
            first, last = program.bundle_at(line.start), program.bundle_at(line.end)
            for number in range(first, last + 1):
                if _has_words(program, number, line):
                    yield number


def _has_words(program: Program, number: int, line: Span) -> bool:
    start, end = line.shifted(-program.starts[number])
    return any(start <= span.start < end for span in program.bundles[number].syntax.spans)


def _touched(program: Program, span: Span) -> tuple[int, int]:
    """The first and the last slice of a span; a line of which it has nothing is not touched."""
    start, end = (max(0, min(offset, len(program.text))) for offset in sorted(span))
    if start < end and program.text[end - 1] in "\r\n":
        end -= 1
    first, last = (_slice_at(program, offset) for offset in (start, end))
    return first, last


def _slice_at(program: Program, offset: int) -> int:
    """The slice of an offset; what is left of the line behind an end mark belongs to its bundle."""
    number = program.bundle_at(offset)
    if not number or not program.isa.surface.bundle_end:
        return number
    syntax = program.bundles[number].syntax
    first = syntax.spans[0].start if syntax.spans else len(syntax.text)
    offset -= program.starts[number]
    return number if offset >= first or LINE_BREAK.search(syntax.text, 0, offset) else number - 1


def bundle_edits(desk: Desk, number: int) -> BundleEdits:
    """The edits that tidy one slice; none if it is tidy, or would not say the same any more."""
    program = desk.program
    bundle, start = program.bundles[number], program.starts[number]
    old = bundle.syntax.text
    new = _laid_out(desk, number)
    if new == old or not _says_the_same(program.isa, bundle, new, number in desk.pinned):
        return BundleEdits(None, None)
    if not start and new.startswith(_BYTE_ORDER_MARK):
        return BundleEdits(None, None)
    cut, new_cut = (_end_of_line(text) if number else 0 for text in (old, new))
    if not program.isa.surface.bundle_end or old[:cut].strip() != new[:new_cut].strip():
        cut = new_cut = 0
    return BundleEdits(
        _edit(start, old[:cut], new[:new_cut]), _edit(start + cut, old[cut:], new[new_cut:])
    )


def _end_of_line(text: str) -> int:
    found = LINE_BREAK.search(text)
    return found.start() if found else 0


def _edit(offset: int, old: str, new: str) -> TextEdit | None:
    """The edit of a stretch, without what it leaves as it is at both ends."""
    if old == new:
        return None
    start, old_end, new_end = changed_stretch(old, new)
    return TextEdit(Span(offset + start, offset + old_end), new[start:new_end])


def _laid_out(desk: Desk, number: int) -> str:
    """A slice as it should be. All but the first begin behind an end mark."""
    program = desk.program
    isa, bundle = program.isa, program.bundles[number]
    if isa.surface.preprocessed or (isa.surface.separator and not isa.surface.bundle_end):
        return lay_out_gaps(program, number)
    if not isa.surface.bundle_end:
        return lay_out_line(isa, bundle)
    layout = _layout(desk, number)
    rows = layout.rows
    lines = list[str]()
    if number:
        before = _layout(desk, number - 1).rows[-1]
        if layout.tail and before.comment:
            if number - 1 in desk.pinned:
                return bundle.syntax.text
            # That line has a comment already.
            layout, rows = layout._replace(tail=""), (Row(INDENT, layout.tail), *rows)
        lines.append(_tail(desk, number, before, layout.tail))
    elif layout.tail:
        ahead = INDENT if bundle.syntax.text[0].isspace() else ""
        rows = (Row(ahead, layout.tail), *rows)
    for row in rows:
        if row.is_apart and lines:
            lines.append("")
        lines.append(row.text())
    if lines and desk.is_whole and number == len(program.bundles) - 1:
        lines.append("")
    return desk.line_break.join(lines)


def _tail(desk: Desk, number: int, before: Row, comment: str) -> str:
    """What stands behind the end mark of the bundle before, which ends on a line like `before`."""
    syntax = desk.program.bundles[number - 1].syntax
    first = syntax.spans[_tokens(syntax)[0]].start
    is_alone = number == 1 or LINE_BREAK.search(syntax.text, 0, first)
    if number - 1 in desk.pinned and not is_alone:
        # Two bundles on a line stay as they are.
        return LINE_BREAK.split(desk.program.bundles[number].syntax.text)[0].rstrip()
    return before._replace(comment=comment).text()[len(before.code) :] if comment else ""


def _layout(desk: Desk, number: int) -> Layout:
    style = KEEP if number in desk.pinned else desk.style
    return lay_out(desk.program.isa, desk.program.bundles[number], style)


def _says_the_same(isa: Isa, bundle: Bundle, new: str, is_pinned: bool) -> bool:
    """Whether a slice still has its words and comments; where it is pinned, on the same lines."""
    old, tidy = bundle.syntax, BundleSyntax(bundle.syntax.grammar, new)
    if _content(isa, old) != _content(isa, tidy):
        return False
    return not is_pinned or _breaks(isa, old) == _breaks(isa, tidy)


def _content(isa: Isa, syntax: BundleSyntax) -> tuple[list[str], list[str]]:
    """Words and comments, without separators that separate nothing."""
    words = [syntax.words[number] for number in _tokens(syntax)]
    return words, [syntax.text[a:b].rstrip() for a, b in comments_in(isa, syntax)]


def _breaks(isa: Isa, syntax: BundleSyntax) -> list[bool]:
    """Before which words and comments a line ends."""
    spans = sorted(chain((syntax.spans[n] for n in _tokens(syntax)), comments_in(isa, syntax)))
    ends = [0, *(span.end for span in spans)]
    gaps = zip(ends, spans)
    return [bool(LINE_BREAK.search(syntax.text, end, span.start)) for end, span in gaps]


def _tokens(syntax: BundleSyntax) -> list[int]:
    """The tokens but for separators in front of an end mark."""
    kinds = [token.kind for token in syntax.tokens]
    following = pairwise((*kinds, ""))
    return [number for number, pair in enumerate(following) if pair != ("SEPARATOR", "END")]
