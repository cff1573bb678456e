"""Preprocessing tokens with their written places."""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property
from typing import Callable

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.preprocessor.lines import BLOCK_COMMENT_OR_REST, LINE_BREAK, SPLICE, Line
from ipu_asm.source.source_map import FrameKind

_HEAD = (
    r"(?P<name>[^\W\d]\w*)|(?P<blank>[ \t\f\v]+)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"
    r"""|(?P<string>"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\(?:x[0-9a-fA-F]+|[0-7]+|.))')"""
    rf"|(?P<comment>//(?:{SPLICE}|[^\r\n\\]|\\)*|{BLOCK_COMMENT_OR_REST}"
)
_TAIL = rf")|(?P<splice>{SPLICE})|(?P<newline>{LINE_BREAK})|(?P<paste>\#\#)|(?P<mark>.)"
_DIRECTIVE_TOKEN = re.compile(_HEAD + _TAIL)
_TEXT_TOKEN = re.compile(rf"{_HEAD}|\#(?:{SPLICE}|[^\r\n\\]|\\)*{_TAIL}")


class Kind(Enum):
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


class LineFrame(NamedTuple):
    """A `Frame` with places relative to lines; without a parent it is outermost."""

    kind: FrameKind
    label: str
    call: Place
    definition: Place | None = None
    parent: LineFrame | None = None


class Token(NamedTuple):
    """A token and the `place` that it is spelled at.

    `replaces` is the place of the name or call whose value it is. `hidden` are the macros that are
    not expanded in it again, `parts` the tokens that it was pasted of.
    """

    kind: Kind
    text: str
    place: Place
    replaces: Place | None = None
    origin: LineFrame | None = None
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
        return token._replace(kind=Kind.BLANK, text=" ", replaces=token.replaces or token.place)
    return token


def written_place(token: Token) -> Place:
    """Return the place of the outermost call that a token comes from, or its own."""
    place, origin = token.replaces or token.place, token.origin
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
VARIABLE_ARGUMENTS = "__VA_ARGS__"
RESERVED_NAMES = frozenset(
    (
        "defined", "__LINE__", "__FILE__", "__DATE__", "__TIME__", "__STDC__", "__COUNTER__",
        VARIABLE_ARGUMENTS, "__VA_OPT__", "__has_include", "__has_include_next",
    )
)  # fmt: skip
"""The names that `#define` and `#undef` cannot have (C11, 6.10.8 and 6.10.3)."""
# A definition of one line that surely has no parameters; its body is read when it is used.
_SIMPLE = re.compile(r"[ \t]*#[ \t]*define[ \t]+([^\W\d]\w*)(?=[ \t\r\n])[^\\\r\n]*(?:\r\n|\r|\n)?")
# Whole statements, in contrast to an operand: a mnemonic with operands, or several statements.
_STATEMENT = re.compile(r"\{|[^;]*;|\.?[^\W\d][\w.]*\s+[\w.$\"\\@]")


class Macro:
    """A macro: `parameters` is None for an object-like one; the last is `...` if it is variadic.

    `body` may be the line of an object-like macro that is not read yet.
    `variable` is the name of the variable arguments. `place` is its name in the `#define`; None for
    one that was given from outside. `dynamic` makes the text of one that differs at each use.
    """

    def __init__(
        self,
        name: str,
        parameters: tuple[str, ...] | None,
        body: tuple[Token, ...] | Line,
        place: Place | None = None,
        *,
        variable: str = "",
        dynamic: Callable[[Token], str] | None = None,
    ) -> None:
        self.name = name
        self.parameters = parameters
        self._body = body
        self.place = place
        self.variable = variable
        self.dynamic = dynamic

    @cached_property
    def body(self) -> tuple[Token, ...]:
        if isinstance(self._body, Line):
            return tuple(trimmed(words_of(self._body)[1:]))
        return self._body

    @cached_property
    def text(self) -> str:
        return "".join(token.text for token in self.body)

    @cached_property
    def is_statement(self) -> bool:
        """Whether the replacement is one or more whole statements, not an operand or a word."""
        return _STATEMENT.match(self.text) is not None


def macro_of(line: Line) -> Macro | None:
    """Return the macro that a `#define` line defines; None for a malformed line."""
    simple = _SIMPLE.fullmatch(line.text)
    if simple is not None:
        if simple[1] in RESERVED_NAMES:
            return None
        return Macro(simple[1], None, line, Place(line, simple.start(1), simple.end(1)))
    tokens = words_of(line)
    if not tokens or tokens[0].kind is not Kind.NAME or tokens[0].text in RESERVED_NAMES:
        return None
    name, rest = tokens[0], tokens[1:]
    if not rest or rest[0].text != "(":
        return Macro(name.text, None, tuple(trimmed(rest)), name.place)
    closing = next((n for n, token in enumerate(rest) if token.text == ")"), None)
    if closing is None or misplaced_parameter(rest[1:closing]) is not None:
        return None
    parameters = [token.text for token in solid(rest[1:closing]) if token.text != ","]
    body = tuple(trimmed(rest[closing + 1 :]))
    if parameters[-3:] != [".", ".", "."]:
        return Macro(name.text, tuple(parameters), body, name.place)
    named = parameters[:-3]
    # GNU: `args...` names the variable arguments.
    before = solid(rest[1:closing])
    has_own_name = bool(named) and before[-4].text != ","
    variable = named.pop() if has_own_name else VARIABLE_ARGUMENTS
    return Macro(name.text, (*named, "..."), body, name.place, variable=variable)


def misplaced_parameter(tokens: list[Token]) -> Token | None:
    """Return the first token that is not valid in the parameter list of a `#define`.

    They are different names separated by commas; `...` or `args...` ends them. After a comma that
    no name follows, it is the comma.
    """
    words = solid(tokens)
    seen = {VARIABLE_ARGUMENTS}
    is_due = True
    for n, token in enumerate(words):
        if token.text == ".":
            is_last = [each.text for each in words[n:]] == [".", ".", "."]
            return None if is_last else token
        fits = token.kind is Kind.NAME and token.text not in seen if is_due else token.text == ","
        if not fits:
            return token
        seen.add(token.text)
        is_due = not is_due
    return words[-1] if is_due and words else None


def macro_from_outside(name: str, text: str) -> Macro:
    """Return the object-like macro for a name that settings define."""
    line = Line("", f"#define {name} {' '.join(text.split())}\n")
    macro = macro_of(line)
    return Macro(name, None, macro.body if macro else ())
