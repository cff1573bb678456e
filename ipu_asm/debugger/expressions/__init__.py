"""The expressions of conditions, watches, hovers, log messages and the console.

    lr5  r0[3]  acc[0..7]  mask[2][5]  xmem[cr0 + lr1 .. +16 : f32]  sum(acc) > 100,x

- Registers by name, in any case; `cyclic`, `mask` and `acc` are short for `r_cyclic`, ...; `pc`,
  `cycle`, `dtype` (what `cr15` holds; `int8`, `fp8_e4m3`, `fp8_e5m2` are its values). Scalar
  registers are signed; `u32(lr5)` is not. After registers and constants come the author's names,
  then labels, worth their address; `label(lr5)` is a label in any case.
- `[0..7]` takes both ends, eight elements; `[8 .. +4]` takes four from 8 on. xmem is addressed in
  bytes; a `+count` counts elements. `[... : i32]` first reads the bytes as another type, and so do
  `i32(place)` and the format `,i32`. Types: i8 u8 i16 u16 i32 u32 f32 e4m3 e5m2, and fp8, which is
  what `cr15` selects. A type applied to what was computed converts it.
- Elements are by default of the type that `cr15` selects, words of acc and mult_res int32 or
  float32, those of aaq_result int8, and mask has eight masks of 128 bits, each a whole number.
- `+ - * / // % ** & | ^ ~ << >> == != < <= > >= and or not && || !`, `a ? b : c`, lists, functions
  (see `FUNCTIONS`). Vectors combine element by element with vectors of their length and with
  single values. A condition is a single value.
- Formats after a comma: `,x ,u ,b ,o ,d` and every type.

Whatever the text, evaluating it ends soon and raises nothing but ExpressionError.
"""

from __future__ import annotations

from typing import NamedTuple

from ipu_asm.debugger.expressions import operators
from ipu_asm.debugger.expressions.assignment import (
    PlaceError,
    assign,
    place_of,
    split_assignment,
    write,
)
from ipu_asm.debugger.expressions.context import Context, LiveContext, SavedContext, Writable
from ipu_asm.debugger.expressions.element_types import FP8, TYPES, ElementType
from ipu_asm.debugger.expressions.evaluator import TYPE_NAMES, Evaluator
from ipu_asm.debugger.expressions.formatting import NOTATIONS, element_text, text_of
from ipu_asm.debugger.expressions.functions import FUNCTIONS
from ipu_asm.debugger.expressions.mistake import ExpressionError, shown
from ipu_asm.debugger.expressions.parser import parse
from ipu_asm.debugger.expressions.places import Place, Space, read, register_place
from ipu_asm.debugger.expressions.tree import Name
from ipu_asm.debugger.expressions.values import Value

__all__ = [
    "FUNCTIONS", "NOTATIONS", "TYPE_NAMES", "Context", "ExpressionError", "LiveContext", "Place",
    "PlaceError", "Result", "SavedContext", "Space", "Value", "Writable", "assign", "element_text",
    "evaluate", "holds", "parse", "place_of", "read", "register_place", "split_assignment",
    "text_of", "write",
]  # fmt: skip


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
    parsed = parse(text)
    evaluator = Evaluator(context)
    found, notation = evaluator.evaluate(parsed.node), None
    for name in parsed.formats:
        if name.text.lower() in NOTATIONS:
            notation = name.text.lower()
        else:
            found = evaluator.seen_as(found, _type(evaluator, name), name.span)
    result = Result(found.value, found.place, notation)
    if notation is not None:
        _refuse_floats_without_bits(result, parsed.formats[-1])
    return result


def holds(context: Context, text: str) -> bool:
    """Whether a condition holds. Raises ExpressionError."""
    parsed = parse(text)
    value = Evaluator(context).evaluate(parsed.node).value
    try:
        return operators.truth(value)
    except ValueError as error:
        raise ExpressionError(str(error), parsed.node.span) from None


def _type(evaluator: Evaluator, name: Name) -> ElementType:
    if name.text.lower() not in TYPE_NAMES:
        known = ", ".join((*NOTATIONS, *TYPES, FP8))
        raise ExpressionError(f"a format is one of {known}, found {shown(name.text)}", name.span)
    return evaluator.type_of(name)


def _refuse_floats_without_bits(result: Result, name: Name) -> None:
    try:
        result.text(None)
    except ValueError as error:
        raise ExpressionError(str(error), name.span) from None
