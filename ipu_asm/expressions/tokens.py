"""Tokens of an expression, with their spans."""

from __future__ import annotations

import re
from typing import Final

from ipu_asm.expressions.errors import ExpressionError, quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

MAX_LENGTH: Final = 4096
"""Limit on the characters of an expression."""

WORD: Final = re.compile(
    r"(?P<float>[0-9][0-9_]*(?:\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)(?![0-9A-Za-z_]))"
    r"|(?P<number>[0-9][0-9A-Za-z_]*)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>\.\.|\*\*|//|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>()\[\],:?=])"
)
"""A token of an expression; the name of the matching group is its kind."""

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_REMEDIES: Final = {
    "$": "; registers and names are written without it",
    ".": "; an element is `r0[3]`, a slice `r0[0..7]`",
    "@": "; in a debugger `lr2@incr`, what an instruction sees of a register, stands alone",
}
END: Final = "end"


class Token(NamedTuple):
    """A token; `kind` is float, number, name, sign or end."""

    kind: str
    text: str
    span: Span

    def __str__(self) -> str:
        return "the end" if self.kind == END else quoted(self.text)


def tokens_of(text: str) -> list[Token]:
    """Split an expression into tokens, the last of kind `end`. Raises ExpressionError."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"an expression has at most {MAX_LENGTH:,} characters, found {len(text):,}",
            Span(MAX_LENGTH, len(text)),
        )
    tokens = []
    offset = _skipped(text, 0)
    while offset < len(text):
        match = WORD.match(text, offset)
        if match is None or match.lastgroup is None:
            is_before_word = text[offset + 1 : offset + 2].isalnum()
            remedy = _REMEDIES.get(text[offset], "") if is_before_word else ""
            message = (
                f"an expression has names, numbers and operators, found {quoted(text[offset])}"
            )
            raise ExpressionError(f"{message}{remedy}", Span(offset, offset + 1))
        tokens.append(Token(match.lastgroup, match.group(), Span(*match.span())))
        offset = _skipped(text, match.end())
    return [*tokens, Token(END, "", Span(len(text), len(text)))]


def _skipped(text: str, offset: int) -> int:
    match = _BLANK.match(text, offset)
    return match.end() if match else offset
