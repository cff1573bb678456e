"""What console commands take and give: numeric arguments and results."""

from __future__ import annotations

from ipu_asm.debugger.breakpoints import Stop
from ipu_asm.debugger.expressions import Context, ExpressionError, Result, evaluate
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span


class CommandResult(NamedTuple):
    """The text to show to the user.

    `stop` is the new position if the command moved the machine, `changed` whether it wrote a value,
    `result` the value if the input was an expression only.
    """

    text: str
    stop: Stop | None = None
    changed: bool = False
    result: Result | None = None


def whole_number(context: Context, text: str, expected: str) -> int:
    """Evaluate an expression to a whole number. Raises ExpressionError with `expected`."""
    value = evaluate(context, text).value
    if value.is_vector or not isinstance(value.number, int):
        raise ExpressionError(f"{expected}, found {value.describe()}", stripped_span(text))
    return value.number


def stripped_span(text: str) -> Span:
    """Return the span of a text without surrounding blanks."""
    return Span(len(text) - len(text.lstrip()), len(text.rstrip()))
