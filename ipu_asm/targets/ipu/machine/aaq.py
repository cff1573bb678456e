"""The aaq slot: reduces the accumulator to one number, or quantizes it to bytes.

It sees the result of the acc slot of the same bundle.
"""

from __future__ import annotations

import math

import numpy as np

from ipu_asm.emulator.faults import InstructionError
from ipu_asm.emulator.registers import WORD_MASK
from ipu_asm.emulator.words import product, signed, sum_in_order, to_float, to_word
from ipu_asm.targets.ipu.machine.registers import AAQ_START, CR, DTYPE, LANES, VECTORS
from ipu_asm.targets.ipu.machine.state import IpuState
from ipu_asm.targets.ipu.machine.unit import Unit

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
