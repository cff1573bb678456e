"""Preprocessing tokens with their written places."""

from __future__ import annotations

import re
from enum import Enum

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.source_map import FrameKind

_BREAK = r"\r\n|\n|\r"
_SPLICE = rf"\\[ \t]*(?:{_BREAK})"
_HEAD = (
    r"(?P<name>[^\W\d]\w*)|(?P<blank>[ \t\f\v]+)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"
    r"""|(?P<string>"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)')"""
    rf"|(?P<comment>//(?:{_SPLICE}|[^\r\n\\]|\\)*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)"
)
_TAIL = rf")|(?P<splice>{_SPLICE})|(?P<newline>{_BREAK})|(?P<paste>\#\#)|(?P<mark>.)"
_DIRECTIVE_TOKEN = re.compile(_HEAD + _TAIL)
_TEXT_TOKEN = re.compile(rf"{_HEAD}|\#(?:{_SPLICE}|[^\r\n\\]|\\)*{_TAIL}")


class Kind(Enum):
    """The kind of a token."""

    NAME = "name"
    BLANK = "blank"
    NUMBER = "number"
    STRING = "string"
    COMMENT = "comment"
    SPLICE = "splice"
    NEWLINE = "newline"
    PASTE = "paste"
    MARK = "mark"


_KINDS = {kind.value: kind for kind in Kind}


class Place(NamedTuple):
    """A range of a line."""

    line: Line
    start: int
    end: int


class Origin(NamedTuple):
    """A `Frame` whose places are relative to lines; without a parent it is outermost."""

    kind: FrameKind
    label: str
    call: Place
    definition: Place | None = None
    parent: Origin | None = None


class Token(NamedTuple):
    """A token and the `place` that it is spelled at.

    One that was made by an expansion as a value stands, as a whole, for another place, `stands`.
    `hidden` are the macros that are not expanded in it again. A token that was pasted has the
    `parts` that it was pasted of.
    """

    kind: Kind
    text: str
    place: Place
    stands: Place | None = None
    origin: Origin | None = None
    hidden: frozenset[str] = frozenset()
    parts: tuple[Token, ...] = ()


def tokens_of(line: Line) -> list[Token]:
    """Return the tokens of a line; in assembly, `#` begins a comment."""
    pattern = _DIRECTIVE_TOKEN if line.directive else _TEXT_TOKEN
    found = [
        Token(_KINDS[match.lastgroup or ""], match[0], Place(line, match.start(), match.end()))
        for match in pattern.finditer(line.text)
    ]
    return _joined(found) if "\\" in line.text else found


def _joined(tokens: list[Token]) -> list[Token]:
    """Join words that a backslash-newline divides; the line break is put after them."""
    result: list[Token] = []
    for token in tokens:
        is_behind = len(result) > 1 and result[-1].kind is Kind.SPLICE
        if not (is_behind and token.kind in _WORDS and result[-2].kind in _WORDS):
            result.append(token)
        else:
            before = result[-2]
            parts = (*(before.parts or (before,)), token)
            result[-2] = before._replace(text=before.text + token.text, parts=parts)
    return result


def words_of(line: Line) -> list[Token]:
    """Return the operands of a directive, without splices and surrounding blanks.

    A comment becomes a blank.
    """
    tokens = tokens_of(line)
    words = (n for n, token in enumerate(tokens) if token.text == line.directive)
    word = next(words, len(tokens))  # none where a backslash joins more to the word
    return trimmed([as_blank(t) for t in tokens[word + 1 :] if t.kind not in _DROPPED])


def as_blank(token: Token) -> Token:
    """Return a blank for a comment or a line break; any other token as it is."""
    if token.kind in (Kind.COMMENT, Kind.NEWLINE):
        return token._replace(kind=Kind.BLANK, text=" ", stands=token.stands or token.place)
    return token


def written_place(token: Token) -> Place:
    """Return the place of the outermost call that a token comes from, or its own."""
    place, origin = token.stands or token.place, token.origin
    while origin is not None:
        place, origin = origin.call, origin.parent
    return place


def trimmed(tokens: list[Token]) -> list[Token]:
    """Return tokens without the blanks at both ends."""
    first, last = 0, len(tokens)
    while first < last and tokens[first].kind is Kind.BLANK:
        first += 1
    while first < last and tokens[last - 1].kind is Kind.BLANK:
        last -= 1
    return tokens[first:last]


def kind_of(text: str) -> Kind | None:
    """Return the kind of a token from its text; None if it is not exactly one token."""
    match = _DIRECTIVE_TOKEN.fullmatch(text)
    return _KINDS[match.lastgroup or ""] if match else None


def solid(tokens: list[Token]) -> list[Token]:
    """Return tokens without blanks."""
    return [token for token in tokens if token.kind is not Kind.BLANK]


def file_name(tokens: list[Token]) -> tuple[str, bool, Place] | None:
    """Return the file that an include names, whether in angle brackets, and its place."""
    if not tokens:
        return None
    first = tokens[0]
    if first.kind is Kind.STRING and first.text[0] == '"':
        return first.text[1:-1], False, first.place
    text = "".join(token.text for token in tokens)
    end = text.find(">")
    if not text.startswith("<") or end < 0:
        return None
    return (
        text[1:end],
        True,
        Place(first.place.line, first.place.start, first.place.start + end + 1),
    )


_WORDS = (Kind.NAME, Kind.NUMBER)
_DROPPED = (Kind.SPLICE, Kind.NEWLINE)
