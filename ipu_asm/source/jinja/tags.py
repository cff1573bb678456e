"""The tags of a template, read without rendering it, so that a broken or unfinished one has some.

An unfinished tag ends where the next one begins, or with its line.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, Iterator

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span


class TagKind(Enum):
    """What a tag does; the value is its opening mark."""

    STATEMENT = "{%"
    OUTPUT = "{{"
    COMMENT = "{#"


class Tag(NamedTuple):
    """A tag with its marks; `body` is what is between them, without the signs of trimming."""

    kind: TagKind
    span: Span
    body: Span
    is_closed: bool

    def has_inside(self, offset: int) -> bool:
        """Check whether a cursor is between the marks; in an unfinished tag also at its end."""
        return self.body.start <= offset <= self.body.end


class WordKind(Enum):
    """The kind of a word in a tag."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    OPERATOR = "operator"


class TagWord(NamedTuple):
    """A word in a statement or an output."""

    kind: WordKind
    span: Span
    text: str


_OPENING: Final = re.compile(r"\{[{%#]")
_CLOSING: Final = {TagKind.STATEMENT: "%}", TagKind.OUTPUT: "}}", TagKind.COMMENT: "#}"}
_STRING: Final = r'"(?:\\.|[^"\\\r\n])*"' + r"|'(?:\\.|[^'\\\r\n])*'"
_PIECE: Final = re.compile(rf"{_STRING}|%\}}|\}}\}}|\{{[{{%#]|[\[\](){{}}]")
_END_OF_UNFINISHED: Final = re.compile(r"[\r\n]|\{[{%#]")
_RAW: Final = re.compile(r"[-+]?\s*raw\b")
_END_OF_RAW: Final = re.compile(r"\{%[-+]?\s*endraw\b")
_WORD: Final = re.compile(
    rf"(?P<string>{_STRING})|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)"
    r"|(?P<operator>\*\*|//|[=!<>]=|[^\s\w])"
)


def tags_of(text: str) -> list[Tag]:
    """Return the tags of a text in source order; they do not overlap."""
    found: list[Tag] = []
    at = 0
    last_comment_end = text.rfind("#}")
    while (opening := _OPENING.search(text, at)) is not None:
        tag = _tag_at(text, opening.start(), last_comment_end)
        found.append(tag)
        at = tag.span.end
        if tag.kind is TagKind.STATEMENT and _RAW.match(text, opening.end()):
            end = _END_OF_RAW.search(text, at)
            at = end.start() if end else len(text)
    return found


def tag_words(text: str, tag: Tag) -> Iterator[TagWord]:
    """Yield the words of a statement or an output; a comment has none."""
    if tag.kind is not TagKind.COMMENT:
        for match in _WORD.finditer(text, *tag.body):
            yield TagWord(WordKind(match.lastgroup), Span(*match.span()), match[0])


def _tag_at(text: str, start: int, last_comment_end: int) -> Tag:
    kind = TagKind(text[start : start + 2])
    begin, mark = start + 2, _CLOSING[kind]
    if kind is not TagKind.COMMENT:
        end = _end_of_code(text, begin, mark)
    else:
        end = text.find(mark, begin) if begin <= last_comment_end else -1
    if end < 0:
        limit = _END_OF_UNFINISHED.search(text, begin)
        stop = limit.start() if limit else len(text)
        return Tag(kind, Span(start, stop), Span(begin, stop), False)
    body_start = begin + (text[begin] in "-+" and begin < end)
    body_end = end - (text[end - 1] in "-+" and end - 1 >= body_start)
    return Tag(kind, Span(start, end + 2), Span(body_start, body_end), True)


def _end_of_code(text: str, begin: int, mark: str) -> int:
    """Return the offset of the closing mark of a statement or an output, -1 if it is unfinished.

    As in Jinja, a mark inside brackets does not count, and brackets inside strings do not.
    """
    brackets = 0
    for piece in _PIECE.finditer(text, begin):
        found = piece[0]
        if found == mark and not brackets:
            return piece.start()
        if found == "}}" and brackets:
            brackets -= min(brackets, 2)
        elif found in ("{{", "{%", "{#"):
            return -1
        elif found in "[({":
            brackets += 1
        elif found in "])}":
            brackets = max(brackets - 1, 0)
    return -1
