"""Statements as the macro processor splits them: labels, a first word, and the rest.

What is between the words is not looked at, so a text that cannot be parsed can be expanded.
"""

from __future__ import annotations

import re
from typing import Iterator

from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple

_LINE_END = r"(?:\r\n|\n|\r)"
_BLANK = rf"(?:[ \t\f]|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|\\[ \t]*{_LINE_END})*"
_WORD = r"(?:[A-Za-z0-9_.$]|\\(?:@|\(\)|\+|[A-Za-z0-9_]))+"
_STRING = r"""(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^\\\r\n]|\\[^\r\n])')"""
_UNCLOSED = r'"[^\r\n]*'
_COMMENT = r"//[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)"
_HASH_LINE = rf"#(?:{_COMMENT}|\\[ \t]*{_LINE_END}|[^\r\n])*"


class Statement(NamedTuple):
    """A statement up to its `end`, without the character that ends it.

    `word` is its first word behind labels, or a line for the preprocessor. `rest` is what follows
    up to `rest_end`, with blanks for comments.
    """

    word_start: int
    word: str
    rest: str
    rest_end: int
    end: int

    @property
    def rest_start(self) -> int:
        """The offset of the first character of `rest`."""
        return self.rest_end - len(self.rest)


class StatementReader:
    """Reads the statements of texts in one surface syntax.

    In a set with brackets around bundles, `;` and the brackets end a statement as a line break
    does. In one with a preprocessor, a hash begins a comment anywhere; else only a line.
    """

    def __init__(self, surface: Surface) -> None:
        breaks = r"\r\n"
        if surface.brackets is not None:
            breaks += f"{surface.separator}{''.join(surface.brackets)}"
        comment = f"{_COMMENT}|{_HASH_LINE}" if surface.c_preprocessor else _COMMENT
        plain = rf'[^{breaks}"\'/#\\]+|\\[ \t]*{_LINE_END}|[^{breaks}]'
        self._statement = re.compile(
            rf"{_BLANK}(?:{_WORD}{_BLANK}:(?!=){_BLANK})*(?P<word>{_WORD}|{_HASH_LINE}|)"
            rf"(?P<rest>(?:{_STRING}|{comment}|{_UNCLOSED}|{plain})*)"
        )
        self._comment = re.compile(rf"{_STRING}|({comment}|\\[ \t]*{_LINE_END})")

    def matches(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        """Yield the match of each statement from an offset on, which is at the start of one."""
        match_at = self._statement.match
        while start < len(text):
            match = match_at(text, start)
            assert match is not None  # all its parts may be empty
            yield match
            # A line break of two characters ends a statement and then an empty one.
            start = match.end() + 1

    def statement(self, match: re.Match[str]) -> Statement:
        """Return the statement of a match."""
        rest = self._comment.sub(_blanked, match["rest"]).rstrip()
        blanks = len(rest) - len(rest.lstrip())
        rest_end = match.start("rest") + len(rest)
        return Statement(match.start("word"), match["word"], rest[blanks:], rest_end, match.end())


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0]) if match[1] else match[0]
