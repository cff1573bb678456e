"""The functions of the expression language.

`min`, `max`, `argmin` and `argmax` ignore NaN; if all values are NaN, `min` and `max` return NaN.
"""

from __future__ import annotations

import math
from typing import Callable, Final, Sequence

from ipu_asm.debugger.expressions.values import Value
from ipu_asm.expressions.arithmetic import MAX_BITS, MAX_BITS_IN_VECTOR, Number, bounded
from ipu_asm.named_tuple import NamedTuple


class Function(NamedTuple):
    """A function: sets `map_element`, or `reduce`, which takes the values of all arguments."""

    reduce: Callable[[Sequence[Number]], Number] | None
    map_element: Callable[[Number], Number] | None
    summary: str

    def apply(self, arguments: Sequence[Value]) -> Value:
        """Return the value of the call. Raises ValueError with the accepted arguments."""
        expanded = [argument.expand_mask() for argument in arguments]
        if self.reduce is not None:
            numbers = [number for value in expanded for number in value.numbers]
            return Value((bounded(self.reduce(numbers)),))
        assert self.map_element is not None
        (value,) = arguments
        most = MAX_BITS_IN_VECTOR if value.is_vector else MAX_BITS
        changed = (bounded(self.map_element(number), most) for number in value.numbers)
        return Value(tuple(changed), None, value.is_vector)


def _sum(numbers: Sequence[Number]) -> Number:
    total: Number = 0
    try:
        for number in numbers:
            total += number
    except OverflowError:
        raise ValueError("a float is below 1.8e308, found a greater sum") from None
    return total


def _is_nan(number: Number) -> bool:
    # `math.isnan` would overflow converting a long whole number.
    return isinstance(number, float) and math.isnan(number)


def _ordered(numbers: Sequence[Number]) -> list[Number]:
    return [number for number in numbers if not _is_nan(number)]


def _index_of(numbers: Sequence[Number], chosen: Number) -> int:
    if _is_nan(chosen):
        raise ValueError("expected an element that is a number, all are NaN")
    return list(numbers).index(chosen)


def _least(numbers: Sequence[Number]) -> Number:
    return min(_ordered(numbers), default=math.nan)


def _greatest(numbers: Sequence[Number]) -> Number:
    return max(_ordered(numbers), default=math.nan)


def _integer(number: Number) -> int:
    if isinstance(number, float) and not math.isfinite(number):
        raise ValueError(f"`int` takes a finite number, found {number!r}")
    return int(number)


def _float(number: Number) -> float:
    try:
        return float(number)
    except OverflowError:
        raise ValueError(
            f"a float is below 1.8e308, found a number of up to {MAX_BITS} bits"
        ) from None


FUNCTIONS: Final = {
    "sum": Function(_sum, None, "the sum of all values"),
    "min": Function(_least, None, "the smallest value"),
    "max": Function(_greatest, None, "the greatest value"),
    "argmin": Function(
        lambda all_: _index_of(all_, _least(all_)), None, "where the smallest value stands first"
    ),
    "argmax": Function(
        lambda all_: _index_of(all_, _greatest(all_)), None, "where the greatest value stands first"
    ),
    "any": Function(lambda all_: any(all_), None, "whether any value is not zero"),
    "all": Function(lambda all_: all(all_), None, "whether no value is zero"),
    "count": Function(lambda all_: sum(map(bool, all_)), None, "how many values are not zero"),
    "nan_count": Function(lambda all_: sum(map(_is_nan, all_)), None, "how many values are NaN"),
    "len": Function(len, None, "how many values there are"),
    "abs": Function(None, abs, "the size without the sign"),
    "int": Function(None, _integer, "the whole number towards zero"),
    "float": Function(None, _float, "the number as a float"),
}
