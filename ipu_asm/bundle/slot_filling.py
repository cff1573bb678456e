"""The places of instructions whose slots do not compete: each takes the first free one.

A mnemonic of several slots, such as the no-op of all of them, takes the first slot that has a free
place when it is read, in the order of the word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.bundle.findings import duplicate_slot, full_bundle, write_conflicts
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa.model import Isa
from ipu_asm.syntax.bundle import BundleSyntax

if TYPE_CHECKING:
    from ipu_asm.bundle.slot_assignment import Assigned


def fill_slots(
    isa: Isa,
    syntax: BundleSyntax,
    instructions: tuple[Instruction, ...],
    findings: list[Diagnostic],
) -> Assigned:
    """Return the instructions as those of their slots, and the lowest bit of each in the word.

    Adds a finding for each instruction without a place, whose bit is None, and for each register
    that instructions of one slot write twice.
    """
    used: dict[str, list[int]] = {}
    places: list[int | None] = []
    placed = list(instructions)
    exclusive: list[str] = []
    for number, instruction in enumerate(instructions):
        if instruction.others:
            chosen = _first_free(isa, instruction, used)
            if chosen is None:
                findings.append(full_bundle(isa, syntax, number, instruction))
                places.append(None)
                continue
            placed[number] = instruction = chosen
        spec = instruction.spec
        if spec is None:
            places.append(None)
            continue
        slot = isa.slot_by_name[spec.slot]
        numbers = used.setdefault(spec.slot, [])
        numbers.append(number)
        count = len(numbers)
        places.append(slot.lows[count - 1] if count <= slot.capacity else None)
        if count > slot.capacity:
            findings.append(duplicate_slot(isa, syntax, slot, placed, numbers))
        if count == 2 and slot.exclusive_writes:
            exclusive.append(spec.slot)
    for name in exclusive:
        findings += write_conflicts(isa, syntax, placed, name)
    return tuple(placed), tuple(places)


def _first_free(
    isa: Isa, instruction: Instruction, used: dict[str, list[int]]
) -> Instruction | None:
    """Return the first reading whose slot has a free place, None if there is none."""
    for reading in instruction.readings:
        if reading.spec is not None:
            slot = isa.slot_by_name[reading.spec.slot]
            if len(used.get(slot.name, ())) < slot.capacity:
                return reading._replace(others=())
    return None
