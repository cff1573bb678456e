"""Values of expressions: numbers and vectors, operators, functions, and their texts.

`min`, `max`, `argmin` and `argmax` ignore NaN; if all values are NaN, `min` and `max` return NaN.

As text, a whole number is a signed decimal, followed by hexadecimal in parentheses. A float has the
fewest digits that round-trip to the same bits. The output of the formats `x`, `u`, `b`, `o` and
`d`, and of a vector with all its elements, parses as an expression again.
"""

from __future__ import annotations

import math
from typing import Callable, Final, Sequence

from ipu_asm.emulator.element_types import BIT, MASK, ElementType
from ipu_asm.expressions import (
    MAX_BITS,
    MAX_BITS_IN_VECTOR,
    OPERATIONS,
    SIGNS,
    Number,
    bounded,
)
from ipu_asm.expressions.tree import number_text
from ipu_asm.named_tuple import NamedTuple


class Value(NamedTuple):
    """One number or a vector of them.

    `kind` is the type of a value that was read from a register or memory or converted to a type;
    None for a computed value.
    """

    numbers: tuple[Number, ...]
    kind: ElementType | None = None
    is_vector: bool = False
    raw_bits: tuple[Number, ...] | None = None
    """The bits of floats that were read; `numbers` does not preserve the bits of a NaN."""

    @property
    def number(self) -> Number:
        return self.numbers[0]

    def expand_mask(self) -> Value:
        """Return a single mask as its 128 bits, any other value unchanged."""
        if self.kind != MASK or self.is_vector:
            return self
        return Value(bits_of(self.numbers[0]), BIT, True)

    def describe(self) -> str:
        return f"{len(self.numbers)} values" if self.is_vector else f"{number_text(self.number)}"


def converted(value: Value, kind: ElementType) -> Value:
    """Convert computed numbers to a type: integers keep their low bits, floats are rounded.

    Raises ValueError.
    """
    data = b"".join(_element(number, kind) for number in value.numbers)
    return Value(kind.decode(data), kind, value.is_vector)


def binary_operation(sign: str, left: Value, right: Value) -> Value:
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


def unary_operation(sign: str, operand: Value) -> Value:
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


def _element(number: Number, kind: ElementType) -> bytes:
    if isinstance(number, int) and not kind.is_float:
        return (number & kind.highest).to_bytes(kind.size, "little")
    if not kind.is_float:
        raise ValueError(f"`{kind.name}` takes a whole number, found {number!r}; use `int(...)`")
    return kind.encode(number)


def bits_of(mask: Number) -> tuple[Number, ...]:
    """Return the 128 bits of a mask, the lowest first."""
    return tuple(int(mask) >> bit & 1 for bit in range(MASK.bits))


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
NOTATIONS: Final = {
    "d": "signed decimal", "u": "unsigned decimal", "x": "hexadecimal", "o": "octal", "b": "binary",
}  # fmt: skip
_PREFIXES: Final = {"x": "0x", "o": "0o", "b": "0b"}
_DIGIT_BITS: Final = {"x": 4, "o": 3, "b": 1}
_SHORT: Final = 8
_GROUP: Final = 16
_SURE_DIGITS: Final = {4: 6, 2: 2}
"""By size, digits to try first: where a normal number has a shorter text, so many round to it."""
_MAX_DIGITS: Final = 9
_MIN_NORMAL: Final = 2.0**-126


def text_of(value: Value, notation: str | None = None, most: int | None = _SHORT) -> str:
    """Format a value; a vector with at most `most` elements, None for all of them.

    Raises ValueError for a computed float in a notation of bits.
    """
    if not value.is_vector:
        return _single_text(value, notation)
    numbers, kind = value.numbers, value.kind
    if kind == MASK and notation is None:
        notation = "x"
    if value.raw_bits is not None and kind is not None and notation in ("u", *_PREFIXES):
        numbers, kind = value.raw_bits, kind.unsigned()
    shown = numbers if most is None else numbers[:most]
    texts = [element_text(number, kind, notation) for number in shown]
    if len(shown) < len(numbers):
        texts.append(f"… {len(value.numbers)} values")
    return f"[{', '.join(texts)}]"


def refuse_floats_without_bits(value: Value, notation: str) -> None:
    """Check that a value has bits to show. Raises ValueError for computed floats."""
    if notation in _PREFIXES and value.kind is None:
        for number in value.numbers:
            if isinstance(number, float):
                raise _without_bits(number, notation)


def element_text(number: Number, kind: ElementType | None, notation: str | None = None) -> str:
    """Format one number, without hexadecimal in parentheses."""
    if notation is not None and notation in _PREFIXES:
        return _in_bits(number, kind, notation)
    if isinstance(number, bool):
        return "true" if number else "false"
    if isinstance(number, float):
        return _float_text(number, kind)
    if kind == MASK and notation is None:
        return _in_bits(number, kind, "b")
    if kind is not None and notation in ("u", "d"):
        number &= kind.highest
        if notation == "d" and kind != MASK and number >> kind.bits - 1 and kind.bits > 1:
            number -= 1 << kind.bits
    return str(number)


def _single_text(value: Value, notation: str | None) -> str:
    number, kind = value.number, value.kind
    bits, unsigned = number, kind
    if value.raw_bits is not None and kind is not None:
        bits, unsigned = value.raw_bits[0], kind.unsigned()
    if notation is not None:
        of_bits = notation in ("u", *_PREFIXES)
        return element_text(*((bits, unsigned) if of_bits else (number, kind)), notation)
    text = element_text(number, kind)
    alone = isinstance(number, bool) or kind == MASK or (isinstance(number, float) and not kind)
    if alone or (isinstance(number, int) and 0 <= number < 10):
        return text
    return f"{text} ({_in_bits(bits, unsigned, 'x')})"


def _in_bits(number: Number, kind: ElementType | None, notation: str) -> str:
    """Hexadecimal, octal or binary text; a number with a type has all digits of its width."""
    if kind is None:
        if isinstance(number, float):
            raise _without_bits(number, notation)
        sign = "-" if number < 0 else ""
        return f"{sign}{_PREFIXES[notation]}{format(abs(number), notation)}"
    width = -(-kind.bits // _DIGIT_BITS[notation])
    if isinstance(number, float):
        number = int.from_bytes(kind.encode(number), "little")
    digits = format(number & kind.highest, f"0{width}{notation}")
    if width > 2 * _GROUP:
        digits = "_".join(digits[i : i + _GROUP] for i in range(0, width, _GROUP))
    return _PREFIXES[notation] + digits


def _without_bits(number: float, notation: str) -> ValueError:
    found = f"found the computed float {number_text(number)}; give it a type: `f32(...)`"
    return ValueError(f"`{notation}` shows bits, {found}")


def _float_text(number: float, kind: ElementType | None) -> str:
    if kind is None or not math.isfinite(number) or kind.kind != "float":
        return repr(number)
    wanted = kind.encode(number)
    fewest = _SURE_DIGITS[kind.size] if abs(number) >= _MIN_NORMAL else 1
    for digits in range(fewest, _MAX_DIGITS + 1):
        short = float(f"{number:.{digits}g}")
        try:
            if kind.encode(short) == wanted:
                return repr(short)
        except ValueError:
            # Rounding to this many digits exceeds the largest number.
            continue
    return repr(number)
