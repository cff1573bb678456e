"""The acc slot: accumulates the products of the bundle.

It reads the accumulator from before the bundle. Words that an instruction moves in its role as
arithmetic on float32 become quiet where they are NaN; `ACC.RESHAPE` moves bits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ipu_asm.emulator.faults import InstructionError
from ipu_asm.emulator.words import LANES, Words, quiet_nans, repair_nans
from ipu_asm.targets.ipu2.machine.state import Ipu2State, Unit

_START_UNIT: Final = 32
_LARGEST_MASK: Final = 8
_NARROWEST: Final = 16
_KEPT: Final = {0: (0, 1), 1: (0, 2), 2: (1, 2)}
"""First row or column to keep, and the step, for each stride mode."""

_FLOAT_ZERO: Final = np.float32(0)
_FLOAT_ONE: Final = np.float32(1)


class AccUnit(Unit):
    """Methods of the acc slot that work on all words, or move them."""

    def __init__(self, state: Ipu2State) -> None:
        super().__init__(state)
        self._is_greater = np.zeros(LANES, np.bool_)

    def execute_acc_add(self) -> None:
        """Add the products to the accumulator."""
        self._accumulate(np.add)

    def execute_acc_add_first(self) -> None:
        """Set the accumulator to the products."""
        self._copy_products()

    def execute_acc_max(self) -> None:
        """Set each word of the accumulator to its maximum with the product."""
        old, new = self.snapshot, self._registers
        if not self._has_float_words:
            np.maximum(old.acc_ints, new.product_ints, out=new.acc_ints)
            return
        np.greater(new.product_floats, old.acc_floats, self._is_greater)
        self._move(old.acc_floats, new.acc_floats)
        np.copyto(new.acc_words, new.product_words, where=self._is_greater)

    def execute_acc_max_first(self) -> None:
        """Set the accumulator to the products."""
        self._copy_products()

    def execute_acc_sub(self) -> None:
        """Subtract the products from the accumulator."""
        self._accumulate(np.subtract)

    def execute_acc_sub_first(self) -> None:
        """Set the accumulator to 0 minus the products."""
        registers = self._registers
        if not self._has_float_words:
            np.negative(registers.product_ints, registers.acc_ints)
            return
        self._float_errors.invalid = False
        np.subtract(_FLOAT_ZERO, registers.product_floats, registers.acc_floats)
        if self._nans_may_be_wrong():
            repair_nans(registers.acc_words, registers.product_words, registers.product_words)

    def execute_acc_stride(
        self, *, elements_in_row: int, horizontal_stride: int, vertical_stride: int, offset: int
    ) -> None:
        """Write the products of selected rows and columns side by side."""
        kept = self._strided(_NARROWEST << elements_in_row, horizontal_stride, vertical_stride)
        start = offset % (LANES // _START_UNIT) * _START_UNIT
        end = start + kept.size
        if end > LANES:
            raise InstructionError(
                f"the result must end within the {LANES} words of r_acc, "
                f"found {kept.size} words from word {start} on"
            )
        if self._has_float_words:
            quiet_nans(kept)
        self._registers.acc_words[start:end] = kept

    def execute_acc_reshape(self, *, source: int, dest: int, reshape_mask: int) -> None:
        """Move up to eight words of mult_res, from before the bundle, to places in r_acc."""
        first = self._reshape_mask(reshape_mask)
        sources = self._pair_bytes(source)[first:]
        destinations = self._pair_bytes(dest)[first:]
        for name, indices in (("source", sources), ("dest", destinations)):
            wrong = next((index for index in indices if index >= LANES), None)
            if wrong is not None:
                raise InstructionError(
                    f"each index of `{name}` that takes part must be below {LANES}, found {wrong}"
                )
        words, moved = self._registers.acc_words, self.snapshot.product_words
        for index, destination in zip(sources, destinations):
            words[destination] = moved[index]

    def _accumulate(self, operation: Any) -> None:
        """Combine accumulator and products, word by word."""
        old, new = self.snapshot, self._registers
        if not self._has_float_words:
            operation(old.acc_ints, new.product_ints, new.acc_ints)
            return
        self._float_errors.invalid = False
        operation(old.acc_floats, new.product_floats, new.acc_floats)
        if self._nans_may_be_wrong():
            repair_nans(new.acc_words, old.acc_words, new.product_words)

    def _copy_products(self) -> None:
        registers = self._registers
        if self._has_float_words:
            self._move(registers.product_floats, registers.acc_floats)
        else:
            registers.acc_words[...] = registers.product_words

    def _move(self, source: Any, destination: Any) -> None:
        """Copy float32 words; NaNs become quiet."""
        np.multiply(source, _FLOAT_ONE, destination)
        if self._nans_may_be_wrong():
            words = destination.view("<u4")
            words[...] = source.view("<u4")
            quiet_nans(words)

    def _strided(self, width: int, horizontal: int, vertical: int) -> Words:
        """The words that a stride selects, in order."""
        if horizontal not in _KEPT or vertical not in _KEPT:
            raise InstructionError(
                "the strides must be `off`, `on` or `on_inv`, found a reserved one"
            )
        (first_row, row_step), (first_column, column_step) = _KEPT[vertical], _KEPT[horizontal]
        rows = self._registers.product_words.reshape(-1, width)
        return rows[first_row::row_step, first_column::column_step].flatten()

    def _reshape_mask(self, code: int) -> int:
        """The number of index pairs that a reshape leaves out: an immediate, or a register."""
        value = code if code < _LARGEST_MASK else self._scalars[code - _LARGEST_MASK]
        if value > _LARGEST_MASK:
            raise InstructionError(
                f"the reshape mask must be 0 to {_LARGEST_MASK}, found {value:#x}"
            )
        return value

    def _pair_bytes(self, pair: int) -> bytes:
        """The eight bytes that a pair of loop registers had before the bundle."""
        low, high = self.snapshot.scalars[2 * pair : 2 * pair + 2]
        return (high << 32 | low).to_bytes(8, "little")
