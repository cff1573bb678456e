"""The mult slot: 128 products at a time, looked up in the table of the element type.

One look-up serves all types and gives NaNs the exact bits of the machine.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from ipu_asm.emulator.faults import InstructionError
from ipu_asm.emulator.words import Words, signed
from ipu_asm.targets.ipu.machine.elements import Elements, Products, products_of
from ipu_asm.targets.ipu.machine.registers import (
    AAQ_START,
    CR,
    CYCLIC_SIZE,
    DTYPE,
    LANES,
    R_REG_SIZE,
    VECTORS,
)
from ipu_asm.targets.ipu.machine.state import IpuState
from ipu_asm.targets.ipu.machine.unit import Unit

_MASK = VECTORS["r_mask"].start
_MASK_SIZE = 16
_MASKS = R_REG_SIZE // _MASK_SIZE
_EMPTY_MASK = bytes(_MASK_SIZE)
_LAST_WINDOW = CYCLIC_SIZE - LANES


class MultUnit(Unit):
    """Methods of the mult slot. Each writes all of mult_res."""

    def __init__(self, state: IpuState, aaq_shift: int = 0) -> None:
        super().__init__(state, aaq_shift)
        place = VECTORS["r_cyclic"]
        self._cyclic = np.frombuffer(self._block, np.uint8, CYCLIC_SIZE, place.start)
        # Indices into the table, one for each lane; `_pairs` is (ra << 8 | rc), as bytes.
        self._lanes = np.zeros(LANES, np.intp)
        self._pair_bytes = bytearray(2 * LANES)
        self._pairs = np.frombuffer(self._pair_bytes, "<u2")
        self._second_operands = np.frombuffer(self._pair_bytes, np.uint8)[::2]
        self._products = self._registers.product_words

    @cached_property
    def _windows(self) -> list[Elements]:
        """All 128 elements of r_cyclic that follow each other, by the first one."""
        return [self._cyclic[i : i + LANES] for i in range(_LAST_WINDOW + 1)]

    def execute_mult_ee(
        self, *, ra: bytearray, cyclic_offset: int, mask_offset: int, mask_shift: int
    ) -> None:
        """Multiply the elements of ra by 128 elements of r_cyclic, which wrap around at its end."""
        table = self._table()
        self._load_lanes(cyclic_offset % CYCLIC_SIZE, self._cyclic)
        self._second_operands[...] = self._lanes
        self._multiply_pairs(table, ra, mask_offset, mask_shift)

    def execute_mult_ev(
        self, *, ra: bytearray, fixed_cyclic_idx: int, mask_offset: int, mask_shift: int
    ) -> None:
        """Multiply every element of ra by one element of r_cyclic."""
        table = self._table()
        self._second_operands[...] = self._cyclic[fixed_cyclic_idx % CYCLIC_SIZE]
        self._multiply_pairs(table, ra, mask_offset, mask_shift)

    def execute_mult_ve(
        self,
        *,
        ra: bytearray,
        cyclic_offset: int,
        mask_offset: int,
        mask_shift: int,
        fixed_ra_idx: int,
    ) -> None:
        """Multiply one element of ra by 128 elements of r_cyclic, which wrap around at its end."""
        row = self._table().rows[ra[fixed_ra_idx % LANES]]
        start = cyclic_offset % CYCLIC_SIZE
        if start <= _LAST_WINDOW:
            self._lanes[...] = self._windows[start]
        else:
            self._load_lanes(start, self._cyclic)
        self._look_up(row, mask_offset, mask_shift)

    def execute_mult_nop(self) -> None:
        """Do nothing."""

    def execute_mult_ve_cr(
        self, *, cyclic_offset: int, mask_offset: int, mask_shift: int, cr_idx: int
    ) -> None:
        """Multiply the low byte of a cr register by 128 elements of r_cyclic, 1 past its end."""
        table, scalar = self._table(), self._scalars[CR + cr_idx]
        self._load_lanes(cyclic_offset, table.ones)
        self._look_up(table.rows[scalar & 0xFF], mask_offset, mask_shift)

    def execute_mult_ve_aaq(
        self, *, cyclic_offset: int, mask_offset: int, mask_shift: int, aaq_rf_idx: int
    ) -> None:
        """Multiply the low byte of an aaq register by 128 elements of r_cyclic, 1 past its end."""
        table, scalar = self._table(), self.snapshot.scalars[AAQ_START + aaq_rf_idx]
        self._load_lanes(cyclic_offset, table.ones)
        self._look_up(table.rows[scalar & 0xFF], mask_offset, mask_shift)

    def _table(self) -> Products:
        """The products of the current element type. Raises `InstructionError` if unknown."""
        try:
            return products_of(self._scalars[DTYPE])
        except ValueError as error:
            raise InstructionError(f"cr15: {error}") from None

    def _load_lanes(self, start: int, beyond: Elements) -> None:
        """Load 128 elements of r_cyclic into the lanes; elements past its end from `beyond`."""
        inside = max(0, min(CYCLIC_SIZE - start, LANES))
        self._lanes[:inside] = self._cyclic[start : start + inside]
        self._lanes[inside:] = beyond[: LANES - inside]

    def _multiply_pairs(
        self, table: Products, firsts: bytearray, mask_offset: int, mask_shift: int
    ) -> None:
        """Multiply `firsts` by the elements in the low bytes of the pairs."""
        self._pair_bytes[1::2] = firsts
        self._lanes[...] = self._pairs
        self._look_up(table.pairs, mask_offset, mask_shift)

    def _look_up(self, table: Words, mask_offset: int, mask_shift: int) -> None:
        """Write the products at the indices in the lanes to mult_res; masked ones are zero."""
        table.take(self._lanes, None, self._products, "clip")
        start = _MASK + mask_offset % _MASKS * _MASK_SIZE
        mask = self._block[start : start + _MASK_SIZE]
        if mask != _EMPTY_MASK:
            np.bitwise_and(
                self._products, _and_mask(bytes(mask), signed(mask_shift)), self._products
            )


@lru_cache(maxsize=256)
def _and_mask(mask: bytes, shift: int) -> Words:
    """An AND mask per word: zero where the shifted mask has a bit; positive shifts go up."""
    bits = int.from_bytes(mask, "little")
    distance = min(abs(shift), LANES)
    bits = (bits << distance if shift > 0 else bits >> distance) & (1 << LANES) - 1
    content = np.frombuffer(bits.to_bytes(_MASK_SIZE, "little"), np.uint8)
    return np.unpackbits(content, bitorder="little").astype(np.uint32) - np.uint32(1)
