"""Numeric events of the IPU: NaNs that a bundle created, int32 sums that wrapped."""

from __future__ import annotations

from typing import Final, Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.emulator.numeric_events import NumericEvent, Probe
from ipu_asm.emulator.words import is_nan_word, signed
from ipu_asm.isa.ipu.machine.acc import AccUnit
from ipu_asm.isa.ipu.machine.registers import DTYPE, LAYOUT, RegFile
from ipu_asm.isa.ipu.registers import AAQ

_FLOATS: Final = {"r_acc": "acc_floats", "mult_res": "product_floats"}
_INTEGERS: Final = {"r_acc": "acc_ints", "mult_res": "product_ints"}
_ADDING: Final = {
    method.__name__
    for method in (
        AccUnit.execute_acc,
        AccUnit.execute_acc_add_aaq,
        AccUnit.execute_acc_add_aaq_first,
    )
}
"""The methods that write the element-wise sum of the registers that their instruction reads."""


def nan_probe(instructions: Sequence[DecodedInstruction], settings: Hashable = ()) -> Probe | None:
    """Return a probe for words that a bundle changed to NaN; it reports none in INT8 mode.

    None for a bundle that cannot create any.
    """
    written = [
        (instruction, name)
        for instruction in instructions
        if _reads_anything(instruction)
        for name in _written(instruction)
    ]

    def probe(before: RegFile, after: RegFile) -> list[NumericEvent]:
        if not after.scalars[DTYPE]:
            return []
        return [
            NumericEvent(instruction, name, int(fresh.sum()), int(fresh.argmax()))
            for instruction, name in written
            if (fresh := _new_nans(before, after, name)).any()
        ]

    return probe if written else None


def overflow_probe(
    instructions: Sequence[DecodedInstruction], settings: Hashable = ()
) -> Probe | None:
    """Return a probe for sums written by a bundle that exceed int32; only in INT8 mode.

    None for a bundle that adds no words.
    """
    sums = [
        (instruction, list(_addends(instruction)))
        for instruction in instructions
        if instruction.spec is not None and instruction.spec.execute_fn in _ADDING
    ]

    def probe(before: RegFile, after: RegFile) -> list[NumericEvent]:
        if after.scalars[DTYPE]:
            return []
        return [
            found
            for instruction, addends in sums
            for found in _overflow(before, after, instruction, addends)
        ]

    return probe if sums else None


def _new_nans(before: RegFile, after: RegFile, name: str) -> NDArray[np.bool_]:
    """A truth value per element: whether it is NaN now and was not before."""
    if name in _FLOATS:
        nans: NDArray[np.bool_] = np.isnan(getattr(after, _FLOATS[name]))
        return nans & ~np.isnan(getattr(before, _FLOATS[name])) if nans.any() else nans
    new, old = (registers.scalars[_scalar(name)] for registers in (after, before))
    return np.array([is_nan_word(new) and not is_nan_word(old)])


def _overflow(
    before: RegFile,
    after: RegFile,
    instruction: DecodedInstruction,
    addends: Sequence[tuple[str, bool]],
) -> Iterator[NumericEvent]:
    total = np.zeros((), np.int64)
    for name, is_live in addends:
        registers = after if is_live else before
        if name in _INTEGERS:
            total = total + getattr(registers, _INTEGERS[name])
        else:
            total = total + signed(registers.scalars[_scalar(name)])
    wrapped = total != total.astype(np.int32)
    if wrapped.any():
        first = int(wrapped.argmax())
        for name in _written(instruction):
            yield NumericEvent(instruction, name, int(wrapped.sum()), first, int(total[first]))


def _addends(instruction: DecodedInstruction) -> Iterator[tuple[str, bool]]:
    """The registers that an instruction reads, and whether it sees writes of earlier slots."""
    assert instruction.spec is not None
    for name, when in instruction.spec.reads.items():
        yield instruction.registers.get(name, name), when == "live"


def _reads_anything(instruction: DecodedInstruction) -> bool:
    spec = instruction.spec
    return spec is not None and bool(spec.reads or any(operand.read for operand in spec.operands))


def _written(instruction: DecodedInstruction) -> list[str]:
    """The registers of words that an instruction writes."""
    if instruction.spec is None or instruction.is_idle:
        return []
    names = [instruction.registers.get(name, name) for name in instruction.spec.writes]
    return [name for name in names if name in _FLOATS or name in AAQ.registers]


def _scalar(name: str) -> int:
    place = LAYOUT.places[name]
    assert isinstance(place, int)
    return place
