"""The mult slot: 128 products at a time.

Its elements are those from before the bundle, its masks those that the bundle may have just loaded.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Protocol

import numpy as np

from ipu_asm.emulator.stops import InstructionError
from ipu_asm.emulator.words import (
    LANES,
    NAN_PAYLOADS_PROPAGATE,
    FloatErrors,
    Floats,
    Words,
    repair_nans,
)
from ipu_asm.isa.storage import signed
from ipu_asm.targets.ipu2.machine.state import (
    CR,
    FP32,
    INT32,
    PAD_WORDS,
    VECTORS,
    Elements,
    ElementType,
    Ipu2State,
    Unit,
    data_structure,
    products_of,
)

_MASK: Final = VECTORS["r_mask"].start


class MultUnit(Unit):
    """Methods of the mult slot. Each writes all of mult_res."""

    def __init__(self, state: Ipu2State) -> None:
        super().__init__(state)
        self._multiplier = self._make_multiplier()
        self._products = self._registers.product_words
        wide = "_wide" if state.settings.wide else ""
        self._cyclic = self._ring(f"r_cyclic{wide}")
        self._stage = self._ring(f"r{wide}")

    def execute_mult_rc_vv(
        self, *, rc_idx: int, ra: int, mask_offset: int, mask_shift: int, cr_idx: int
    ) -> None:
        """Multiply 128 elements of r_cyclic by those of r0 or r1."""
        elements = self._cyclic.window(rc_idx)
        self._multiplier.write_products(elements, self._stage.window(ra * LANES))
        self._pad(mask_offset, mask_shift, cr_idx)

    def execute_mult_rc_ve(
        self, *, rc_idx: int, src: int, mask_offset: int, mask_shift: int, cr_idx: int
    ) -> None:
        """Multiply 128 elements of r_cyclic by one of r0 and r1, or by the low byte of a cr."""
        word = self._scalars[src]
        factor = self._stage.element(word) if src < CR else self._multiplier.factor(word)
        self._multiplier.write_multiples(self._cyclic.window(rc_idx), factor)
        self._pad(mask_offset, mask_shift, cr_idx)

    def execute_mult_rc_vs(
        self, *, rc_idx: int, mask_offset: int, mask_shift: int, cr_idx: int
    ) -> None:
        """Square 128 elements of r_cyclic."""
        self._multiplier.write_squares(self._cyclic.window(rc_idx))
        self._pad(mask_offset, mask_shift, cr_idx)

    def execute_mult_ve(
        self, *, ra_idx: int, cr_idx: int, mask_offset: int, mask_shift: int, dstructure_cr_idx: int
    ) -> None:
        """Multiply 128 elements of r0 and r1 by the low byte of a cr."""
        factor = self._multiplier.factor(cr_idx)
        self._multiplier.write_multiples(self._stage.window(ra_idx), factor)
        self._pad(mask_offset, mask_shift, dstructure_cr_idx)

    def execute_mult_ee(
        self, *, ra_idx: int, cr_idx: int, mask_offset: int, mask_shift: int, dstructure_cr_idx: int
    ) -> None:
        """Multiply one element of r0 and r1 by the low byte of a cr, into every word."""
        factor = self._multiplier.factor(cr_idx)
        self._multiplier.write_constant(self._stage.element(ra_idx), factor)
        self._pad(mask_offset, mask_shift, dstructure_cr_idx)

    def _pad(self, mask_offset: int, mask_shift: int, structure_word: int) -> None:
        """Overwrite the products whose bit in the shifted mask is 0."""
        structure = data_structure(structure_word)
        if structure.pad_mode and not self._has_float_words:
            raise InstructionError(
                "pad_mode must be 0 (zero) where words are int32, "
                f"found {structure.pad_mode} in the data structure {structure_word:#x}"
            )
        start = _MASK + mask_offset * MASK_SIZE
        mask = self._block[start : start + MASK_SIZE]
        if not mask_shift and mask == EVERY_ELEMENT:
            return
        distance = limited_shift(signed(mask_shift))
        kept = kept_words(bytes(mask), distance, structure.partition)
        np.bitwise_and(self._products, kept, self._products)
        if structure.pad_mode:
            pad = np.uint32(PAD_WORDS[structure.pad_mode])
            np.bitwise_or(self._products, ~kept & pad, self._products)

    def _make_multiplier(self) -> Multiplier:
        results = self._registers.product_words
        if self._settings.wide == FP32:
            return WideFloatMultiplier(results, self._float_errors)
        if self._settings.wide == INT32:
            return WideIntMultiplier(results)
        return NarrowMultiplier(self._settings.dtype, results)

    def _ring(self, name: str) -> Ring:
        """A register's elements from before the bundle."""
        vector, kind = VECTORS[name], np.dtype(self._multiplier.kind)
        number = vector.size * vector.elements // kind.itemsize
        return Ring(np.frombuffer(self.snapshot.block, kind, number, vector.start))


# The arithmetic of the multiplier, one class for each sort of element.
# `write_*` writes all of mult_res. Narrow elements are bytes, whose products are looked up; wide
# ones are words.


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
        return np.int32(signed(word, 8))

    def write_products(self, first: Any, second: Any) -> None:
        np.multiply(first, second, self._results)

    write_multiples = write_products

    def write_squares(self, elements: Any) -> None:
        np.multiply(elements, elements, self._results)

    def write_constant(self, element: np.int32, factor: np.int32) -> None:
        self._results.fill(signed(int(element) * int(factor)))


class WideFloatMultiplier:
    """Multiplies float32, rounded once."""

    kind: Final = "<f4"

    def __init__(self, results: Words, errors: FloatErrors) -> None:
        self._words = results
        self._results: Floats = results.view("<f4")
        self._errors = errors

    def factor(self, word: int) -> np.float32:
        return np.float32(signed(word, 8))

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


MASK_SIZE: Final = 16
MASKS: Final = 8
EVERY_ELEMENT: Final = bytes([0xFF]) * MASK_SIZE

_FARTHEST: Final = 3


def limited_shift(distance: int) -> int:
    """Return the distance in elements by which a mask is shifted: -3 to 3."""
    return max(-_FARTHEST, min(_FARTHEST, distance))


@lru_cache(maxsize=256)
def kept_words(mask: bytes, distance: int, partition: int) -> Words:
    """Return an AND mask per word: all ones where the shifted mask has a bit, else zero.

    Positive distances shift towards higher elements. Within each of the `partition` groups, zeros
    come in at the border. Do not change the result.
    """
    bits = int.from_bytes(mask, "little")
    for _ in range(abs(distance)):
        bits = bits << 1 if distance > 0 else bits >> 1
        bits &= _entered(partition, distance > 0)
    content = np.frombuffer(bits.to_bytes(MASK_SIZE, "little"), np.uint8)
    return np.uint32(0) - np.unpackbits(content, bitorder="little").astype(np.uint32)


def _entered(partition: int, upwards: bool) -> int:
    """The bits that a shift by one element does not clear."""
    group = LANES // partition if partition else LANES
    cleared = sum(1 << start for start in range(0, LANES, group))
    return ((1 << LANES) - 1) & ~(cleared if upwards else cleared << group - 1)


class Ring:
    """The elements of a register, or of two in a row, from any index on."""

    __slots__ = ("_elements", "_size", "_windows")

    def __init__(self, elements: Any) -> None:
        self._elements = elements
        self._size = len(elements)
        self._windows = [elements[i : i + LANES] for i in range(self._size - LANES + 1)]

    def window(self, start: int) -> Any:
        """Return 128 elements; the first one follows the last."""
        start %= self._size
        if start < len(self._windows):
            return self._windows[start]
        return np.concatenate(
            (self._elements[start:], self._windows[0][: start - self._size + LANES])
        )

    def element(self, index: int) -> Any:
        return self._elements[index % self._size]
