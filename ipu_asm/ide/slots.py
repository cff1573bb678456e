"""Free slots of a bundle."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.parser import parser_for
from ipu_asm.bundle.slot_assignment import leaves_room
from ipu_asm.isa.model import Isa


def free_slots(isa: Isa, instructions: Sequence[Instruction]) -> dict[str, int]:
    """Return the slots that can hold more instructions, in order, with how many more.

    If slots compete for execution units, a slot is free if one more instruction fits in it,
    possibly after moving the others to other slots; the count is then 1.
    """
    if any(slot.units for slot in isa.slots):
        parser = parser_for(isa)
        whole = [parser.instruction(instruction.words) for instruction in instructions]
        return {slot.name: 1 for slot in isa.slots if leaves_room(isa, whole, slot)}
    named = [instruction.spec.slot for instruction in instructions if instruction.spec is not None]
    free = {slot.name: slot.capacity - named.count(slot.name) for slot in isa.slots}
    return {name: count for name, count in free.items() if count > 0}
