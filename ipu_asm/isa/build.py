"""Validation of an instruction set's description and construction of its `Isa`.

The opcode of an instruction is its index in its slot. Operands are assigned to the slot's fields as
its layout says. All errors of a description are reported, each with its location and a remedy.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from ipu_asm.isa.checks import mistakes_of
from ipu_asm.isa.description import (
    IsaDescription,
    IsaError,
    SlotDescription,
    SlotLayout,
    layout_of,
    place_slots,
)
from ipu_asm.isa.model import DEPRECATED, InstructionDoc, InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import OperandType
from ipu_asm.isa.scalar import ScalarFacts, scalar_facts

__all__ = ["IsaDescription", "IsaError", "SlotDescription", "build_isa"]

_IMAGE_UNIT_BITS = 32


def build_isa(description: IsaDescription) -> Isa:
    """Return the instruction set of a description. Raises `IsaError` with all its errors."""
    mistakes = mistakes_of(description)
    if mistakes:
        raise IsaError(description.name, mistakes)
    layouts = {slot.name: layout_of(slot, description) for slot in description.slots}
    slots = place_slots(description.slots, layouts)
    forms: dict[str, list[InstructionSpec]] = {}
    for spec in _instructions(description, layouts):
        forms.setdefault(spec.mnemonic, []).append(spec)
    for mnemonic, entry in description.pseudo_instructions.items():
        real = forms[entry["becomes"].split()[0]][0]
        forms[mnemonic] = [_pseudo_instruction(mnemonic, entry, real)]
    word_bits = sum(slot.width * slot.capacity for slot in slots)
    image_bytes = -(-word_bits // _IMAGE_UNIT_BITS) * _IMAGE_UNIT_BITS // 8
    return Isa(
        description.name,
        description.title,
        description.surface,
        slots=slots,
        instructions={mnemonic: specs[0] for mnemonic, specs in forms.items()},
        register_files=description.register_files,
        word_bits=word_bits,
        image_bytes=image_bytes,
        program_limit=description.program_limit,
        forms={mnemonic: tuple(specs) for mnemonic, specs in forms.items() if len(specs) > 1},
        units_of=description.units_of,
        family=description.family,
        spaces=description.spaces,
        scratch=description.scratch,
        constants=description.constants,
        resets=description.resets,
        mem_lines=description.mem_lines,
    )


def _instructions(
    description: IsaDescription, layouts: Mapping[str, SlotLayout]
) -> Iterator[InstructionSpec]:
    """Yield the instructions of all slots, in the order of slots and opcodes."""
    for slot in description.slots:
        for opcode, mnemonic in enumerate(description.instructions[slot.name]):
            yield _instruction(description, slot.name, layouts[slot.name], opcode, mnemonic)


def _instruction(
    description: IsaDescription, slot: str, layout: SlotLayout, position: int, mnemonic: str
) -> InstructionSpec:
    entry = description.instructions[slot][mnemonic]
    opcode = entry.get("opcode", position)
    operands = _operands(entry, layout, description.operand_types)
    deprecated = entry.get("deprecated")
    writes = entry.get("writes")
    if writes is None:
        writes = [o.name for o in operands if o.read is None and o.name == "dest"]
    register_reads = entry.get("register_reads", {})
    return InstructionSpec(
        mnemonic=mnemonic,
        slot=slot,
        opcode=opcode,
        opcode_bits=entry.get("fixed_bits", opcode << layout.fields[0].low),
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
        register_reads={
            (operand, file): dict(reads)
            for operand, files in register_reads.items()
            for file, reads in files.items()
        },
    )


def _operands(
    entry: Mapping[str, Any], layout: SlotLayout, types: Mapping[str, OperandType]
) -> tuple[Operand, ...]:
    """Return operands with their fields."""
    operands = []
    is_placed = all("low" in operand for operand in entry["operands"])
    fields = [] if is_placed else list(layout.places(entry))
    for place, operand in enumerate(entry["operands"]):
        operand_type = types[operand["type"]]
        low, width = operand.get("low"), operand_type.width
        if low is None:
            _, low, width = fields[place]
            operand_type = operand_type.fitted(width)
        operands.append(
            Operand(
                operand["name"],
                operand_type,
                _description_of(entry["doc"], place, operand["name"]),
                operand.get("read"),
                low,
                operand.get("optional", False),
                operand.get("keyword"),
                operand.get("default", 0),
                operand.get("positional_allowed", False),
                field_width=width,
                advice=operand.get("advice", ""),
                suggested=operand.get("suggested", False),
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


def _pseudo_instruction(
    mnemonic: str, entry: Mapping[str, Any], real: InstructionSpec
) -> InstructionSpec:
    """Return the instruction of an entry that has the bits of the instruction `real`.

    `becomes` in the entry is that instruction as text: each of its operands is the name of an
    operand of the pseudo-instruction, which is placed there, or a constant.
    """
    becomes = tuple(entry["becomes"].split())
    lines = [line.partition(":") for line in entry["doc"].operands]
    descriptions = {name.strip(): text.strip() for name, _, text in lines}
    placed: dict[str, Operand] = {}
    bits = real.opcode_bits
    for operand, text in zip(real.operands, becomes[1:]):
        if text in entry["operands"]:
            placed[text] = operand._replace(name=text, description=descriptions.get(text, ""))
        else:
            value = operand.type.parse(text)
            assert isinstance(value, int)
            bits |= operand.type.encode(value) << operand.low
    flow = entry.get("flow", real.flow)
    return real._replace(
        mnemonic=mnemonic,
        opcode_bits=bits,
        operands=tuple(placed[name] for name in entry["operands"]),
        doc=entry["doc"],
        flow=flow,
        scalar=_renamed(real, becomes) if flow == real.flow else None,
        becomes=becomes,
    )


def _renamed(real: InstructionSpec, becomes: tuple[str, ...]) -> ScalarFacts | None:
    """Return the facts of an instruction about the operands, or constants, in their places."""
    facts = real.scalar
    if facts is None or facts.condition is None:
        return facts
    names = {operand.name: text for operand, text in zip(real.operands, becomes[1:])}
    left, _, right = facts.condition
    return facts._replace(condition=facts.condition._replace(left=names[left], right=names[right]))
