"""The arithmetic of the multiplier, one class for each sort of element.

`write_*` writes all of mult_res. Narrow elements are bytes, whose products are looked up; wide ones
are words.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np

from ipu_asm.emulator.float_errors import FloatErrors
from ipu_asm.emulator.words import LANES, NAN_PAYLOADS_PROPAGATE, Floats, Words, repair_nans
from ipu_asm.targets.ipu2.machine.elements import Elements, ElementType, products_of


class Multiplier(Protocol):
    """Multiplies 128 elements. An element by itself is a number of numpy, of `kind`."""

    @property
    def kind(self) -> str:
        """The numpy type of elements."""

    def factor(self, word: int) -> Any:
        """Return the element in the low byte of a cr register."""

    def write_products(self, first: Any, second: Any) -> None:
        """Multiply 128 pairs of elements."""

    def write_multiples(self, elements: Any, factor: Any) -> None:
        """Multiply 128 elements by one."""

    def write_squares(self, elements: Any) -> None:
        """Multiply 128 elements by themselves."""

    def write_constant(self, element: Any, factor: Any) -> None:
        """Write the product of two elements to every word."""


class NarrowMultiplier:
    """Looks up the products of bytes. One look-up serves all element types."""

    kind: Final = "u1"

    def __init__(self, element_type: ElementType, results: Words) -> None:
        self._table = products_of(element_type)
        self._results = results
        # Indices into the table, one for each lane; `_pairs` is (first << 8 | second), as bytes.
        self._lanes = np.zeros(LANES, np.intp)
        self._pairs = np.zeros(LANES, "<u2")
        self._seconds, self._firsts = self._pairs.view(np.uint8).reshape(LANES, 2).T

    def factor(self, word: int) -> int:
        return word & 0xFF

    def write_products(self, first: Elements, second: Elements) -> None:
        self._firsts[...] = first
        self._seconds[...] = second
        self._lanes[...] = self._pairs
        self._table.pairs.take(self._lanes, None, self._results, "clip")

    def write_multiples(self, elements: Elements, factor: int) -> None:
        self._lanes[...] = elements
        self._table.rows[factor].take(self._lanes, None, self._results, "clip")

    def write_squares(self, elements: Elements) -> None:
        self._lanes[...] = elements
        self._table.squares.take(self._lanes, None, self._results, "clip")

    def write_constant(self, element: int, factor: int) -> None:
        self._results.fill(self._table.rows[factor][element])


class WideIntMultiplier:
    """Multiplies int32 modulo 2^32."""

    kind: Final = "<i4"

    def __init__(self, results: Words) -> None:
        self._results = results.view("<i4")

    def factor(self, word: int) -> np.int32:
        return np.int32(_signed_byte(word))

    def write_products(self, first: Any, second: Any) -> None:
        np.multiply(first, second, self._results)

    write_multiples = write_products

    def write_squares(self, elements: Any) -> None:
        np.multiply(elements, elements, self._results)

    def write_constant(self, element: np.int32, factor: np.int32) -> None:
        self._results.fill(_wrapped(int(element) * int(factor)))


class WideFloatMultiplier:
    """Multiplies float32, rounded once."""

    kind: Final = "<f4"

    def __init__(self, results: Words, errors: FloatErrors) -> None:
        self._words = results
        self._results: Floats = results.view("<f4")
        self._errors = errors

    def factor(self, word: int) -> np.float32:
        return np.float32(_signed_byte(word))

    def write_products(self, first: Floats, second: Floats) -> None:
        self._errors.invalid = False
        np.multiply(first, second, self._results)
        if self._errors.invalid or not NAN_PAYLOADS_PROPAGATE:
            repair_nans(self._words, first.view("<u4"), second.view("<u4"))

    def write_multiples(self, elements: Floats, factor: np.float32) -> None:
        # Which of two NaNs an array times a number propagates depends on the processor.
        if factor != factor:
            self.write_products(elements, np.full(LANES, factor))
            return
        self._errors.invalid = False
        np.multiply(elements, factor, self._results)
        if self._errors.invalid or not NAN_PAYLOADS_PROPAGATE:
            repair_nans(self._words, elements.view("<u4"), np.zeros(LANES, "<u4"))

    def write_squares(self, elements: Floats) -> None:
        self.write_products(elements, elements)

    def write_constant(self, element: np.float32, factor: np.float32) -> None:
        self.write_multiples(np.full(LANES, element), factor)


def _signed_byte(word: int) -> int:
    return (word & 0xFF ^ 0x80) - 0x80


def _wrapped(value: int) -> int:
    return (value + (1 << 31) & 0xFFFF_FFFF) - (1 << 31)
