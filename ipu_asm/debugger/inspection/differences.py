"""Elements of a machine compared with those that a file says, bit by bit."""

from __future__ import annotations

import math
from typing import Sequence

from ipu_asm.debugger.inspection.texts import element_texts
from ipu_asm.emulator.element_types import ElementType
from ipu_asm.expressions.arithmetic import Number
from ipu_asm.named_tuple import NamedTuple


class ElementDifference(NamedTuple):
    """What some elements should be; `differing` are the indices of those that are something else.

    `expected` and `texts` are those of all elements, `name` is the file as it was asked for.
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
    """Return how many of all elements differ."""
    count = len(difference.differing)
    return f"{count:,} of {len(elements):,} differ" if count else "equal"
