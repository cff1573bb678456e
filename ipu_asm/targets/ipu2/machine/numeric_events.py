"""Numeric events of the IPU 2: NaNs that a bundle created, int32 results that wrapped."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Final, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.emulator.core.checks import ALWAYS
from ipu_asm.emulator.numeric_events import (
    Addend,
    Computed,
    NanProbe,
    OverflowProbe,
    Probe,
    overflow_check,
)
from ipu_asm.emulator.words import LANES, signed
from ipu_asm.targets.ipu2.machine.dstructure import data_structure
from ipu_asm.targets.ipu2.machine.masks import MASK_SIZE, kept_words, limited_shift
from ipu_asm.targets.ipu2.machine.registers import CR, LAYOUT, Ipu2RegisterFile
from ipu_asm.targets.ipu2.machine.state import FP32, INT32, Settings

_WORD_REGISTERS: Final = ("mult_res", "r_acc", "post_aaq_reg")
_LANES: Final = np.arange(LANES)


def nan_probe(instructions: Sequence[DecodedInstruction], settings: Settings) -> Probe | None:
    """Return a probe for words that a bundle changed to NaN.

    None for a bundle that writes no float32 words.
    """
    has_float_results = settings.wide == FP32 and not settings.quantize
    registers = [name for name in _WORD_REGISTERS if name != "post_aaq_reg" or has_float_results]
    written = [
        (instruction, name)
        for instruction in instructions
        if instruction.spec is not None and not instruction.is_idle
        for name in registers
        if name in instruction.spec.writes
    ]

    return NanProbe(written, LAYOUT) if written and settings.has_float_words else None


def overflow_probe(instructions: Sequence[DecodedInstruction], settings: Settings) -> Probe | None:
    """Return a probe for sums, differences and products of a bundle that exceed int32.

    None for a bundle that computes none.
    """
    exact_results = _EXACT_RESULTS if settings.wide == INT32 else _EXACT_SUMS
    computed = [
        _computed(instruction, exact_results[instruction.spec.execute_fn])
        for instruction in instructions
        if instruction.spec is not None and instruction.spec.execute_fn in exact_results
    ]
    return OverflowProbe(computed) if computed and not settings.has_float_words else None


def _computed(instruction: DecodedInstruction, exact: _Exact) -> Computed:
    assert instruction.spec is not None
    register = next(name for name in instruction.spec.writes if name in _WORD_REGISTERS)
    addends = _ADDENDS.get(instruction.spec.execute_fn)
    check = overflow_check(LAYOUT, addends) if addends else ALWAYS
    exact_words = partial(_exact_words, exact, instruction)
    return Computed(instruction, [register], exact_words, check)


def _exact_words(
    exact: _Exact,
    instruction: DecodedInstruction,
    before: Ipu2RegisterFile,
    after: Ipu2RegisterFile,
) -> Any:
    return exact(before, after, instruction)


def _sums(before: Ipu2RegisterFile, after: Ipu2RegisterFile, _: DecodedInstruction) -> Any:
    return before.acc_ints.astype(np.int64) + after.product_ints


def _differences(before: Ipu2RegisterFile, after: Ipu2RegisterFile, _: DecodedInstruction) -> Any:
    return before.acc_ints.astype(np.int64) - after.product_ints


def _negatives(before: Ipu2RegisterFile, after: Ipu2RegisterFile, _: DecodedInstruction) -> Any:
    return -after.product_ints.astype(np.int64)


def _first_aggregates(
    before: Ipu2RegisterFile, after: Ipu2RegisterFile, instruction: DecodedInstruction
) -> Any:
    """The sum of the active products in its place, zeros elsewhere."""
    results = np.zeros(LANES, np.int64)
    active = data_structure(_cr(after, instruction, "cr_idx")).active
    place = before.scalars[_number(instruction, "dest_slot")] % LANES
    results[place] = after.product_ints[:active].sum(dtype=np.int64)
    return results


def _aggregates(
    before: Ipu2RegisterFile, after: Ipu2RegisterFile, instruction: DecodedInstruction
) -> Any:
    place = before.scalars[_number(instruction, "dest_slot")] % LANES
    results = _first_aggregates(before, after, instruction)
    results[place] += before.acc_ints[place]
    return results


def _products(
    before: Ipu2RegisterFile, after: Ipu2RegisterFile, instruction: DecodedInstruction
) -> Any:
    """The products of wide integers; zeros where the mask replaced them."""
    first, second = _factors(before, after, instruction)
    kept = _kept(after, instruction)
    return np.where(kept, first.astype(np.int64) * second, 0)


def _kept(after: Ipu2RegisterFile, instruction: DecodedInstruction) -> NDArray[np.bool_]:
    """A truth value per element: whether the mask of a mult instruction leaves it."""
    start = _number(instruction, "mask_offset") * MASK_SIZE
    mask = bytes(after.get_register_bytes("r_mask")[start : start + MASK_SIZE])
    distance = limited_shift(signed(after.scalars[_number(instruction, "mask_shift")]))
    name = "cr_idx" if "rc_idx" in instruction.values else "dstructure_cr_idx"
    partition = data_structure(_cr(after, instruction, name)).partition
    kept: NDArray[np.bool_] = kept_words(mask, distance, partition) != 0
    return kept


def _factors(
    before: Ipu2RegisterFile, after: Ipu2RegisterFile, instruction: DecodedInstruction
) -> tuple[Any, Any]:
    """What a mult instruction multiplies: elements from before the bundle, at live indices."""
    assert instruction.spec is not None
    cyclic, stage = before.view("r_cyclic_wide", "<i4"), before.view("r_wide", "<i4")
    name = instruction.spec.execute_fn
    if name in ("execute_mult_ve", "execute_mult_ee"):
        start = after.scalars[_number(instruction, "ra_idx")]
        lanes = _LANES if name == "execute_mult_ve" else 0 * _LANES
        return stage[(start + lanes) % len(stage)], _signed_byte(_cr(after, instruction, "cr_idx"))
    start = after.scalars[_number(instruction, "rc_idx")]
    elements = cyclic[(start + _LANES) % len(cyclic)]
    if name == "execute_mult_rc_vv":
        return elements, stage[_number(instruction, "ra") * LANES :][:LANES]
    if name == "execute_mult_rc_ve":
        source = _number(instruction, "src")
        word = after.scalars[source]
        return elements, np.int64(stage[word % len(stage)] if source < CR else _signed_byte(word))
    return elements, elements


def _number(instruction: DecodedInstruction, operand: str) -> int:
    """The number that an operand has: a loop register's is its index among the scalars."""
    number = instruction.values[operand]
    assert number is not None
    return number


def _cr(registers: Ipu2RegisterFile, instruction: DecodedInstruction, operand: str) -> int:
    return registers.scalars[CR + _number(instruction, operand)]


def _signed_byte(word: int) -> int:
    return (word & 0xFF ^ 0x80) - 0x80


_Exact = Callable[[Ipu2RegisterFile, Ipu2RegisterFile, DecodedInstruction], Any]

_EXACT_SUMS: Final[dict[str, _Exact]] = {
    "execute_acc_add": _sums,
    "execute_acc_sub": _differences,
    "execute_acc_sub_first": _negatives,
    "execute_agg_sum": _aggregates,
    "execute_agg_sum_first": _first_aggregates,
}
"""The int64 results of the methods that write int32 sums, from the registers around a bundle."""

_ADDENDS: Final = {
    "execute_acc_add": (Addend("r_acc", False), Addend("mult_res", True)),
    "execute_acc_sub": (Addend("r_acc", False), Addend("mult_res", True, is_negative=True)),
    "execute_acc_sub_first": (Addend("mult_res", True, is_negative=True),),
}
"""The words whose sum a method writes, where it is such a sum in each lane."""

_EXACT_RESULTS: Final[dict[str, _Exact]] = {
    **_EXACT_SUMS,
    "execute_mult_rc_vv": _products,
    "execute_mult_rc_ve": _products,
    "execute_mult_rc_vs": _products,
    "execute_mult_ve": _products,
    "execute_mult_ee": _products,
}
