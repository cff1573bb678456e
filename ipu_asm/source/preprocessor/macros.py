"""Macros of the preprocessor, parsed from `#define` lines."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Callable

from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.tokens import Kind, Place, Token, solid, trimmed, words_of

VARIABLE_ARGUMENTS = "__VA_ARGS__"
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
        """The tokens of the replacement."""
        if isinstance(self._body, Line):
            return tuple(trimmed(words_of(self._body)[1:]))
        return self._body

    @cached_property
    def text(self) -> str:
        """The replacement text."""
        return "".join(token.text for token in self.body)

    @cached_property
    def is_statement(self) -> bool:
        """Whether the replacement is one or more whole statements, not an operand or a word."""
        return _STATEMENT.match(self.text) is not None


def macro_of(line: Line) -> Macro | None:
    """Return the macro that a `#define` line defines; None for a line without a valid name."""
    simple = _SIMPLE.fullmatch(line.text)
    if simple is not None:
        return Macro(simple[1], None, line, Place(line, simple.start(1), simple.end(1)))
    tokens = words_of(line)
    if not tokens or tokens[0].kind is not Kind.NAME:
        return None
    name, rest = tokens[0], tokens[1:]
    if not rest or rest[0].text != "(":
        return Macro(name.text, None, tuple(trimmed(rest)), name.place)
    closing = next((n for n, token in enumerate(rest) if token.text == ")"), None)
    if closing is None:
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


def macro_from_outside(name: str, text: str) -> Macro:
    """Return the object-like macro for a name that settings define."""
    line = Line("", f"#define {name} {' '.join(text.split())}\n")
    macro = macro_of(line)
    return Macro(name, None, macro.body if macro else ())
