"""Errors in expressions, with their spans."""

from __future__ import annotations

from ipu_asm.text import Span


class ExpressionError(Exception):
    """An expression that cannot be evaluated, or a value that does not fit.

    `span` is the wrong part of the expression's text.
    """

    def __init__(self, message: str, span: Span) -> None:
        self.message = message
        self.span = span
        super().__init__(message)


_MAX_QUOTED = 40
_MAX_BITS_IN_FULL = 64


def quoted(text: str) -> str:
    """Quote user input for a message: shortened, in backticks, unprintable characters escaped."""
    short = text if len(text) <= _MAX_QUOTED else text[: _MAX_QUOTED - 1] + "…"
    return "`" + "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in short) + "`"


def number_text(number: int | float) -> str:
    """Format a number for a message; a very long one as its number of bits."""
    if isinstance(number, int) and number.bit_length() > _MAX_BITS_IN_FULL:
        return f"a number of {number.bit_length():,} bits"
    return repr(number)
