"""Validation of an instruction set's description and construction of its `Isa`.

The opcode of an instruction is its index in its slot. Operands are assigned to the slot's fields
greedily by type; a slot has as many fields of a type as any of its instructions needs. All errors
of a description are reported, each with its location and a remedy.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ipu_asm.isa.checks import mistakes_of
from ipu_asm.isa.description import IsaDescription, IsaError, SlotDescription
from ipu_asm.isa.model import (
    DEPRECATED,
    Field,
    InstructionDoc,
    InstructionSpec,
    Isa,
    Operand,
    Slot,
)
from ipu_asm.isa.operands import OperandType
from ipu_asm.isa.scalar import scalar_facts

__all__ = ["IsaDescription", "IsaError", "SlotDescription", "build_isa"]

_IMAGE_UNIT_BITS = 32


def build_isa(description: IsaDescription) -> Isa:
    """Return the instruction set of a description. Raises `IsaError` with all its errors."""
    mistakes = mistakes_of(description)
    if mistakes:
        raise IsaError(description.name, mistakes)
    layouts = {slot.name: _fields_of(slot, description) for slot in description.slots}
    slots = _placed_slots(description.slots, layouts)
    instructions = {
        mnemonic: _instruction(description, slot.name, layouts[slot.name], opcode, mnemonic)
        for slot in description.slots
        for opcode, mnemonic in enumerate(description.instructions[slot.name])
    }
    word_bits = sum(slot.width * slot.capacity for slot in slots)
    image_bytes = -(-word_bits // _IMAGE_UNIT_BITS) * _IMAGE_UNIT_BITS // 8
    return Isa(
        description.name,
        description.title,
        description.surface,
        slots,
        instructions,
        description.register_files,
        word_bits,
        image_bytes,
        description.program_limit,
        units_of=description.units_of,
        spaces=description.spaces,
        scratch=description.scratch,
    )


def _fields_of(slot: SlotDescription, description: IsaDescription) -> tuple[Field, ...]:
    """Return the slot's fields from the highest bit down: the opcode, then its operand types."""
    if slot.width is not None:
        return slot.layout or (Field("opcode", 0, slot.width),)
    entries = description.instructions[slot.name].values()
    needs: dict[str, int] = dict.fromkeys(slot.fields, 0)
    for entry in entries:
        types = [operand["type"] for operand in entry["operands"]]
        for name in types:
            needs[name] = max(needs.get(name, 0), types.count(name))
    widths = [("opcode", slot.opcode_width(len(entries)))]
    for name, count in needs.items():
        widths += [(name, description.operand_types[name].width)] * count
    low = sum(width for _, width in widths)
    fields = []
    for name, width in widths:
        low -= width
        fields.append(Field(name, low, width))
    return tuple(fields)


def _placed_slots(
    descriptions: Sequence[SlotDescription], layouts: Mapping[str, tuple[Field, ...]]
) -> tuple[Slot, ...]:
    low = 0
    slots: list[Slot] = []
    for description in reversed(descriptions):
        fields = layouts[description.name]
        width = sum(field.width for field in fields)
        lows = tuple(low + width * place for place in reversed(range(description.capacity)))
        low += width * description.capacity
        slots.append(
            Slot(
                description.name,
                description.title,
                description.default,
                fields,
                width,
                lows,
                description.exclusive_writes,
            )
        )
    return tuple(reversed(slots))


def _instruction(
    description: IsaDescription,
    slot: str,
    fields: tuple[Field, ...],
    position: int,
    mnemonic: str,
) -> InstructionSpec:
    entry = description.instructions[slot][mnemonic]
    opcode = entry.get("opcode", position)
    operands = _operands(entry, fields, description.operand_types)
    deprecated = entry.get("deprecated")
    writes = entry.get("writes")
    if writes is None:
        writes = [o.name for o in operands if o.read is None and o.name == "dest"]
    return InstructionSpec(
        mnemonic=mnemonic,
        slot=slot,
        opcode=opcode,
        opcode_bits=entry.get("fixed_bits", opcode << fields[0].low),
        operands=operands,
        doc=entry["doc"],
        execute_fn=entry.get("execute_fn", ""),
        reads=dict(entry.get("reads", {})),
        writes=tuple(writes),
        flow=entry.get("flow"),
        deprecated=deprecated,
        idle=dict(entry.get("idle", {})),
        nop=entry.get("nop", False),
        traits=frozenset((*entry.get("traits", ()), *([DEPRECATED] if deprecated else ()))),
        cycles=entry.get("cycles"),
        scalar=scalar_facts(entry),
        all_operands_required=not any(operand.optional or operand.keyword for operand in operands),
    )


def _operands(
    entry: Mapping[str, Any], fields: Sequence[Field], types: Mapping[str, OperandType]
) -> tuple[Operand, ...]:
    """Return operands with their fields: each takes the first free field of its type."""
    free = list(fields)
    operands = []
    for place, operand in enumerate(entry["operands"]):
        low = operand.get("low")
        if low is None:
            field = next(field for field in free if field.type == operand["type"])
            free.remove(field)
            low = field.low
        operands.append(
            Operand(
                operand["name"],
                types[operand["type"]],
                _description_of(entry["doc"], place, operand["name"]),
                operand.get("read"),
                low,
                operand.get("optional", False),
                operand.get("keyword"),
                operand.get("default", 0),
                operand.get("positional_allowed", False),
            )
        )
    return tuple(operands)


def _description_of(doc: InstructionDoc, place: int, name: str) -> str:
    """Return the documentation line of an operand: by name, else (names may differ) by index."""
    lines = [line.partition(":") for line in doc.operands]
    for said, _, text in lines:
        if said.strip() == name:
            return text.strip()
    return lines[place][2].strip() if place < len(lines) else ""
