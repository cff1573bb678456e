"""Evaluation of an expression's text, for watches and conditions."""

from __future__ import annotations

from ipu_asm.debugger.expressions import operators
from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.evaluator import Evaluator
from ipu_asm.debugger.expressions.formatting import NOTATIONS, refuse_floats_without_bits, text_of
from ipu_asm.debugger.expressions.location import Location
from ipu_asm.debugger.expressions.machine_view import MachineNames
from ipu_asm.debugger.expressions.values import Value
from ipu_asm.expressions.errors import ExpressionError, quoted
from ipu_asm.expressions.parser import parse
from ipu_asm.expressions.tree import Name, Node, Parsed
from ipu_asm.named_tuple import NamedTuple


class Result(NamedTuple):
    """A value, its location (None if it was computed) and the notation to format it in."""

    value: Value
    location: Location | None
    notation: str | None

    def text(self, most: int | None = 8) -> str:
        """Format the value; a vector with at most `most` elements, None for all of them."""
        return text_of(self.value, self.notation, most)


def evaluate(context: Context, text: str) -> Result:
    """Evaluate an expression. Raises ExpressionError."""
    return evaluate_parsed(Evaluator(context), parse(text))


def evaluate_parsed(evaluator: Evaluator, parsed: Parsed) -> Result:
    """Evaluate a parsed expression and apply its formats. Raises ExpressionError."""
    found, notation = evaluator.evaluate(parsed.node), None
    for name in parsed.formats:
        check_format(name, evaluator.names)
        if name.text.lower() in NOTATIONS:
            notation = name.text.lower()
        else:
            found = evaluator.reinterpret(found, evaluator.type_of(name), name.span)
    if notation is not None:
        try:
            refuse_floats_without_bits(found.value, notation)
        except ValueError as error:
            raise ExpressionError(str(error), parsed.formats[-1].span) from None
    return Result(found.value, found.location, notation)


def check_format(name: Name, names: MachineNames) -> None:
    """Check that a name is a format. Raises ExpressionError."""
    if name.text.lower() not in (*NOTATIONS, *names.types):
        known = ", ".join((*NOTATIONS, *names.plain_types))
        raise ExpressionError(f"a format is one of {known}, found {quoted(name.text)}", name.span)


def evaluate_node(context: Context, node: Node) -> Value:
    """Evaluate a syntax tree. Raises ExpressionError."""
    return Evaluator(context).evaluate(node).value


def evaluate_condition(context: Context, text: str) -> bool:
    """Evaluate a condition to a truth value. Raises ExpressionError."""
    parsed = parse(text)
    value = Evaluator(context).evaluate(parsed.node).value
    try:
        return operators.truth(value)
    except ValueError as error:
        raise ExpressionError(str(error), parsed.node.span) from None
