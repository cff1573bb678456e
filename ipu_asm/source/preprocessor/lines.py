"""Logical lines of a file: units that hold a directive or a line of assembly.

A line continues after a line break in a block comment and after a backslash. Lines are objects
with an identity: positions inside the preprocessor are relative to a line, so that what is known
about a line outlives edits of others.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Iterator

from ipu_asm.source.source_map import SourceRange
from ipu_asm.text import Change, Span

_CONDITIONS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")
_INCLUDES = ("include", "include_next", "import")
_OTHERS = ("error", "warning", "pragma", "line", "ident", "sccs", "assert", "unassert")
DIRECTIVES = frozenset(("define", "undef", *_CONDITIONS, *_INCLUDES, *_OTHERS))
_WITH_NAMES = ("", "undef", *_CONDITIONS)

# Patterns of C's lexical structure, without groups.
LINE_BREAK = r"(?:\r\n|\n|\r)"
SPLICE = rf"\\[ \t]*{LINE_BREAK}"
BLOCK_COMMENT = r"/\*(?:[^*]|\*(?!/))*\*/"
BLOCK_COMMENT_OR_REST = r"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)"

_DIRECTIVE = re.compile(rf"(?:[ \t\f\v]|{BLOCK_COMMENT})*#[ \t]*([a-z_]+)\b")
_SPLICE = re.compile(SPLICE)
_STOP = re.compile(rf"""{SPLICE}|{LINE_BREAK}|//|/\*|"|'|\#""")
_PLAIN = re.compile(r"""[^\\/"'#\r\n]*#?[^\\/"'#\r\n]*\r?\n""")  # ends where its line break ends
_LITERAL = re.compile(r""""(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)'""")
_COMMENT_END = re.compile(rf"(?:{SPLICE}|[^\r\n\\]|\\)*")
_C_EXTENSIONS = frozenset((".hpp", ".hh", ".hxx", ".h++", ".cuh", ".c", ".cc", ".cpp", ".cxx"))
_C_WORD = re.compile(
    r"^[ \t]*(?:(?:typedef|struct|union|enum|extern|static|constexpr|namespace|template|class|using"
    r"|inline|const|unsigned|signed|void|int|char|float|double|auto|return)\s+[\w:*\"<]"
    r"|[a-z_0-9]+_t\s+\w)",
    re.MULTILINE,
)
_NAME = re.compile(r"[^\W\d]\w*")


class Line:
    """A logical line with its line break. `directive` is its word, empty for assembly."""

    __slots__ = ("__weakref__", "directive", "is_spliced", "memo", "names", "path", "text")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        match = _DIRECTIVE.match(text) if "#" in text else None
        self.directive = match[1] if match and match[1] in DIRECTIVES else ""
        self.names = frozenset(_NAME.findall(text) if self.directive in _WITH_NAMES else ())
        self.is_spliced = "\\" in text and _SPLICE.search(text) is not None
        self.memo: object = None

    @property
    def directive_span(self) -> Span:
        """The span of the directive's `#` and word in the line."""
        match = _DIRECTIVE.match(self.text)
        assert match is not None
        return Span(self.text.rindex("#", 0, match.start(1)), match.end(1))


class FileLines:
    """The lines of one state of a file; `path` is `MAIN` or the absolute path of a header."""

    def __init__(self, path: str, text: str, lines: list[Line]) -> None:
        self.path = path
        self.text = text
        self.lines = lines
        self.starts = [0, *accumulate(len(line.text) for line in lines)]

    @classmethod
    def of(cls, path: str, text: str) -> FileLines:
        return cls(path, text, lines_of(path, text))

    def after(self, text: str, change: Change) -> FileLines:
        """Return the lines after an edit; unchanged lines keep their objects."""
        first = max(0, bisect_right(self.starts, change.start) - 2)
        delta = change.new_end - change.old_end
        changed: list[Line] = []
        last = len(self.lines)
        for start, end in _cuts(text, self.starts[first]):
            changed.append(Line(self.path, text[start:end]))
            if end - delta >= change.old_end:
                place = bisect_left(self.starts, end - delta)
                if self.starts[place : place + 1] == [end - delta]:
                    last = place
                    break
        return FileLines(self.path, text, [*self.lines[:first], *changed, *self.lines[last:]])

    def range_of(self, line: Line, start: int, end: int) -> SourceRange:
        """Convert a range in a line to a range in the file."""
        at = self._start_of[line]
        return SourceRange(self.path, Span(at + start, at + end))

    def number_at(self, offset: int) -> int:
        """Return the number of the line that contains an offset; at the end, of the last one."""
        return max(0, min(bisect_right(self.starts, offset), len(self.lines)) - 1)

    def lines_above(self, line: Line, most: int) -> Iterator[Line]:
        """Yield up to `most` lines before a line, the nearest first."""
        number = bisect_right(self.starts, self._start_of[line]) - 1
        yield from reversed(self.lines[max(0, number - most) : number])

    @cached_property
    def is_assembly(self) -> bool:
        """Whether a header contains assembly besides directives, not C or C++."""
        if os.path.splitext(self.path)[1].lower() in _C_EXTENSIONS:
            return False
        return _C_WORD.search(self.text) is None

    @cached_property
    def _start_of(self) -> dict[Line, int]:
        return dict(zip(self.lines, self.starts, strict=False))


def lines_of(path: str, text: str) -> list[Line]:
    return [Line(path, text[start:end]) for start, end in _cuts(text, 0)]


def _cuts(text: str, position: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the logical lines of a text from a line start on."""
    while position < len(text):
        end = _end_of_line(text, position)
        yield position, end
        position = end


def _end_of_line(text: str, start: int) -> int:
    plain = _PLAIN.match(text, start)
    if plain is not None:
        return plain.end()
    directive = _DIRECTIVE.match(text, start)
    in_directive = directive is not None and directive[1] in DIRECTIVES
    position = start
    while (stop := _STOP.search(text, position)) is not None:
        position, mark = stop.end(), stop[0]
        if mark in ("\n", "\r\n", "\r"):
            return position
        if mark == "/*":
            closed = text.find("*/", position)
            position = len(text) if closed < 0 else closed + 2
        elif mark == "//" or (mark == "#" and not in_directive):
            position = _comment_end(text, position)
        elif mark in "\"'":
            literal = _LITERAL.match(text, stop.start())
            position = literal.end() if literal else position
    return len(text)


def _comment_end(text: str, position: int) -> int:
    match = _COMMENT_END.match(text, position)
    return match.end() if match else position
