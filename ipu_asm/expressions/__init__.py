"""Expressions about a machine: text to syntax tree, and arithmetic on numbers.

Assertions in comments, conditions of breakpoints and the console share this syntax; each evaluates
the tree with its own values. Begin with `parser.py`.

Whole numbers are exact and have at most a given number of bits. `/` gives a float; `//` and `%`
round down. Floats follow IEEE 754: division by zero gives infinity or NaN. Division of a whole
number by a whole zero is an error.
"""

from __future__ import annotations

import math
import operator
from typing import Callable, Final

from ipu_asm.expressions.tree import number_text

Number = int | float
MAX_BITS: Final = 4096
MAX_BITS_IN_VECTOR: Final = 128
Operation = Callable[[Number, Number, int], Number]


def bounded(number: Number, most: int = MAX_BITS) -> Number:
    """Return the number unchanged. Raises ValueError if it has more than `most` bits."""
    if isinstance(number, int) and number.bit_length() > most:
        raise ValueError(_too_long(most, f"{number.bit_length():,} bits"))
    return number


def _too_long(most: int, found: str) -> str:
    where = "a number in a vector" if most == MAX_BITS_IN_VECTOR else "a number"
    return f"{where} has at most {most:,} bits, found {found}"


def _exact(operation: Callable[[int, int], int]) -> Operation:
    def applied(one: Number, other: Number, most: int) -> Number:
        return operation(whole(one), whole(other))

    return applied


def _floating(operation: Callable[[Number, Number], Number]) -> Operation:
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


OPERATIONS: Final[dict[str, Operation]] = {
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
"""What each binary operator does with two numbers, with the limit on the bits of the result."""
SIGNS: Final[dict[str, Callable[[Number], Number]]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": lambda number: ~int(whole(number)),
    "not": lambda number: not number,
}
"""What each prefix operator does with a number."""
