"""Text and places in it: everything below the protocol wall counts code points from 0."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import chain
from typing import Iterable, Sequence

from ipu_asm.named_tuple import NamedTuple

_LINE_BREAK = re.compile(r"\r\n?|\n")
CONTROL_CHARACTER = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
"""Characters that no source contains."""
_NO_CHARACTER = re.compile("[\x00-\x08\x0e-\x1f\x7f\udc80-\udcff]")
_HEAD = 4096
_MAX_IN_A_TEXT = 16


def is_binary(text: str) -> bool:
    """Return whether what was read as a text is an image, an archive or the like.

    It has a NUL at its beginning, and a tenth of the characters there are control characters or
    bytes that are no UTF-8.
    """
    if "\0" not in text[:_HEAD]:
        return False
    head = text[:_HEAD]
    number = len(_NO_CHARACTER.findall(head))
    return number > _MAX_IN_A_TEXT and number * 10 > len(head)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 byte`, `1,304 bytes`."""
    return f"{number:,} {noun if number == 1 else f'{noun}s'}"


def numbered(noun: str, first: int | str, last: int | str) -> str:
    """Return the noun of things from one number to another: `bundle 3`, `bundles 3 to 5`."""
    return f"{noun} {first}" if first == last else f"{noun}s {first} to {last}"


def percentage(part: int, whole: int) -> str:
    """Return a fraction as a short percentage, such as `12.5 %`; of nothing, `0 %`."""
    share = 100 * part / whole if whole else 0.0
    if part and share < 0.05:
        return "<0.1 %"
    return f"{share:.0f} %" if share in (0, 100) else f"{min(share, 99.9):.1f} %"


_LONG = 1 << 22
"""Characters from which on a text has its many offsets in an array."""


def offsets(numbers: Iterable[int], text: str) -> Sequence[int]:
    """Return ascending offsets in a text, or addresses in its program.

    Those of a long text take 4 bytes each instead of 40: of a million lines, 100 MB in all.
    """
    if len(text) < _LONG:
        return list(numbers)
    from array import array  # a library to load, for few texts

    return array("I", numbers)


def listed(numbers: Sequence[int]) -> list[int]:
    """Return offsets as a list, as edits need them; a list is returned as it is."""
    return numbers if isinstance(numbers, list) else list(numbers)


def require_text(text: object, function: str) -> None:
    """Raise `TypeError` with a sentence if what a function of the public API got is no text."""
    if not isinstance(text, str):
        remedy = "; decode the bytes first" if isinstance(text, bytes | bytearray) else ""
        found = f"found {type(text).__name__}{remedy}"
        raise TypeError(f"`{function}` takes the text of a program as a str, {found}")


class Span(NamedTuple):
    """A half-open range of code points: ``text[start:end]``."""

    start: int
    end: int

    def shifted(self, delta: int) -> Span:
        """The same range, `delta` code points further on."""
        return Span(self.start + delta, self.end + delta)

    def touches(self, offset: int) -> bool:
        """Whether a cursor at `offset` stands in or at either end of the range."""
        return self.start <= offset <= self.end


class TextEdit(NamedTuple):
    """Replace `span` by `new_text`; an empty span inserts."""

    span: Span
    new_text: str

    def shifted(self, delta: int) -> TextEdit:
        """The same edit for a text that starts `delta` code points earlier."""
        (start, end), new_text = self
        return TextEdit(Span(start + delta, end + delta), new_text)


class Position(NamedTuple):
    """A 0-based line and a 0-based column in code points."""

    line: int
    column: int


class LineIndex:
    """Where the lines of one text start. Only ``\\n``, ``\\r\\n`` and ``\\r`` end a line."""

    __slots__ = ("length", "starts")

    def __init__(self, starts: Sequence[int], length: int) -> None:
        self.starts = starts
        self.length = length

    @classmethod
    def of(cls, text: str) -> LineIndex:
        """The index of `text`, read from its first character to its last."""
        ends = (match.end() for match in _LINE_BREAK.finditer(text))
        return cls(offsets(chain((0,), ends), text), len(text))

    def after(self, text: str, change: Change) -> LineIndex:
        """The index of `text`, which came out of this index's text by `change`.

        Costs the changed lines plus one pass over the line starts, not over the text.
        """
        prefix, old_end, new_end = change
        delta = new_end - old_end
        old = listed(self.starts)
        kept = old[: bisect_left(old, prefix)] or [0]
        tail = old[bisect_right(old, old_end) :]
        breaks = _LINE_BREAK.finditer(text, kept[-1], min(len(text), new_end + 1))
        middle = [match.end() for match in breaks if kept[-1] < match.end() <= new_end]
        shifted = [start + delta for start in tail] if delta else tail
        return LineIndex(kept + middle + shifted, len(text))

    def position(self, offset: int) -> Position:
        """Line and column of an offset; one beyond the text is the text's end."""
        offset = max(0, min(offset, self.length))
        line = bisect_right(self.starts, offset) - 1
        return Position(line, offset - self.starts[line])

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, held inside the text."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return self.length
        return min(self.starts[line] + max(column, 0), self.length)

    def line_span(self, line: int) -> Span:
        """The range of one line with its line break."""
        end = self.starts[line + 1] if line + 1 < len(self.starts) else self.length
        return Span(self.starts[line], end)


class SourceFile:
    """A text with the name under which people know it. Never changed after it is made."""

    def __init__(self, text: str, path: str = "<stdin>", lines: LineIndex | None = None) -> None:
        self.text = text
        self.path = path
        if lines is not None:
            self.lines = lines

    @cached_property
    def lines(self) -> LineIndex:
        """The line index, made when first asked for."""
        return LineIndex.of(self.text)

    def line_text(self, line: int) -> str:
        """One line without its line break."""
        span = self.lines.line_span(line)
        return self.text[span.start : span.end].rstrip("\r\n")


class Change(NamedTuple):
    """Where two texts differ: ``old[start:old_end]`` became ``new[start:new_end]``."""

    start: int
    old_end: int
    new_end: int

    def turns(self, old: str, new: str) -> bool:
        """Whether it turns `old` into `new`; a quarter of the cost of `change_between`."""
        start, old_end, new_end = self
        return (
            0 <= start <= old_end
            and start <= new_end
            and len(old) - old_end == len(new) - new_end >= 0
            and old.startswith(new[:start])
            and old.endswith(new[new_end:])
        )

    def then(self, later: Change) -> Change:
        """Both changes as one; `later` applies to the text that this one makes."""
        end = max(self.new_end, later.start, later.old_end)
        return Change(
            min(self.start, later.start),
            end - self.new_end + self.old_end,
            end - later.old_end + later.new_end,
        )


def change_between(old: str, new: str) -> Change:
    """The smallest single change that turns `old` into `new`."""
    shorter = min(len(old), len(new))
    start = _common_prefix(old, new, shorter)
    rest = shorter - start
    suffix = rest
    if old[len(old) - rest :] != new[len(new) - rest :]:
        suffix = _common_suffix(old, new, rest)
    return Change(start, len(old) - suffix, len(new) - suffix)


def _common_prefix(old: str, new: str, limit: int) -> int:
    if old[:limit] == new[:limit]:
        return limit
    low, high = 0, limit
    while high - low > 1:
        middle = (low + high) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _common_suffix(old: str, new: str, limit: int) -> int:
    low, high = 0, limit
    while high - low > 1:
        middle = (low + high) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle
    return low


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """`text` with all edits made; insertions at one place keep their order.

    Of edits that overlap, the one that starts first is made.
    """
    pieces: list[str] = []
    position = 0
    for span, new_text in sorted(edits, key=lambda edit: edit.span):
        if span.start < position:
            continue
        pieces += (text[position : span.start], new_text)
        position = span.end
    return "".join(pieces) + text[position:]
