"""The instructions of a bundle, in the order in which a machine executes them."""

from __future__ import annotations

from functools import lru_cache
from typing import Sequence

from ipu_asm.assembler.decode import DecodedInstruction, decode_slot
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operand_types import LabelType


def decode_in_order(isa: Isa, order: Sequence[str], word: int) -> list[DecodedInstruction]:
    """Return the instructions of a word, its slots in the given order.

    They are decoded once for all machines that execute the word.
    """
    return list(_decoded(isa, tuple(order), word))


@lru_cache(maxsize=1024)
def _decoded(isa: Isa, order: tuple[str, ...], word: int) -> tuple[DecodedInstruction, ...]:
    slots = map(isa.slot_by_name.__getitem__, order)
    return tuple(instruction for slot in slots for instruction in decode_slot(isa, slot, word))


def is_default_jump(instruction: DecodedInstruction, address: int) -> bool:
    """Return whether an instruction of the bundle at an address is the jump to the next bundle.

    The assembler adds it to a bundle without a jump.
    """
    if instruction.spec is None or instruction.spec.flow != "jump":
        return False
    return branch_target(instruction) == address + 1


def branch_target(instruction: DecodedInstruction) -> int | None:
    """Return the address to which an instruction may branch; None if it names none."""
    operands = instruction.spec.operands if instruction.spec else ()
    labels = (each.name for each in operands if isinstance(each.type, LabelType))
    return next((instruction.values[name] for name in labels), None)
