"""The value of a text: what a watch shows, and whether a condition holds."""

from __future__ import annotations

from typing import NamedTuple

from ipu_asm.debugger.expressions import operators
from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.element_types import FP8, TYPES
from ipu_asm.debugger.expressions.evaluator import Evaluator
from ipu_asm.debugger.expressions.formatting import NOTATIONS, refuse_floats_without_bits, text_of
from ipu_asm.debugger.expressions.mistake import ExpressionError, shown
from ipu_asm.debugger.expressions.names import TYPE_NAMES
from ipu_asm.debugger.expressions.parser import parse
from ipu_asm.debugger.expressions.places import Place
from ipu_asm.debugger.expressions.tree import Name, Parsed
from ipu_asm.debugger.expressions.values import Value


class Result(NamedTuple):
    """A value, where it lies (None if it was computed) and how to write it."""

    value: Value
    place: Place | None
    notation: str | None

    def text(self, most: int | None = 8) -> str:
        """As text; of a vector at most so many elements, all of them for None."""
        return text_of(self.value, self.notation, most)


def evaluate(context: Context, text: str) -> Result:
    """The value of an expression. Raises ExpressionError."""
    return evaluate_parsed(Evaluator(context), parse(text))


def evaluate_parsed(evaluator: Evaluator, parsed: Parsed) -> Result:
    """The value of an expression that has been read. Raises ExpressionError."""
    found, notation = evaluator.evaluate(parsed.node), None
    for name in parsed.formats:
        check_format(name)
        if name.text.lower() in NOTATIONS:
            notation = name.text.lower()
        else:
            found = evaluator.seen_as(found, evaluator.type_of(name), name.span)
    if notation is not None:
        try:
            refuse_floats_without_bits(found.value, notation)
        except ValueError as error:
            raise ExpressionError(str(error), parsed.formats[-1].span) from None
    return Result(found.value, found.place, notation)


def check_format(name: Name) -> None:
    """Refuse what is no format. Raises ExpressionError."""
    if name.text.lower() not in (*NOTATIONS, *TYPE_NAMES):
        known = ", ".join((*NOTATIONS, *TYPES, FP8))
        raise ExpressionError(f"a format is one of {known}, found {shown(name.text)}", name.span)


def holds(context: Context, text: str) -> bool:
    """Whether a condition holds. Raises ExpressionError."""
    parsed = parse(text)
    value = Evaluator(context).evaluate(parsed.node).value
    try:
        return operators.truth(value)
    except ValueError as error:
        raise ExpressionError(str(error), parsed.node.span) from None
