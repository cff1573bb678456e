"""Arithmetic on numbers and, element by element, on vectors.

Whole numbers are exact and at most 4,096 bits long, in vectors 128. `/` gives a float; `//` and `%`
round down. Floats follow IEEE 754: division by zero gives infinity or NaN. Division of a whole
number by a whole zero is an error.
"""

from __future__ import annotations

import math
import operator
from typing import Callable, Final, Sequence

from ipu_asm.debugger.expressions.element_types import Number
from ipu_asm.debugger.expressions.errors import number_text
from ipu_asm.debugger.expressions.values import Value

MAX_BITS: Final = 4096
MAX_BITS_IN_VECTOR: Final = 128
_Operation = Callable[[Number, Number, int], Number]


def binary(sign: str, left: Value, right: Value) -> Value:
    """Apply a binary operator. Raises ValueError with the accepted operands."""
    if left.is_vector and right.is_vector and len(left.numbers) != len(right.numbers):
        raise ValueError(
            f"`{sign}` takes vectors of equal length, "
            f"found {len(left.numbers)} and {len(right.numbers)} values"
        )
    is_vector = left.is_vector or right.is_vector
    most = MAX_BITS_IN_VECTOR if is_vector else MAX_BITS
    length = max(len(left.numbers), len(right.numbers)) if is_vector else 1
    operation = _OPERATIONS[sign]
    numbers = [
        bounded(operation(one, other, most), most)
        for one, other in zip(_stretched(left, length), _stretched(right, length))
    ]
    return Value(tuple(numbers), None, is_vector)


def unary(sign: str, operand: Value) -> Value:
    """Apply a prefix operator. Raises ValueError with the accepted operand."""
    most = MAX_BITS_IN_VECTOR if operand.is_vector else MAX_BITS
    operation = _SIGNS[sign]
    numbers = tuple(bounded(operation(number), most) for number in operand.numbers)
    return Value(numbers, None, operand.is_vector)


def truth(value: Value) -> bool:
    """Return whether a single number is not zero. Raises ValueError for a vector."""
    if value.is_vector:
        raise ValueError(
            f"a condition is a single value, found {value.describe()}; use `any(...)` or `all(...)`"
        )
    return bool(value.number)


def bounded(number: Number, most: int = MAX_BITS) -> Number:
    """Return the number unchanged. Raises ValueError if it has more than `most` bits."""
    if isinstance(number, int) and number.bit_length() > most:
        raise ValueError(_too_long(most, f"{number.bit_length():,} bits"))
    return number


def _stretched(value: Value, length: int) -> Sequence[Number]:
    return value.numbers if value.is_vector else value.numbers * length


def _too_long(most: int, found: str) -> str:
    where = "a number in a vector" if most == MAX_BITS_IN_VECTOR else "a number"
    return f"{where} has at most {most:,} bits, found {found}"


def _exact(operation: Callable[[int, int], int]) -> _Operation:
    def applied(one: Number, other: Number, most: int) -> Number:
        return operation(whole(one), whole(other))

    return applied


def _floating(operation: Callable[[Number, Number], Number]) -> _Operation:
    def applied(one: Number, other: Number, most: int) -> Number:
        try:
            return operation(one, other)
        except OverflowError:
            raise ValueError("a float is below 1.8e308, found a greater number") from None

    return applied


def whole(number: Number) -> int:
    """Return the number unchanged. Raises ValueError for a float."""
    if isinstance(number, float):
        raise ValueError(f"bits are those of whole numbers, found {number!r}")
    return number


def _shift(one: Number, other: Number, most: int, left: bool) -> Number:
    number, distance = whole(one), whole(other)
    if not 0 <= distance <= most:
        raise ValueError(f"a shift goes 0 to {most:,} bits far, found {number_text(distance)}")
    return number << distance if left else number >> distance


def _divide(one: Number, other: Number) -> Number:
    if other != 0:
        return one / other
    _refuse_whole_zero(one, other)
    if one == 0 or math.isnan(one):
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, one) * math.copysign(1.0, other))


def _floor_divide(one: Number, other: Number) -> Number:
    return one // other if other != 0 else _divide(one, other)


def _remainder(one: Number, other: Number) -> Number:
    if other != 0:
        return one % other
    _refuse_whole_zero(one, other)
    return math.nan


def _refuse_whole_zero(one: Number, other: Number) -> None:
    if isinstance(one, int) and isinstance(other, int):
        raise ValueError(f"the divisor must not be zero, found {number_text(one)} divided by 0")


def _power(one: Number, other: Number, most: int) -> Number:
    if isinstance(one, int) and isinstance(other, int) and other >= 0:
        if (abs(one).bit_length() - 1) * other > most:
            raise ValueError(_too_long(most, "a longer power"))
        # Powers of -1, 0 and 1 are short and fast for any exponent.
        power: int = one**other
        return power
    try:
        result: object = one**other
    except ZeroDivisionError:
        raise ValueError("zero has no negative power") from None
    if isinstance(result, complex):
        raise ValueError(f"a fractional power is that of a positive number, found {one!r}")
    assert isinstance(result, (int, float))
    return result


def _raise_to(one: Number, other: Number, most: int) -> Number:
    try:
        return _power(one, other, most)
    except OverflowError:
        raise ValueError("a float is below 1.8e308, found a greater power") from None


_OPERATIONS: Final[dict[str, _Operation]] = {
    "+": _floating(operator.add),
    "-": _floating(operator.sub),
    "*": _floating(operator.mul),
    "/": _floating(_divide),
    "//": _floating(_floor_divide),
    "%": _floating(_remainder),
    "**": _raise_to,
    "&": _exact(operator.and_),
    "|": _exact(operator.or_),
    "^": _exact(operator.xor),
    "<<": lambda one, other, most: _shift(one, other, most, left=True),
    ">>": lambda one, other, most: _shift(one, other, most, left=False),
    "==": lambda one, other, most: one == other,
    "!=": lambda one, other, most: one != other,
    "<": lambda one, other, most: one < other,
    "<=": lambda one, other, most: one <= other,
    ">": lambda one, other, most: one > other,
    ">=": lambda one, other, most: one >= other,
    "and": lambda one, other, most: bool(one) and bool(other),
    "or": lambda one, other, most: bool(one) or bool(other),
}
_SIGNS: Final[dict[str, Callable[[Number], Number]]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": lambda number: ~int(whole(number)),
    "not": lambda number: not number,
}
