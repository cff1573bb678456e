"""Numeric events of the IPU: NaNs that a bundle created, int32 sums that wrapped."""

from __future__ import annotations

from functools import partial
from typing import Final, Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.emulator.numeric_events import (
    Addend,
    Computed,
    NanProbe,
    OverflowProbe,
    Probe,
    overflow_check,
)
from ipu_asm.emulator.words import LANES, signed
from ipu_asm.targets.ipu.machine.acc import AccUnit
from ipu_asm.targets.ipu.machine.registers import DTYPE, LAYOUT, RegFile
from ipu_asm.targets.ipu.registers import AAQ

_VECTORS: Final = ("r_acc", "mult_res")
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
    return NanProbe(written, LAYOUT, lambda after: bool(after.scalars[DTYPE])) if written else None


def overflow_probe(
    instructions: Sequence[DecodedInstruction], settings: Hashable = ()
) -> Probe | None:
    """Return a probe for sums written by a bundle that exceed int32; only in INT8 mode.

    None for a bundle that adds no words.
    """
    sums = [
        _computed(instruction)
        for instruction in instructions
        if instruction.spec is not None and instruction.spec.execute_fn in _ADDING
    ]
    return OverflowProbe(sums, lambda after: not after.scalars[DTYPE]) if sums else None


def _computed(instruction: DecodedInstruction) -> Computed:
    addends = list(_addends(instruction))
    exact = partial(_total, addends)
    return Computed(instruction, _written(instruction), exact, overflow_check(LAYOUT, addends))


def _total(addends: Sequence[Addend], before: RegFile, after: RegFile) -> NDArray[np.int64]:
    total = np.zeros(LANES, np.int64)
    for name, is_live, _ in addends:
        registers = after if is_live else before
        if name in LAYOUT.vectors:
            total += registers.view(name, "<i4")
        else:
            total += signed(registers.scalars[_scalar(name)])
    return total


def _addends(instruction: DecodedInstruction) -> Iterator[Addend]:
    """The registers that an instruction reads, and whether it sees writes of earlier slots."""
    assert instruction.spec is not None
    for name, when in instruction.spec.reads.items():
        yield Addend(instruction.registers.get(name, name), when == "live")


def _reads_anything(instruction: DecodedInstruction) -> bool:
    spec = instruction.spec
    return spec is not None and bool(spec.reads or any(operand.read for operand in spec.operands))


def _written(instruction: DecodedInstruction) -> list[str]:
    """The registers of words that an instruction writes."""
    if instruction.spec is None or instruction.is_idle:
        return []
    names = [instruction.registers.get(name, name) for name in instruction.spec.writes]
    return [name for name in names if name in _VECTORS or name in AAQ.registers]


def _scalar(name: str) -> int:
    place = LAYOUT.places[name]
    assert isinstance(place, int)
    return place
