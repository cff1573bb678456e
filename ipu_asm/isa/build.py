"""From the description of an instruction set to an `Isa`, proven on the way.

The opcode of an instruction is its place in its slot; its operands take the slot's fields greedily
by type; a slot has as many fields of a type as its hungriest instruction needs. Every mistake of a
description is reported, each with its place and the remedy.
"""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple, Sequence

from ipu_asm.isa.model import (
    Field,
    InstructionDoc,
    InstructionSpec,
    Isa,
    Operand,
    RegisterFile,
    Slot,
    Surface,
)
from ipu_asm.isa.operands import OperandType

_IMAGE_UNIT_BITS = 32
_MNEMONIC = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")
_REQUIRED_KEYS = ("operands", "doc", "execute_fn")
_OPTIONAL_KEYS = ("reads", "writes", "flow", "deprecated", "idle", "nop", "opcode", "fixed_bits")
_OPERAND_KEYS = ("name", "type", "read", "low", "optional", "keyword", "default")
_TIMES = (None, "live", "snapshot")
_FLOWS = (None, "branch", "jump", "indirect", "halt", "break")

InstructionTable = Mapping[str, Mapping[str, Mapping[str, Any]]]


class IsaError(Exception):
    """A description of an instruction set that does not hold; `mistakes` has all of them."""

    def __init__(self, name: str, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        lines = "".join(f"\n  {mistake}" for mistake in mistakes)
        super().__init__(f"instruction set {name}: {len(mistakes)} mistakes{lines}")


class SlotDescription(NamedTuple):
    """A slot as a package of data describes it; `fields` is the order of its operand types.

    With `width` the fields are where the instructions say, not where the layout would put them.
    """

    name: str
    title: str
    default: str
    fields: tuple[str, ...]
    count: int = 1
    exclusive_writes: bool = False
    width: int | None = None


class IsaDescription(NamedTuple):
    """All that a package says of its instruction set. Slots stand from high bits to low ones."""

    name: str
    title: str
    surface: Surface
    slots: tuple[SlotDescription, ...]
    instructions: InstructionTable
    operand_types: Mapping[str, OperandType]
    register_files: tuple[RegisterFile, ...]
    program_limit: int


def build_isa(description: IsaDescription) -> Isa:
    """The instruction set of a description. Raises `IsaError` with everything that is wrong."""
    mistakes = list(_mistakes(description))
    if mistakes:
        raise IsaError(description.name, mistakes)
    layouts = {slot.name: _fields_of(slot, description) for slot in description.slots}
    slots = _placed_slots(description.slots, layouts)
    instructions = {
        mnemonic: _instruction(description, slot.name, layouts[slot.name], opcode, mnemonic)
        for slot in description.slots
        for opcode, mnemonic in enumerate(description.instructions[slot.name])
    }
    word_bits = sum(slot.width * slot.count for slot in slots)
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
    )


def _fields_of(slot: SlotDescription, description: IsaDescription) -> tuple[Field, ...]:
    """The slot's fields from its highest bit down: the opcode, then its operands' types."""
    if slot.width is not None:
        return (Field("opcode", 0, slot.width),)
    entries = description.instructions[slot.name].values()
    needs: dict[str, int] = dict.fromkeys(slot.fields, 0)
    for entry in entries:
        types = [operand["type"] for operand in entry["operands"]]
        for name in types:
            needs[name] = max(needs.get(name, 0), types.count(name))
    opcode_width = max(1, (len(entries) - 1).bit_length())
    widths = [("opcode", opcode_width)]
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
        lows = tuple(low + width * place for place in reversed(range(description.count)))
        low += width * description.count
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
        execute_fn=entry["execute_fn"],
        reads=dict(entry.get("reads", {})),
        writes=tuple(writes),
        flow=entry.get("flow"),
        deprecated=entry.get("deprecated"),
        idle=dict(entry.get("idle", {})),
        nop=entry.get("nop", False),
    )


def _operands(
    entry: Mapping[str, Any], fields: Sequence[Field], types: Mapping[str, OperandType]
) -> tuple[Operand, ...]:
    """Operands with the fields that they take: each the first free one of its type."""
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
            )
        )
    return tuple(operands)


def _description_of(doc: InstructionDoc, place: int, name: str) -> str:
    """The documented line of an operand: by its name, else (names may differ) by its place."""
    lines = [line.partition(":") for line in doc.operands]
    for said, _, text in lines:
        if said.strip() == name:
            return text.strip()
    return lines[place][2].strip() if place < len(lines) else ""


def _mistakes(description: IsaDescription) -> list[str]:
    mistakes: list[str] = []
    known = [slot.name for slot in description.slots]
    for name in known:
        if not description.instructions.get(name):
            mistakes.append(f"{name}: the slot has no instruction; add one or drop the slot")
    seen: dict[str, str] = {}
    for slot, entries in description.instructions.items():
        if slot not in known:
            mistakes.append(f"{slot}: no such slot; there are {', '.join(known)}")
        for mnemonic, entry in entries.items():
            place = f"{slot}.{mnemonic}"
            if mnemonic in seen:
                mistakes.append(f"{place}: also in slot {seen[mnemonic]}; a mnemonic has one place")
            seen[mnemonic] = slot
            if not _MNEMONIC.fullmatch(mnemonic):
                mistakes.append(f"{place}: a mnemonic is letters, digits, `_` and `.` only")
            mistakes += (f"{place}: {text}" for text in _entry_mistakes(entry, description))
    return mistakes


def _entry_mistakes(entry: Mapping[str, Any], description: IsaDescription) -> list[str]:
    mistakes = [f"key `{key}` is missing" for key in _REQUIRED_KEYS if key not in entry]
    allowed = (*_REQUIRED_KEYS, *_OPTIONAL_KEYS)
    mistakes += (
        f"unknown key `{key}`; there are {', '.join(allowed)}"
        for key in entry
        if key not in allowed
    )
    if not isinstance(entry.get("doc", InstructionDoc("", "", "")), InstructionDoc):
        mistakes.append("`doc` must be an InstructionDoc")
    if not str(entry.get("execute_fn", "execute_")).isidentifier():
        mistakes.append("`execute_fn` must be the name of a method of Ipu")
    if entry.get("flow") not in _FLOWS:
        mistakes.append(f"`flow` must be one of {', '.join(map(str, _FLOWS[1:]))}")
    names: list[str] = []
    for operand in entry.get("operands", ()):
        name = operand.get("name")
        if not name or name in names:
            mistakes.append(f"operand {name!r}: every operand needs a name of its own")
        names.append(name)
        mistakes += (
            f"operand `{name}`: {text}" for text in _operand_mistakes(operand, description)
        )
    effects = [*entry.get("idle", ())]
    mistakes += (f"`idle` names `{name}`, no operand" for name in effects if name not in names)
    return mistakes


def _operand_mistakes(operand: Mapping[str, Any], description: IsaDescription) -> list[str]:
    types = description.operand_types
    mistakes = [
        f"unknown key `{key}`; there are {', '.join(_OPERAND_KEYS)}"
        for key in operand
        if key not in _OPERAND_KEYS
    ]
    if operand.get("type") not in types:
        found = operand.get("type")
        mistakes.append(f"unknown type {found!r}; there are {', '.join(sorted(types))}")
    if operand.get("read") not in _TIMES:
        mistakes.append(f'`read` must be "live", "snapshot" or absent, not {operand["read"]!r}')
    return mistakes
