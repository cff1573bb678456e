"""The mult slot: 128 products at a time.

Its elements are those from before the bundle, its masks those that the bundle may have just loaded.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ipu_asm.emulator.faults import InstructionError
from ipu_asm.emulator.words import LANES, signed
from ipu_asm.targets.ipu2.machine.dstructure import PAD_WORDS, data_structure
from ipu_asm.targets.ipu2.machine.masks import EVERY_ELEMENT, MASK_SIZE, kept_words, limited_shift
from ipu_asm.targets.ipu2.machine.products import (
    Multiplier,
    NarrowMultiplier,
    WideFloatMultiplier,
    WideIntMultiplier,
)
from ipu_asm.targets.ipu2.machine.registers import CR, VECTORS
from ipu_asm.targets.ipu2.machine.ring import Ring
from ipu_asm.targets.ipu2.machine.state import FP32, INT32, Ipu2State
from ipu_asm.targets.ipu2.machine.unit import Unit

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
