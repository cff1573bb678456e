"""Values as text.

A whole number is a signed decimal, followed by hexadecimal in parentheses. A float has the fewest
digits that round-trip to the same bits. The output of the formats `x`, `u`, `b`, `o` and `d`, and
of a vector with all its elements, parses as an expression again.
"""

from __future__ import annotations

import math
from struct import Struct
from typing import Final

from ipu_asm.debugger.expressions.values import Value
from ipu_asm.emulator.element_types import MASK, TYPES, ElementType
from ipu_asm.expressions.arithmetic import Number
from ipu_asm.expressions.errors import number_text

NOTATIONS: Final = {
    "d": "signed decimal", "u": "unsigned decimal", "x": "hexadecimal", "o": "octal", "b": "binary",
}  # fmt: skip
_PREFIXES: Final = {"x": "0x", "o": "0o", "b": "0b"}
_DIGIT_BITS: Final = {"x": 4, "o": 3, "b": 1}
_SHORT: Final = 8
_GROUP: Final = 16
_F32: Final = Struct("<f")
_SURE_DIGITS: Final = 6
"""Digits to try first: where a normal float32 has a shorter text, 6 digits round to it, too."""
_MAX_DIGITS: Final = 9
_SMALLEST_NORMAL: Final = 2.0**-126


def text_of(value: Value, notation: str | None = None, most: int | None = _SHORT) -> str:
    """Format a value; a vector with at most `most` elements, None for all of them.

    Raises ValueError for a computed float in a notation of bits.
    """
    if not value.is_vector:
        return _single(value, notation)
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
        return _float(number, kind)
    if kind == MASK and notation is None:
        return _in_bits(number, kind, "b")
    if kind is not None and notation in ("u", "d"):
        number &= kind.highest
        if notation == "d" and kind != MASK and number >> kind.bits - 1 and kind.bits > 1:
            number -= 1 << kind.bits
    return str(number)


def _single(value: Value, notation: str | None) -> str:
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


def _float(number: float, kind: ElementType | None) -> str:
    if not math.isfinite(number) or kind != TYPES["f32"]:
        return repr(number)
    wanted = _F32.pack(number)
    fewest = _SURE_DIGITS if abs(number) >= _SMALLEST_NORMAL else 1
    for digits in range(fewest, _MAX_DIGITS + 1):
        short = float(f"{number:.{digits}g}")
        try:
            if _F32.pack(short) == wanted:
                return repr(short)
        except OverflowError:
            # Rounding to this many digits exceeds the largest float32.
            continue
    return repr(number)
