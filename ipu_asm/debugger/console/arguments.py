"""Numeric arguments of commands."""

from __future__ import annotations

from ipu_asm.debugger.expressions import Context, ExpressionError, evaluate
from ipu_asm.text import Span


def whole_number(context: Context, text: str, expected: str) -> int:
    """Evaluate an expression to a whole number. Raises ExpressionError with `expected`."""
    value = evaluate(context, text).value
    if value.is_vector or not isinstance(value.number, int):
        raise ExpressionError(f"{expected}, found {value.describe()}", all_of(text))
    return value.number


def all_of(text: str) -> Span:
    """Return the span of a text without surrounding blanks."""
    return Span(len(text) - len(text.lstrip()), len(text.rstrip()))
