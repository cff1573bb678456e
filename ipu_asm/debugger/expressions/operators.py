"""Operators on single values and, element by element, on vectors; see `arithmetic` for numbers."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.debugger.expressions.values import Value
from ipu_asm.expressions.arithmetic import (
    MAX_BITS,
    MAX_BITS_IN_VECTOR,
    OPERATIONS,
    SIGNS,
    Number,
    bounded,
)


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
    operation = OPERATIONS[sign]
    numbers = [
        bounded(operation(one, other, most), most)
        for one, other in zip(_stretched(left, length), _stretched(right, length))
    ]
    return Value(tuple(numbers), None, is_vector)


def unary(sign: str, operand: Value) -> Value:
    """Apply a prefix operator. Raises ValueError with the accepted operand."""
    most = MAX_BITS_IN_VECTOR if operand.is_vector else MAX_BITS
    operation = SIGNS[sign]
    numbers = tuple(bounded(operation(number), most) for number in operand.numbers)
    return Value(numbers, None, operand.is_vector)


def truth(value: Value) -> bool:
    """Return whether a single number is not zero. Raises ValueError for a vector."""
    if value.is_vector:
        raise ValueError(
            f"a condition is a single value, found {value.describe()}; use `any(...)` or `all(...)`"
        )
    return bool(value.number)


def _stretched(value: Value, length: int) -> Sequence[Number]:
    return value.numbers if value.is_vector else value.numbers * length
