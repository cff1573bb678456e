"""The slots mult, acc and aaq: 128 products at a time, their sums, and what becomes of these.

Products are looked up in the table of the element type. One look-up serves all types and gives
NaNs the exact bits of the machine.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache

import numpy as np
from numpy import add

from ipu_asm.emulator.registers import WORD_MASK
from ipu_asm.emulator.stops import InstructionError
from ipu_asm.emulator.words import (
    LANES,
    Words,
    is_nan_word,
    product,
    quiet_nans,
    sum_in_order,
    sum_words,
    to_float,
    to_word,
)
from ipu_asm.isa.storage import signed
from ipu_asm.targets.ipu.machine.state import (
    AAQ_START,
    CR,
    CYCLIC_SIZE,
    DTYPE,
    R_REG_SIZE,
    VECTORS,
    Elements,
    IpuState,
    Products,
    Unit,
    products_of,
)

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


_START_UNIT = 32
# First row or column to keep, and the step.
_KEPT = {0: (0, 1), 1: (0, 2), 2: (1, 2)}
_EXPANDED = {3: 1, 4: 2}


class AccUnit(Unit):
    """Methods of the acc slot."""

    def __init__(self, state: IpuState, aaq_shift: int = 0) -> None:
        super().__init__(state, aaq_shift)
        self._sums = np.zeros(LANES)
        self._addends = np.zeros(LANES)

    def execute_acc(self) -> None:
        """Add the products to the accumulator."""
        old, new = self.snapshot, self._registers
        if not self._scalars[DTYPE]:
            add(old.acc_ints, new.product_ints, out=new.acc_ints)
            return
        # A sum of two float32 in float32 equals that in double precision, rounded.
        self._float_errors.invalid = False
        add(old.acc_floats, new.product_floats, new.acc_floats)
        if self._nans_may_be_wrong():
            new.acc_words[...] = sum_words(old.acc_words, new.product_words)

    def execute_acc_first(self) -> None:
        """Set the accumulator to the products."""
        self._registers.acc_words[...] = self._registers.product_words

    def execute_reset_acc(self) -> None:
        """Set the accumulator to zero."""
        self._registers.acc_words.fill(0)

    def execute_acc_nop(self) -> None:
        """Do nothing."""

    def execute_acc_add_aaq(self, *, aaq_rf_idx: int) -> None:
        """Add the products and an aaq register to the accumulator."""
        aaq = self.snapshot.scalars[AAQ_START + aaq_rf_idx]
        old, new = self.snapshot, self._registers
        if not self._has_float_words():
            add(old.acc_ints, new.product_ints, out=new.acc_ints)
            add(new.acc_ints, signed(aaq), new.acc_ints)
            return
        self._float_errors.invalid = False
        self._sums[...] = old.acc_floats
        self._addends[...] = new.product_floats
        add(self._sums, self._addends, self._sums)
        self._finish_sum(aaq, old.acc_words, new.product_words)

    def execute_acc_add_aaq_first(self, *, aaq_rf_idx: int) -> None:
        """Set the accumulator to the products plus an aaq register."""
        aaq = self.snapshot.scalars[AAQ_START + aaq_rf_idx]
        registers = self._registers
        if not self._has_float_words():
            add(registers.product_ints, signed(aaq), out=registers.acc_ints)
            return
        self._float_errors.invalid = False
        self._sums[...] = registers.product_floats
        self._finish_sum(aaq, registers.product_words)

    def execute_acc_max(self, *, aaq_rf_idx: int) -> None:
        """Set the accumulator to the maximum of itself, products and an aaq register."""
        old, new = self.snapshot, self._registers
        if not self._has_float_words():
            np.maximum(old.acc_ints, new.product_ints, out=new.acc_ints)
        else:
            new.acc_words[...] = old.acc_words
            greater = new.product_floats > new.acc_floats
            np.copyto(new.acc_words, new.product_words, where=greater)
        self._finish_maximum(aaq_rf_idx)

    def execute_acc_max_first(self, *, aaq_rf_idx: int) -> None:
        """Set the accumulator to the maximum of products and an aaq register."""
        self._registers.acc_words[...] = self._registers.product_words
        self._finish_maximum(aaq_rf_idx)

    def execute_acc_stride(
        self, *, elements_in_row: int, horizontal_stride: int, vertical_stride: int, offset: int
    ) -> None:
        """Write the products of selected rows and columns side by side."""
        kept = self._strided(8 << elements_in_row, horizontal_stride, vertical_stride)
        start = offset % (LANES // _START_UNIT) * _START_UNIT
        end = start + kept.size
        if end > LANES:
            raise InstructionError(
                f"the result must end within the {LANES} elements of r_acc, "
                f"found {kept.size} elements from element {start} on"
            )
        self._registers.acc_words[start:end] = kept

    def _finish_sum(self, aaq: int, *operands: Words) -> None:
        """Add the aaq register to the sums of the operands and round once."""
        add(self._sums, to_float(aaq), self._sums)
        self._registers.acc_floats[...] = self._sums
        if self._nans_may_be_wrong() or is_nan_word(aaq):
            self._registers.acc_words[...] = sum_words(*operands, np.full(LANES, aaq, "<u4"))

    def _finish_maximum(self, aaq_rf_idx: int) -> None:
        """Take the maximum of accumulator and aaq register, the last of the operands."""
        aaq, registers = self.snapshot.scalars[AAQ_START + aaq_rf_idx], self._registers
        if not self._has_float_words():
            np.maximum(registers.acc_ints, signed(aaq), out=registers.acc_ints)
            return
        smaller = registers.acc_floats < to_float(aaq)
        np.copyto(registers.acc_words, np.uint32(aaq), where=smaller)
        quiet_nans(registers.acc_words)

    def _strided(self, width: int, horizontal: int, vertical: int) -> Words:
        """The words that a stride selects, in order."""
        columns = _EXPANDED.get(horizontal, horizontal)
        if columns not in _KEPT or vertical not in _KEPT:
            raise InstructionError("the stride modes of `acc.stride` must not be reserved ones")
        (first_row, row_step), (first_column, step) = _KEPT[vertical], _KEPT[columns]
        rows = self._registers.product_words.reshape(-1, width)[first_row::row_step]
        kept = rows[:, first_column::step]
        if horizontal in _EXPANDED:
            kept = np.pad(kept, ((0, 0), (0, width - kept.shape[1])))
        return kept.reshape(-1)


# The aaq slot: reduces the accumulator to one number, or quantizes it to bytes.
# It sees the result of the acc slot of the same bundle.

_MAX = 1
_VALUE, _VALUE_CR, _INV, _INV_SQRT = range(4)


class AaqUnit(Unit):
    """Methods of the aaq slot."""

    def __init__(self, state: IpuState, aaq_shift: int = 0) -> None:
        super().__init__(state, aaq_shift)
        result = VECTORS["aaq_result"]
        self._result = np.frombuffer(self._block, np.int8, LANES, result.start)
        self._running_sums = np.zeros(LANES)

    def execute_aaq_nop(self) -> None:
        """Do nothing."""

    def execute_agg(self, *, agg_mode: int, post_fn: int, cr_idx: int, aaq_rf_idx: int) -> None:
        """Reduce the accumulator to one number and apply a function to it, into an aaq register."""
        old = self.snapshot.scalars[AAQ_START + aaq_rf_idx]
        factor = self._scalars[CR + cr_idx]
        if self._has_float_words():
            value = self._float_maximum(to_float(old)) if agg_mode == _MAX else self._float_sum()
            word = _finish_float(value, post_fn, to_float(factor))
        else:
            word = _finish_int(self._int_aggregate(agg_mode, old), post_fn, signed(factor))
        self._scalars[AAQ_START + aaq_rf_idx] = word

    def execute_aaq(self) -> None:
        """Shift the words right by `aaq_shift` and clamp them to int8. Refuses float words."""
        if self._has_float_words():
            raise InstructionError(f"cr15 must be 0 (INT8), found {self._scalars[DTYPE]}")
        words = self._registers.acc_ints >> self.aaq_shift
        self._result[...] = np.minimum(np.maximum(words, -128), 127)

    def _int_aggregate(self, agg_mode: int, old: int) -> int:
        words = self._registers.acc_ints
        if agg_mode == _MAX:
            return max(int(words.max()), signed(old))
        return int(words.sum(dtype=np.int64))

    def _float_sum(self) -> float:
        """The sum in double precision, word by word."""
        np.add.accumulate(self._registers.acc_floats, 0, np.float64, self._running_sums)
        # A sum starts from +0.
        total = float(self._running_sums[-1]) + 0.0
        return sum_in_order(self._registers.acc_floats.tolist()) if math.isnan(total) else total

    def _float_maximum(self, old: float) -> float:
        """The maximum of the words and the aaq register; of equal ones the first.

        The first word is the initial maximum, and a NaN there is the result; later NaNs are
        ignored.
        """
        floats = self._registers.acc_floats
        best = to_float(int(self._registers.acc_words[0]))
        if math.isnan(best):
            return best
        greatest = floats[~np.isnan(floats)].max()
        # The first of +0 and -0.
        best = float(floats[(floats == greatest).argmax()])
        return old if old > best else best


def _finish_int(value: int, post_fn: int, factor: int) -> int:
    """The word of an INT8 aggregate: an int32, or a float32 for the inverses."""
    if post_fn in (_INV, _INV_SQRT):
        return to_word(_inverse(float(value), post_fn))
    if post_fn == _VALUE_CR:
        value *= factor
    if not -(1 << 31) <= value < 1 << 31:
        raise InstructionError(f"an aggregate must fit into 32 bits, found {value}")
    return value & WORD_MASK


def _finish_float(value: float, post_fn: int, factor: float) -> int:
    """The word of an FP8 aggregate, rounded once."""
    if post_fn in (_INV, _INV_SQRT):
        return to_word(_inverse(value, post_fn))
    return to_word(product(value, factor) if post_fn == _VALUE_CR else value)


def _inverse(value: float, post_fn: int) -> float:
    """Return the reciprocal or, for `_INV_SQRT`, the reciprocal square root.

    It is 0 where it is undefined: for 0, and for a square root also for negative values.
    """
    if post_fn == _INV_SQRT:
        return 1.0 / math.sqrt(value) if value > 0 else 0.0
    return 1.0 / value if value else 0.0
