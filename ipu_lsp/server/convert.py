"""Conversion between offsets in code points and LSP positions, ranges and edits.

No other module of the server knows the unit of a column.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import StrEnum
from typing import Protocol

from ipu_asm.text import Change, LineIndex, Span, TextEdit
from ipu_lsp.transport import Json

_SURROGATE = re.compile("[\ud800-\udfff]")


class Encoding(StrEnum):
    """The unit of columns in a session."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"


class PositionLike(Protocol):
    """The interface of the protocol's positions."""

    @property
    def line(self) -> int: ...
    @property
    def character(self) -> int: ...


class RangeLike(Protocol):
    """The interface of the protocol's ranges."""

    @property
    def start(self) -> PositionLike: ...
    @property
    def end(self) -> PositionLike: ...


class Coordinates:
    """A text with conversion between offsets and the client's lines and columns.

    A position beyond the end of a line or of the text is clamped; one inside of a character means
    its start.
    """

    __slots__ = ("_columns_are_offsets", "_lines", "_origin", "encoding", "text")

    def __init__(
        self, text: str, encoding: Encoding, origin: tuple[LineIndex, Change] | None = None
    ) -> None:
        self.text = text
        self.encoding = encoding
        self._lines: LineIndex | None = None
        self._origin = origin
        self._columns_are_offsets = encoding is Encoding.UTF_32 or text.isascii()

    @property
    def lines(self) -> LineIndex:
        """The line index, computed on first use, incrementally after an edit."""
        if self._lines is None:
            if self._origin is None:
                self._lines = LineIndex.of(self.text)
            else:
                lines, change = self._origin
                self._lines = lines.after(self.text, change)
            self._origin = None
        return self._lines

    def adopt(self, lines: LineIndex) -> None:
        """Use a line index of this text that was computed elsewhere."""
        self._lines, self._origin = lines, None

    def offset(self, position: PositionLike) -> int:
        return self._place(position.line, position.character)[0]

    def span(self, range_: RangeLike) -> Span:
        """Return the span of a range, whose end may precede its start."""
        first, second = self.offset(range_.start), self.offset(range_.end)
        return Span(min(first, second), max(first, second))

    def position(self, offset: int) -> Json:
        line, column = self._line_and_column(offset)
        return {"line": line, "character": column}

    def range(self, span: Span) -> Json:
        return {"start": self.position(span.start), "end": self.position(span.end)}

    def encoded_range(self, span: Span) -> str:
        """Return the range of a span as JSON text."""
        start, end = span
        starts = self.lines.starts
        following = bisect_right(starts, start)
        if self._columns_are_offsets and following < len(starts) and end < starts[following]:
            # Within one line: takes half the time, and a response may have thousands of ranges.
            line, first = following - 1, starts[following - 1]
            return _range_text(line, start - first, line, end - first)
        return _range_text(*self._line_and_column(start), *self._line_and_column(end))

    def edit(self, edit: TextEdit) -> Json:
        """Return an edit of this text as an LSP `TextEdit`."""
        return {"range": self.range(edit.span), "newText": edit.new_text}

    def edited(self, range_: Json, new_text: str) -> tuple[Coordinates, Change]:
        """Return the coordinates after the client's edit of a range, and the edit.

        `range_` is plain JSON. Raises `KeyError` or `TypeError` if it is malformed.
        """
        places = [self._place(p["line"], p["character"]) for p in (range_["start"], range_["end"])]
        (start, before), (end, after) = sorted(places)
        if self.encoding is Encoding.UTF_16 and not self._columns_are_offsets:
            start, end, new_text = self._join_surrogates(start, before, end, after, new_text)
        text = self.text[:start] + new_text + self.text[end:]
        change = Change(start, end, start + len(new_text))
        return Coordinates(text, self.encoding, (self.lines, change)), change

    def _place(self, line: int, column: int) -> tuple[int, bool]:
        """Return an offset, and whether the position is inside of the character there."""
        if line < 0 or column < 0:
            line, column = max(line, 0), 0 if line < 0 else max(column, 0)
        if line >= len(self.lines.starts):
            return len(self.text), False
        start, end = self._line(line)
        if self._columns_are_offsets:
            return min(start + column, end), False
        count, is_inside = _characters(self.text[start:end], column, self.encoding)
        return start + count, is_inside

    def _line(self, line: int) -> Span:
        """Return the span of a line without its line break."""
        start, end = self.lines.line_span(line)
        if end > start and self.text[end - 1] == "\n":
            end -= 1
        if end > start and self.text[end - 1] == "\r":
            end -= 1
        return Span(start, end)

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        line, column = self.lines.position(offset)
        if column and not self._columns_are_offsets:
            start = self.lines.starts[line]
            column = units(self.text[start : start + column], self.encoding)
        return line, column

    def _join_surrogates(
        self, start: int, before: bool, end: int, after: bool, new_text: str
    ) -> tuple[int, int, str]:
        """Adjust an edit whose edges split or join surrogate pairs, to get the client's text.

        Editors that count UTF-16 units may put a cursor between the two halves of a character.
        """
        if before:
            new_text = _surrogates_of(self.text[start])[0] + new_text
        if after:
            new_text += _surrogates_of(self.text[end])[1]
            end += 1
        left, right = self.text[max(start - 1, 0) : start], self.text[end : end + 1]
        if _SURROGATE.search(left + new_text + right):
            new_text = _combine_surrogates(left + new_text + right)
            start, end = start - len(left), end + len(right)
        return start, end, new_text


def _range_text(line: int, column: int, last_line: int, last_column: int) -> str:
    return (
        f'{{"start":{{"line":{line},"character":{column}}},'
        f'"end":{{"line":{last_line},"character":{last_column}}}}}'
    )


def units(text: str, encoding: Encoding) -> int:
    """Return the width of a piece of a line in columns."""
    if encoding is Encoding.UTF_32 or text.isascii():
        return len(text)
    if encoding is Encoding.UTF_8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(text: str, column: int, encoding: Encoding) -> tuple[int, bool]:
    """Count the characters of a line before a column; True if it is inside of the next one."""
    if text.isascii():
        return min(column, len(text)), False
    if encoding is Encoding.UTF_8:
        return _characters_in_utf_8(text, column), False
    return _characters_in_utf_16(text, column)


def _characters_in_utf_8(text: str, column: int) -> int:
    data = text.encode("utf-8", "surrogatepass")
    cut = min(column, len(data))
    while 0 < cut < len(data) and data[cut] & 0xC0 == 0x80:
        cut -= 1
    return len(data[:cut].decode("utf-8", "surrogatepass"))


def _characters_in_utf_16(text: str, column: int) -> tuple[int, bool]:
    """Return the number of characters before a column, and whether it splits the next one."""
    data = text.encode("utf-16-le", "surrogatepass")
    count = len(data[: 2 * column].decode("utf-16-le", "surrogatepass"))
    halves = units(text[:count], Encoding.UTF_16) > column
    return (count - 1, True) if halves else (count, False)


def _surrogates_of(character: str) -> str:
    """Return the two surrogates of a character outside of the basic multilingual plane."""
    data = character.encode("utf-16-le")
    return "".join(data[i : i + 2].decode("utf-16-le", "surrogatepass") for i in (0, 2))


def _combine_surrogates(text: str) -> str:
    """Combine surrogate pairs in a text to characters."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


_FENCED = re.compile(r"^(`{3,})[^\n`]*\n(.*?)^\1$\n?", re.MULTILINE | re.DOTALL)
_RULE_OR_HEADING = re.compile(r"^(?:-{3,}$\n?|#+ )", re.MULTILINE)
# An escaped character, a link, code between equal runs of backticks, and strong text.
_MARKED = re.compile(
    r"\\(?P<escaped>[^\w\s]|_)"
    r"|\[(?P<title>(?:\\.|[^\]\\\n])*)\]\((?P<target>[^)\n]*)\)"
    r"|(?<!`)(?P<run>`+)(?!`)(?P<code>[^\n]*?)(?<!`)(?P=run)(?!`)"
    r"|\*\*"
)


def markup(markdown: str, shows_markdown: bool) -> dict[str, str]:
    """Return a page written in Markdown as `MarkupContent`."""
    if shows_markdown:
        return {"kind": "markdown", "value": markdown}
    return {"kind": "plaintext", "value": plain_text(markdown)}


def plain_text(markdown: str) -> str:
    """Return a page without its Markdown syntax."""
    parts, end = list[str](), 0
    for block in _FENCED.finditer(markdown):
        parts += [_prose(markdown[end : block.start()]), block[2]]
        end = block.end()
    parts.append(_prose(markdown[end:]))
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip()


def _prose(markdown: str) -> str:
    return _MARKED.sub(_unmarked, _RULE_OR_HEADING.sub("", markdown))


def _unmarked(match: re.Match[str]) -> str:
    if match["code"] is not None:
        code = match["code"]
        is_padded = "`" in code and code.startswith(" ") and code.endswith(" ")
        return code[1:-1] if is_padded else code
    if match["title"] is not None:
        title, target = _prose(match["title"]), match["target"]
        # A file is of use without a link, too.
        return f"{title}: {target}" if target.startswith("file:") else title
    return match["escaped"] or ""
