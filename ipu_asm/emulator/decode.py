"""The instructions of a bundle of the IPU, in the order in which it executes them."""

from __future__ import annotations

from typing import Final

from ipu_asm.assembler.decode import DecodedInstruction, decode_slot
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operand_types import LabelType

EXECUTION_ORDER: Final = ("break", "lr", "xmem", "mult", "acc", "aaq", "cond")
"""The slots in the order in which a bundle executes them."""


def decode_word(isa: Isa, word: int) -> list[DecodedInstruction]:
    """Return the instructions of a bundle in execution order."""
    slots = map(isa.slot_by_name.__getitem__, EXECUTION_ORDER)
    return [instruction for slot in slots for instruction in decode_slot(isa, slot, word)]


def is_default_jump(instruction: DecodedInstruction, address: int) -> bool:
    """Return whether an instruction of the bundle at an address is the jump to the next bundle.

    The assembler adds it to a bundle without a jump.
    """
    if instruction.spec is None or instruction.spec.flow != "jump":
        return False
    return any(
        isinstance(operand.type, LabelType) and instruction.values[operand.name] == address + 1
        for operand in instruction.spec.operands
    )
