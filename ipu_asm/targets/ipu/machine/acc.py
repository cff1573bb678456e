"""The acc slot: accumulates products. It reads the accumulator from before the bundle."""

from __future__ import annotations

import numpy as np
from numpy import add

from ipu_asm.emulator.faults import InstructionError
from ipu_asm.emulator.words import Words, is_nan_word, quiet_nans, signed, sum_words, to_float
from ipu_asm.targets.ipu.machine.registers import AAQ_START, DTYPE, LANES
from ipu_asm.targets.ipu.machine.state import IpuState
from ipu_asm.targets.ipu.machine.unit import Unit

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
