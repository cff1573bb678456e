"""Safe embedding of arbitrary text in Markdown: escaped text, inline code, fenced code.

The text cannot produce links, images, HTML or blocks, neither in CommonMark nor with the extensions
of GitHub (tables, strikethrough, autolinks).
"""

from __future__ import annotations

import re
from typing import Final

_SHORTEST_FENCE: Final = 3
_LONGEST_INLINE_CODE: Final = 200
_BACKTICKS: Final = re.compile("`+")
_LINE_BREAKS: Final = re.compile(r"\r\n?|\n")
# Characters with a meaning anywhere in a line, then those that make autolinks: `https://`, `www.`
# and `@`.
_MARK: Final = re.compile(r"([\\`*_<>\[\]#&~|@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
# Beginnings of a list item, a heading or a thematic break.
_LINE_MARK: Final = re.compile(r"[-+=]|\d{1,9}[.)]")


def escaped(text: str) -> str:
    """Return text that is rendered literally; its lines become lines of one paragraph."""
    return "\n".join(_escaped_line(line.strip()) for line in _LINE_BREAKS.split(text))


def inline_code(text: str) -> str:
    """Return a code span on one line, cut to a maximum length; "" for blank text."""
    text = _LINE_BREAKS.sub(" ", text)
    if len(text) > _LONGEST_INLINE_CODE:
        text = f"{text[:_LONGEST_INLINE_CODE]}..."
    if not text.strip():
        return ""
    marks = "`" * _unused_run(text)
    padding = " " if text[0] == "`" or text[-1] == "`" or text[0] == text[-1] == " " else ""
    return f"{marks}{padding}{text}{padding}{marks}"


def fenced_code(text: str, language: str) -> str:
    """Return a fenced code block in a language."""
    fence = "`" * max(_SHORTEST_FENCE, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _escaped_line(line: str) -> str:
    line = _MARK.sub(r"\\\1", line)
    opening = _LINE_MARK.match(line)
    if opening is None:
        return line
    last = opening.end() - 1
    return f"{line[:last]}\\{line[last:]}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _unused_run(text: str) -> int:
    """Return the least length of a run of backticks that does not occur in a text."""
    lengths = {len(run) for run in _BACKTICKS.findall(text)}
    return next(length for length in range(1, len(lengths) + 2) if length not in lengths)
