"""Which slots of a bundle are still free."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.instruction import Instruction
from ipu_asm.isa.model import Isa


def free_slots(isa: Isa, instructions: Sequence[Instruction]) -> dict[str, int]:
    """How many more instructions each slot of a bundle can carry; only slots that can, in order."""
    named = [instruction.spec.slot for instruction in instructions if instruction.spec is not None]
    free = {slot.name: slot.capacity - named.count(slot.name) for slot in isa.slots}
    return {name: count for name, count in free.items() if count > 0}
