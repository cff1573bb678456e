"""Comments for the linter, as they are written: ``# ipu: ignore[name, CODE] reason``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Iterator, NamedTuple, Sequence

from ipu_asm.program import Program
from ipu_asm.text import SourceFile, Span, TextEdit

_DIRECTIVE = re.compile(
    r"ipu:[ \t]*(?P<word>ignore(?:-file)?)(?![\w-])"
    r"(?:[ \t]*\[(?P<list>[^\[\]\r\n]*)(?P<end>\])?)?"
)
_NAME = re.compile(r"[^\s,]+")
_BLANKS = " \t"


class Directive(NamedTuple):
    """One such comment: what it says, where it is, and the 0-based line that it is for.

    `span` is what it says, `comment` all of it with its mark and reason. `names` are the parts of
    the list; None if there is no list. `line` is None for `ignore-file`. `at_top` tells whether it
    stands above the first bundle.
    """

    word: str
    span: Span
    comment: Span
    names: tuple[Span, ...] | None
    own_line: int
    line: int | None
    at_top: bool


def directives_of(program: Program, source: SourceFile) -> list[Directive]:
    """All comments for the linter, in their order."""
    matches = list(_matches(program.text, program.isa.surface.comments))
    top = _first_token(program) if matches else 0
    return [_directive(program, source, match, start, top) for match, start in matches]


def removal(directive: Directive, text: str) -> TextEdit:
    """The edit that takes a comment out, with the blanks before it or its line if it is alone."""
    start, end = directive.comment
    while start and text[start - 1] in _BLANKS:
        start -= 1
    if start and text[start - 1] not in "\r\n":
        return TextEdit(Span(start, end), "")
    for line_break in ("\r\n", "\n", "\r"):
        if text.startswith(line_break, end):
            return TextEdit(Span(start, end + len(line_break)), "")
    return TextEdit(Span(start, end), "")


def name_removal(names: Sequence[Span], number: int, unused: Sequence[bool]) -> TextEdit:
    """The edit that takes one name out of a list in which others stay.

    Edits for several unused names of a list do not overlap.
    """
    if all(unused[:number]):
        return TextEdit(Span(names[number].start, names[number + 1].start), "")
    return TextEdit(Span(names[number - 1].end, names[number].end), "")


def _matches(text: str, marks: Sequence[str]) -> Iterator[tuple[re.Match[str], int]]:
    """What reads like a directive behind a comment mark, and where that mark is."""
    for match in _DIRECTIVE.finditer(text):
        before = match.start()
        while before and text[before - 1] in _BLANKS:
            before -= 1
        mark = next((mark for mark in marks if text.endswith(mark, 0, before)), None)
        if mark is not None:
            start = before - len(mark)
            while start and text[start - 1] in mark:  # as in `///` and `##`
                start -= 1
            yield match, start


def _directive(
    program: Program, source: SourceFile, match: re.Match[str], start: int, top: int
) -> Directive:
    names = None
    if match["end"]:
        at = match.start("list")
        names = tuple(Span(at + n.start(), at + n.end()) for n in _NAME.finditer(match["list"]))
    own_line = source.lines.position(start).line
    end = _comment_end(program.isa.surface.comments).search(program.text, match.end())
    return Directive(
        match["word"],
        Span(*match.span()),
        Span(start, end.start() if end else len(program.text)),
        names or None,
        own_line,
        _line_meant(program, source, own_line, start) if match["word"] == "ignore" else None,
        start < top,
    )


@lru_cache(maxsize=16)
def _comment_end(marks: tuple[str, ...]) -> re.Pattern[str]:
    """Where a comment ends: with its line, or where another comment follows on it."""
    return re.compile(rf"[ \t](?:{'|'.join(map(re.escape, marks))})|[\r\n]|\Z")


def _first_token(program: Program) -> int:
    for number, bundle in enumerate(program.bundles):
        if bundle.syntax.words:
            return program.span(number, bundle.first_token).start
    return len(program.text) + 1


def _line_meant(program: Program, source: SourceFile, line: int, offset: int) -> int:
    """The comment's line if there is code on it, else the next line that is not all comment."""
    marks = program.isa.surface.comments
    before = source.text[source.lines.starts[line] : offset].strip()
    if before and not before.startswith(marks):
        return line
    last = len(source.lines.starts) - 1
    while line < last:
        line += 1
        following = source.line_text(line).strip()
        if following and not following.startswith(marks):
            break
    return line
