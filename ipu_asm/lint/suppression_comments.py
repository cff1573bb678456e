"""Finds suppression comments in a text and makes the edits that remove them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Callable, Iterator, Sequence

from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.source.templates import skeleton
from ipu_asm.text import SourceFile, Span, TextEdit

_SUPPRESSION = re.compile(
    r"ipu:[ \t]*(?P<word>ignore(?:-file)?)(?![\w-])"
    r"(?:[ \t]*\[(?P<list>[^\[\]\r\n]*)(?P<end>\])?)?"
)
# What may have been meant as one: another word before a list, or no colon. Prose has no list.
_MISSPELT = re.compile(
    r"[iI][pP][uU](?:[ \t]*:[ \t]*(?P<word>[A-Za-z][\w-]*)"
    r"|[ \t]*[;.,=-]?[ \t]*(?P<bare>ignore(?:-file)?))"
    r"(?=[ \t]*\[[^\[\]\r\n]*\])"
)
_WORDS = Vocabulary(("ignore", "ignore-file"))
_NAME = re.compile(r"[^\s,]+")
_WHITE_SPACE = re.compile(r"\s*")
_BLANKS = " \t"
# Lines of the C preprocessor: code, though they begin as a comment may.
_DIRECTIVE = re.compile(r"#[ \t]*(?:define|undef|if|el|endif|include)")
_TEMPLATE_COMMENT, _TEMPLATE_COMMENT_END = "{#", "#}"


class SuppressionComment(NamedTuple):
    """One suppression comment.

    `word` is `ignore` or `ignore-file`. `span` reaches from ``ipu:`` to the end of the list,
    `comment` from the comment mark to the end of the reason. `names` are the items of the list;
    None if there is no list. `own_line` is the 0-based line of the comment, `line` the one to which
    it applies, None for `ignore-file`, of which `at_top` is true above the first
    bundle.
    """

    word: str
    span: Span
    comment: Span
    names: tuple[Span, ...] | None
    own_line: int
    line: int | None
    at_top: bool


def suppression_comments(program: Program, source: SourceFile) -> list[SuppressionComment]:
    """All suppression comments of a program, in source order."""
    marks = program.isa.surface.comments
    reader = _CommentReader(source, source.text, program.isa.surface, lambda: _first_token(program))
    return [
        reader.comment(match, start) for match, start in _matches(_SUPPRESSION, program.text, marks)
    ]


def written_comments(
    source: SourceFile, surface: Surface, program: Callable[[], Program] | None
) -> list[SuppressionComment]:
    """All suppression comments of a source that is expanded, in source order.

    They are in comments of templates, too. `program` returns that of the written text; None for a
    header, in which `ignore-file` may be anywhere.
    """

    def top() -> int:
        return len(text) + 1 if program is None else _first_token(program())

    text, marks = source.text, comment_marks(surface)
    layout = skeleton(text) if surface.templates else text
    reader = _CommentReader(source, layout, surface, top)
    return [reader.comment(match, start) for match, start in _matches(_SUPPRESSION, text, marks)]


def comment_marks(surface: Surface) -> tuple[str, ...]:
    """Return the marks of comments in a source, those of its template included."""
    return (_TEMPLATE_COMMENT, *surface.comments) if surface.templates else surface.comments


def misspelt_comments(text: str, marks: Sequence[str]) -> Iterator[tuple[Span, str]]:
    """Yield the place of each comment that is nearly a suppression, and what was meant.

    `marks` are those of comments.
    """
    for match, _ in _matches(_MISSPELT, text, marks):
        found = match["word"] or match["bare"]
        meant = _WORDS.nearest(found.replace("_", "-"))
        if meant is not None and match[0] != f"ipu: {meant}" and not _SUPPRESSION.match(match[0]):
            yield Span(*match.span()), f"ipu: {meant}"


def comment_removal(comment: SuppressionComment, text: str) -> TextEdit:
    """The edit that removes a comment: with the blanks before it, or with its line if alone."""
    start, end = comment.comment
    while start and text[start - 1] in _BLANKS:
        start -= 1
    if start and text[start - 1] not in "\r\n":
        return TextEdit(Span(start, end), "")
    for line_break in ("\r\n", "\n", "\r"):
        if text.startswith(line_break, end):
            return TextEdit(Span(start, end + len(line_break)), "")
    return TextEdit(Span(start, end), "")


def name_removal(names: Sequence[Span], number: int, is_first: bool) -> TextEdit:
    """The edit that removes one name from a list that keeps others.

    `is_first`: no name before it is kept. Edits for several names do not overlap.
    """
    if is_first:
        return TextEdit(Span(names[number].start, names[number + 1].start), "")
    return TextEdit(Span(names[number - 1].end, names[number].end), "")


def _matches(
    pattern: re.Pattern[str], text: str, marks: Sequence[str]
) -> Iterator[tuple[re.Match[str], int]]:
    """Each match of a pattern that follows a comment mark, with the offset of that mark."""
    for match in pattern.finditer(text):
        before = match.start()
        while before and text[before - 1] in _BLANKS:
            before -= 1
        mark = next((mark for mark in marks if text.endswith(mark, 0, before)), None)
        if mark is not None:
            start = before - len(mark)
            while start and text[start - 1] in mark:  # as in `///` and `##`
                start -= 1
            yield match, start


class _CommentReader:
    """Makes suppression comments from matches; remembers lines, so that many cost linear time."""

    def __init__(
        self, source: SourceFile, layout: str, surface: Surface, top: Callable[[], int]
    ) -> None:
        self._source = source
        # Of the same length: without the tags of a template.
        self._layout = layout
        self._marks = surface.comments
        self._has_directives = surface.c_preprocessor
        self._top = top
        self._comment_end = 0
        self._target_of: dict[int, int] = {}
        self._first_characters: dict[int, int] = {}

    def comment(self, match: re.Match[str], start: int) -> SuppressionComment:
        """The comment of a match whose mark is at `start`. Matches must come in source order."""
        names = None
        if match["end"]:
            at = match.start("list")
            names = tuple(Span(at + n.start(), at + n.end()) for n in _NAME.finditer(match["list"]))
        own_line = self._source.lines.position(start).line
        if match.end() > self._comment_end:
            self._comment_end = self._end(match.end(), start)
        return SuppressionComment(
            match["word"],
            Span(*match.span()),
            Span(start, self._comment_end),
            names or None,
            own_line,
            self._target_line(own_line) if match["word"] == "ignore" else None,
            match["word"] != "ignore-file" or start < self._top(),
        )

    def _end(self, offset: int, start: int) -> int:
        text = self._source.text
        if text.startswith(_TEMPLATE_COMMENT, start):
            end = text.find(_TEMPLATE_COMMENT_END, offset)
            return end + len(_TEMPLATE_COMMENT_END) if end >= 0 else len(text)
        found = _end_of_comments(self._marks).search(text, offset)
        return found.start() if found else len(text)

    def _target_line(self, line: int) -> int:
        """The comment's line if it has code, else the next line that is not only comment."""
        if not self._is_comment(line):
            return line
        passed = []
        last = len(self._source.lines.starts) - 1
        while line < last and line not in self._target_of:
            passed.append(line)
            line += 1
            if not self._is_comment(line):
                break
        target = self._target_of.get(line, line)
        self._target_of.update(dict.fromkeys(passed, target))
        return target

    def _is_comment(self, line: int) -> bool:
        """Whether there is nothing but blanks and comments on a line."""
        first = self._first_character(line)
        if first == self._source.lines.line_span(line).end:
            return True
        if self._has_directives and _DIRECTIVE.match(self._layout, first):
            return False
        return self._layout.startswith(self._marks, first)

    def _first_character(self, line: int) -> int:
        """The offset of the first non-blank character of a line; its end if there is none."""
        first = self._first_characters.get(line)
        if first is None:
            start, end = self._source.lines.line_span(line)
            blanks = _WHITE_SPACE.match(self._layout, start, end)
            first = self._first_characters[line] = blanks.end() if blanks else start
        return first


@lru_cache(maxsize=16)
def _end_of_comments(marks: tuple[str, ...]) -> re.Pattern[str]:
    """Where a comment ends: with its line, or where another comment follows on it."""
    return re.compile(rf"[ \t](?:{'|'.join(map(re.escape, marks))})|[\r\n]|\Z")


def _first_token(program: Program) -> int:
    for number, bundle in enumerate(program.bundles):
        if bundle.syntax.words:
            return program.span(number, bundle.first_token).start
    return len(program.text) + 1
