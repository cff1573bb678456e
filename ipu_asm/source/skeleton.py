"""The layout of a template: its text with blanks for tags and words for outputs.

It has the same length and the same line breaks, so that positions in it are positions in the
template. It serves what has to do without an expansion: features that look at layout alone, such as
formatting and folding, and text that is rendered nowhere.
"""

from __future__ import annotations

import re
from typing import Callable

from ipu_asm.source.jinja.tags import Tag, TagKind, tags_of

_LINE = re.compile(r"[^\r\n]+")
_REST_OF_LINE = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_BLANKS = " \t"
_FILLER = "x"
# The shortest output has five characters.
_FILLED = re.compile(f"{_FILLER}{{5,}}")


def skeleton(text: str) -> str:
    """Return a template with blanks for statements and comments, and a word for each output.

    An output that is alone on its line has blanks, too: it is mostly the call of a macro.
    """
    return filled(text, lambda tag: _FILLER if is_word(text, tag) else " ")


def has_filler(text: str) -> bool:
    """Check whether a piece of a skeleton contains an output."""
    return _FILLED.search(text) is not None


def without_fillers(text: str) -> str:
    """Return a text about a skeleton for people, with dots in place of outputs."""
    return _FILLED.sub("…", text)


def filled(text: str, filler: Callable[[Tag], str]) -> str:
    """Return a template with a character in place of each one of a tag, except line breaks."""
    pieces: list[str] = []
    at = 0
    for tag in tags_of(text):
        start, end = tag.span
        pieces += [text[at:start], _filled(text[start:end], filler(tag))]
        at = end
    return "".join([*pieces, text[at:]])


def _filled(text: str, character: str) -> str:
    return _LINE.sub(lambda line: character * len(line[0]), text)


def is_word(text: str, tag: Tag) -> bool:
    """Check whether a tag is an output with other text on its line."""
    return tag.kind is TagKind.OUTPUT and not (
        starts_line(text, tag.span.start) and ends_line(text, tag.span.end)
    )


def starts_line(text: str, offset: int) -> bool:
    """Check whether only blanks precede an offset on its line."""
    while offset and text[offset - 1] in _BLANKS:
        offset -= 1
    return not offset or text[offset - 1] in "\r\n"


def ends_line(text: str, offset: int) -> bool:
    """Check whether only blanks follow an offset on its line."""
    return _REST_OF_LINE.match(text, offset) is not None
