"""The aaq slot: activates the accumulator and, where elements are wanted, quantizes it.

It sees the result of the acc slot of the same bundle.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ipu_asm.emulator.faults import InstructionError
from ipu_asm.emulator.words import CANONICAL_NAN, LANES
from ipu_asm.targets.ipu2.machine.activations import Doubles, activate
from ipu_asm.targets.ipu2.machine.dstructure import data_structure
from ipu_asm.targets.ipu2.machine.elements import ElementType
from ipu_asm.targets.ipu2.machine.registers import VECTORS
from ipu_asm.targets.ipu2.machine.state import Ipu2State
from ipu_asm.targets.ipu2.machine.unit import Unit

_BYTES: Final = np.iinfo(np.int8)
_WORDS: Final = np.iinfo(np.int32)


class AaqUnit(Unit):
    """Methods of the aaq slot."""

    def __init__(self, state: Ipu2State) -> None:
        super().__init__(state)
        result = VECTORS["post_aaq_reg"]
        self._result_bytes = np.frombuffer(self._block, np.int8, result.size, result.start)
        self._result_words = np.frombuffer(self._block, "<u4", LANES, result.start)

    def execute_activate_quantize(self, *, activation_fn: int, cr_idx: int) -> None:
        """Write a function of the active words of the accumulator to post_aaq_reg."""
        active = data_structure(cr_idx).active
        mode = self._settings
        if mode.wide is None and mode.dtype is not ElementType.INT8:
            raise InstructionError(
                f"elements must be INT8 to be quantized, found {mode.dtype.name} (narrow mode)"
            )
        registers = self._registers
        words = registers.acc_floats if self._has_float_words else registers.acc_ints
        results = activate(activation_fn, words[:active].astype(np.float64), mode.elu_alpha)
        if mode.wide is None:
            self._write_bytes(results)
        elif mode.quantize:
            self._write_bytes(self._as_words(results))
        else:
            self._write_words(self._as_words(results))

    def _as_words(self, results: Doubles) -> Any:
        """Results as the words of the mode: float32 or int32."""
        return results.astype("<f4") if self._has_float_words else _rounded(results, _WORDS, "<i4")

    def _write_words(self, words: Any) -> None:
        """Write words; those that are not active keep their value."""
        bits = words.view("<u4")
        if self._has_float_words:
            bits[np.isnan(words)] = CANONICAL_NAN
        self._result_words[: bits.size] = bits

    def _write_bytes(self, numbers: Any) -> None:
        """Write numbers as bytes, and zeros behind them."""
        quantized = _rounded(numbers, _BYTES, np.int8)
        self._result_bytes[: quantized.size] = quantized
        self._result_bytes[quantized.size :] = 0


def _rounded(numbers: Any, limits: Any, kind: Any) -> Any:
    """Numbers as integers, ties to even, within limits. Raises `InstructionError` for a NaN."""
    nans = np.isnan(numbers)
    if nans.any():
        raise InstructionError(
            f"a quantized word must be a number, found NaN in word {nans.argmax()}"
        )
    return np.clip(np.rint(numbers), limits.min, limits.max).astype(kind)
