"""Which slots of a bundle are still free."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.resolve import parser_for
from ipu_asm.bundle.slot_assignment import leaves_room
from ipu_asm.isa.model import Isa


def free_slots(isa: Isa, instructions: Sequence[Instruction]) -> dict[str, int]:
    """How many more instructions each slot of a bundle can carry; only slots that can, in order.

    Where slots compete, those are free into which one more instruction could go, wherever the
    others make way for it.
    """
    if any(slot.units for slot in isa.slots):
        parser = parser_for(isa)
        whole = [parser.instruction(instruction.words) for instruction in instructions]
        return {slot.name: 1 for slot in isa.slots if leaves_room(isa, whole, slot)}
    named = [instruction.spec.slot for instruction in instructions if instruction.spec is not None]
    free = {slot.name: slot.capacity - named.count(slot.name) for slot in isa.slots}
    return {name: count for name, count in free.items() if count > 0}
