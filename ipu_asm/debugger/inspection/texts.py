"""Texts of many elements at once, equal to `element_text` of each, and their differences."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Final, Sequence

from ipu_asm.debugger.expressions import NOTATIONS, element_text
from ipu_asm.debugger.inspection.comparison import Content
from ipu_asm.emulator.element_types import BIT, MASK, TYPES, ElementType, bfloat16_as_float32
from ipu_asm.emulator.words import float_texts
from ipu_asm.expressions import Number
from ipu_asm.named_tuple import NamedTuple

MAX_SUMMARIZED: Final = 4_096
"""Number of elements above which a summary omits minimum and maximum."""
_FEW: Final = 8
_GROUP: Final = 16
_OF_VALUES: Final = (None, "d")


def element_texts(kind: ElementType, data: Content, notation: str | None) -> list[str]:
    """Return the text of each element in a notation; the decimal value for None."""
    if kind.size == 1:
        table = _byte_texts(kind, notation)
        return [table[byte] for byte in data]
    if kind.is_float and notation in _OF_VALUES:
        return float_texts(bfloat16_as_float32(data) if kind.size == 2 else data)
    if kind == MASK:
        notation = notation or "x"
    elif notation is None:
        return [str(number) for number in kind.decode(data)]
    elif notation == "x":
        width = len("0x") + 2 * kind.size
        return [f"{number:#0{width}x}" for number in kind.unsigned().decode(data)]
    shown = kind.unsigned() if kind.is_float else kind
    return [element_text(number, shown, notation) for number in shown.decode(data)]


def single_texts(kind: ElementType, data: Content, notation: str | None) -> list[str]:
    """Return the text of elements on separate lines: decimal, with hexadecimal if useful."""
    if notation is not None or kind in (BIT, MASK):
        return element_texts(kind, data, notation)
    if kind.size == 1:
        table = _byte_texts(kind, None, True)
        return [table[byte] for byte in data]
    return _with_hexadecimal(kind, data)


def list_text(texts: list[str]) -> str:
    """Join the texts of elements to a list expression that can be assigned again."""
    return f"[{', '.join(texts)}]"


def summary(
    kind: ElementType,
    data: Content,
    is_all: bool,
    changed: int,
    notation: str | None,
    *,
    masked_bit: int = 1,
) -> str:
    """Summarize a vector in a line: type, minimum and maximum, changed count, first elements.

    Without `is_all`, `data` is only the beginning of the vector.
    """
    texts = element_texts(kind, data[: _FEW * kind.size], notation)
    parts = [kind.name]
    if is_all and data == data[: kind.size] * (len(data) // kind.size):
        parts.append(f"all {texts[0]}")
        texts = []
    elif is_all and len(data) <= MAX_SUMMARIZED * kind.size:
        parts += _extent(kind, data, notation, masked_bit)
    if changed:
        parts.append(f"{changed} changed")
    line = ", ".join(parts)
    return f"{line}: {', '.join(texts)}, …" if texts else line


def masked_count(mask: int, masked_bit: int) -> int:
    return mask.bit_count() if masked_bit else MASK.bits - mask.bit_count()


def mask_text(data: Content, changed: int, notation: str | None, masked_bit: int = 1) -> str:
    """Format a mask: the number of suppressed elements, and its bits from element 0 on."""
    number = int.from_bytes(data, "little")
    counts = f"{masked_count(number, masked_bit)} masked, "
    if changed:
        counts += f"{changed} changed, "
    if notation not in (None, "b"):
        return f"{counts}as a number: {element_text(number, MASK, notation)}"
    bits = f"{number:0{MASK.bits}b}"[::-1]
    groups = [bits[i : i + _GROUP] for i in range(0, len(bits), _GROUP)]
    return f"{counts}0..{len(bits) - 1}: {' '.join(groups)}"


def counter_text(number: int, notation: str | None) -> str:
    """Format a cycle or a bundle address, which are unsigned."""
    if notation is not None:
        return element_text(number, TYPES["u32"], notation)
    return _alone(number)


def parse_displayed_value(text: str) -> str:
    """Return the expression in a displayed value, which a user may have edited.

    Removes the second notation of a number, the previous value, the changed count and the register
    note. The bits of a mask become a number.
    """
    text = text.partition("#")[0].strip()
    for pattern in _ADDED:
        text = pattern.sub(r"\g<kept>", text)
    mask = _MASK.fullmatch(text)
    return f"0b{mask[1].replace(' ', '')[::-1]}" if mask else text


_ADDED: Final = [
    re.compile(pattern)
    for pattern in (
        r"(?P<kept>) was \S+\Z",
        r"(?P<kept>), [0-9]+ changed\Z",
        r"\A[0-9]+ masked, (?:[0-9]+ changed, )?as a number: (?P<kept>)",
        r"\A(?P<kept>[-+]?(?:[0-9][0-9.e+_-]*|nan|inf)) \(0x[0-9a-f]+\)\Z",
        r"\A(?P<kept>0x[0-9a-f]+) \(-?[0-9]+\)\Z",
    )
]
_MASK: Final = re.compile(r"[0-9]+ masked, (?:[0-9]+ changed, )?0\.\.127: ([01 ]+)")


@lru_cache(maxsize=8 * len(NOTATIONS) * len(TYPES))
def _byte_texts(kind: ElementType, notation: str | None, alone: bool = False) -> list[str]:
    every = bytes(range(256))
    if kind == BIT:
        return [element_text(byte & 1, kind, notation) for byte in every]
    if alone:
        return _with_hexadecimal(kind, every)
    shown = kind if not kind.is_float or notation in _OF_VALUES else kind.unsigned()
    return [element_text(number, shown, notation) for number in shown.decode(every)]


def _with_hexadecimal(kind: ElementType, data: Content) -> list[str]:
    if not kind.is_float:
        return [_alone(number, kind) for number in kind.decode(data)]
    bits = element_texts(kind.unsigned(), data, "x")
    return [f"{text} ({shown})" for text, shown in zip(element_texts(kind, data, None), bits)]


def _alone(number: Number, kind: ElementType | None = None) -> str:
    if 0 <= number < 10:
        return str(number)
    return f"{number} ({int(number) & kind.highest if kind is not None else number:#x})"


def _extent(kind: ElementType, data: Content, notation: str | None, masked_bit: int) -> list[str]:
    """Minimum, maximum and NaN count; for bits the number of masked elements."""
    if kind == BIT:
        return [f"{data.count(masked_bit)} masked"]
    # The distinct bytes suffice.
    numbers = kind.decode(bytes(sorted(set(data))) if kind.size == 1 else data)
    ordered = [number for number in numbers if number == number]
    parts = []
    if ordered:
        least, most = min(ordered), max(ordered)
        parts = [f"min {element_text(least, kind, notation)}"]
        parts += [f"max {element_text(most, kind, notation)}"]
    if kind.is_float:
        parts.append(f"{_nan_count(kind, data) or 'no'} NaN")
    return parts


def _nan_count(kind: ElementType, data: Content) -> int:
    if kind.size > 1:
        return sum(number != number for number in kind.decode(data))
    values = kind.decode(bytes(range(256)))
    return sum(data.count(byte) for byte in set(data) if values[byte] != values[byte])


class ElementDifference(NamedTuple):
    """What some elements should be; `differing` are the indices of those that are something else.

    `expected` and `texts` cover all elements, `name` is the file as requested.
    """

    name: str
    expected: tuple[Number, ...]
    texts: tuple[str, ...]
    differing: tuple[int, ...]


def element_difference(
    name: str, kind: ElementType, found: bytes | bytearray, expected: bytes
) -> ElementDifference:
    """Compare the bytes of elements of a type with those that are expected, as many."""
    size = kind.size
    differing = [
        index
        for index in range(len(found) // size)
        if found[index * size : (index + 1) * size] != expected[index * size : (index + 1) * size]
    ]
    texts = element_texts(kind, expected, None)
    return ElementDifference(name, kind.decode(expected), tuple(texts), tuple(differing))


def amount_text(found: Number, expected: Number) -> str:
    """Return by how much a number is larger than expected, such as `+2`; empty if not finite."""
    amount = found - expected
    if not math.isfinite(amount):
        return ""
    return f"{amount:+}" if isinstance(amount, int) else f"{amount:+.7g}"


def count_text(difference: ElementDifference, elements: Sequence[object]) -> str:
    count = len(difference.differing)
    return f"{count:,} of {len(elements):,} differ" if count else "equal"
