"""The acc and aaq slots: accumulate the products of the bundle, activate and quantize the sums.

It reads the accumulator from before the bundle. Words that an instruction moves in its role as
arithmetic on float32 become quiet where they are NaN; `ACC.RESHAPE` moves bits. The aaq slot
sees the result of the acc slot of the same bundle.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.stops import InstructionError
from ipu_asm.emulator.words import (
    CANONICAL_NAN,
    LANES,
    Words,
    quiet_nans,
    repair_nans,
    sum_in_order,
    to_float,
    to_word,
)
from ipu_asm.isa.storage import signed
from ipu_asm.targets.ipu2.machine.state import VECTORS, ElementType, Ipu2State, Unit, data_structure

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
        """Write numbers as bytes, followed by zeros."""
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


Doubles: TypeAlias = NDArray[np.float64]
_LN_2: Final = 0.6931471805599453
_SOFTPLUS_LIMIT: Final = 20.0

NAMES: Final = (
    "identity", "relu", "relu6", "sigmoid", "tanh", "gelu", "softplus", "elu", "exp2",
    "reciprocal", "rsqrt", "silu",
)  # fmt: skip
"""The functions by code. Codes past the last one act as `identity`."""


def activate(code: int, numbers: Doubles, elu_alpha: float) -> Doubles:
    """Return the function with a code of each number. Floating-point errors must be ignored."""
    name = NAMES[code] if code < len(NAMES) else NAMES[0]
    if name == "identity":
        return numbers
    if name in _OF_ARRAYS:
        return _OF_ARRAYS[name](numbers)
    if name == "elu":
        return np.array([_elu(x, elu_alpha) for x in numbers.tolist()])
    return np.array([_OF_NUMBERS[name](x) for x in numbers.tolist()])


def _relu(numbers: Doubles) -> Doubles:
    return np.where(numbers > 0, numbers, 0.0)


def _relu6(numbers: Doubles) -> Doubles:
    """NaN stays, and so does -0."""
    positive = np.where(numbers < 0, 0.0, numbers)
    return np.where(positive > 6, 6.0, positive)


def _reciprocal(numbers: Doubles) -> Doubles:
    return np.where(numbers == 0, 0.0, 1.0 / numbers)


def _rsqrt(numbers: Doubles) -> Doubles:
    return np.where(numbers > 0, 1.0 / np.sqrt(numbers), 0.0)


def _sigmoid(x: float) -> float:
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    z = math.exp(x)
    return z / (1.0 + z)


def _gelu(x: float) -> float:
    return x * (0.5 * (1.0 + math.erf(x / math.sqrt(2.0))))


def _softplus(x: float) -> float:
    if x > _SOFTPLUS_LIMIT:
        return x
    if x < -_SOFTPLUS_LIMIT:
        return math.exp(x)
    return math.log1p(math.exp(x))


def _elu(x: float, alpha: float) -> float:
    return x if x >= 0 else alpha * (math.exp(x) - 1.0)


def _exp2(x: float) -> float:
    try:
        return math.exp(x * _LN_2)
    except OverflowError:
        return math.inf


def _silu(x: float) -> float:
    return x * _sigmoid(x)


_OF_ARRAYS: Final[dict[str, Callable[[Doubles], Doubles]]] = {
    "relu": _relu,
    "relu6": _relu6,
    "reciprocal": _reciprocal,
    "rsqrt": _rsqrt,
}

_OF_NUMBERS: Final[dict[str, Callable[[float], Any]]] = {
    "sigmoid": _sigmoid,
    "tanh": math.tanh,
    "gelu": _gelu,
    "softplus": _softplus,
    "exp2": _exp2,
    "silu": _silu,
}

_WORD_MASK: Final = 0xFFFF_FFFF
_MIN_INT: Final = 0x8000_0000
_MIN_FLOAT: Final = 0xFF80_0000


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
        least = _MIN_FLOAT if self._has_float_words else _MIN_INT
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


_START_UNIT: Final = 32
_MAX_MASK: Final = 8
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
        value = code if code < _MAX_MASK else self._scalars[code - _MAX_MASK]
        if value > _MAX_MASK:
            raise InstructionError(f"the reshape mask must be 0 to {_MAX_MASK}, found {value:#x}")
        return value

    def _pair_bytes(self, pair: int) -> bytes:
        """The eight bytes that a pair of loop registers had before the bundle."""
        low, high = self.snapshot.scalars[2 * pair : 2 * pair + 2]
        return (high << 32 | low).to_bytes(8, "little")
