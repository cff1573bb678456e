"""The aggregates of the acc slot: they reduce products to one word of the accumulator."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ipu_asm.emulator.words import LANES, signed, sum_in_order, to_float, to_word
from ipu_asm.targets.ipu2.machine.dstructure import data_structure
from ipu_asm.targets.ipu2.machine.state import Ipu2State
from ipu_asm.targets.ipu2.machine.unit import Unit

_WORD_MASK: Final = 0xFFFF_FFFF
_LEAST_INT: Final = 0x8000_0000
_LEAST_FLOAT: Final = 0xFF80_0000


class AggregateUnit(Unit):
    """Methods of the acc slot that write one word of the accumulator, `dest_slot` modulo 128."""

    def __init__(self, state: Ipu2State) -> None:
        super().__init__(state)
        self._running_sums = np.zeros(LANES)

    def execute_agg_sum_first(self, *, dest_slot: int, cr_idx: int) -> None:
        """Set a word to the sum of the active products."""
        self._write_sum(dest_slot, cr_idx, 0)

    def execute_agg_sum(self, *, dest_slot: int, cr_idx: int) -> None:
        """Add the sum of the active products to a word."""
        self._write_sum(dest_slot, cr_idx, self._old_word(dest_slot))

    def execute_agg_max_first(self, *, dest_slot: int, cr_idx: int) -> None:
        """Set a word to the maximum of the active products."""
        least = _LEAST_FLOAT if self._has_float_words else _LEAST_INT
        self._write_maximum(dest_slot, cr_idx, least)

    def execute_agg_max(self, *, dest_slot: int, cr_idx: int) -> None:
        """Set a word to its maximum with the active products."""
        self._write_maximum(dest_slot, cr_idx, self._old_word(dest_slot))

    def _old_word(self, dest_slot: int) -> int:
        return int(self.snapshot.acc_words[dest_slot % LANES])

    def _write_sum(self, dest_slot: int, structure_word: int, old: int) -> None:
        active = data_structure(structure_word).active
        if self._has_float_words:
            total = to_word(self._float_sum(active, old))
        else:
            total = int(self._registers.product_ints[:active].sum(dtype=np.int64)) + old
        self._registers.acc_words[dest_slot % LANES] = total & _WORD_MASK

    def _float_sum(self, active: int, old: int) -> float:
        """The sum in double precision, word by word, then the old word."""
        floats, total = self._registers.product_floats[:active], 0.0
        if active:
            sums = self._running_sums[:active]
            np.add.accumulate(floats, 0, np.float64, sums)
            # A sum starts from +0.
            total += float(sums[-1])
        total += to_float(old)
        return sum_in_order([*floats.tolist(), to_float(old)]) if math.isnan(total) else total

    def _write_maximum(self, dest_slot: int, structure_word: int, old: int) -> None:
        active = data_structure(structure_word).active
        if self._has_float_words:
            best = to_word(self._float_maximum(active, to_float(old)))
        else:
            words = self._registers.product_ints[:active].tolist()
            best = max(signed(old), *words) if words else old
        self._registers.acc_words[dest_slot % LANES] = best & _WORD_MASK

    def _float_maximum(self, active: int, old: float) -> float:
        """The greatest number; of equal ones the first. An old NaN stays, others are ignored."""
        floats = self._registers.product_floats[:active]
        numbers = floats[~np.isnan(floats)]
        if not numbers.size or not numbers.max() > old:
            return old
        return float(numbers[numbers.argmax()])
