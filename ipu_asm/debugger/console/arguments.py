"""Numbers that commands take."""

from __future__ import annotations

from ipu_asm.debugger.expressions import Context, ExpressionError, evaluate
from ipu_asm.text import Span


def whole_number(context: Context, text: str, expected: str) -> int:
    """The value of an expression; `expected` says what it must be. Raises ExpressionError."""
    value = evaluate(context, text).value
    if value.is_vector or not isinstance(value.number, int):
        raise ExpressionError(f"{expected}, found {value.describe()}", all_of(text))
    return value.number


def all_of(text: str) -> Span:
    """The range of a text without the blanks around it."""
    return Span(len(text) - len(text.lstrip()), len(text.rstrip()))
