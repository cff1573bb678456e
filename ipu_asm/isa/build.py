"""Validation of an instruction set's description and construction of its `Isa`.

The opcode of an instruction is its index in its slot. Operands are assigned to the slot's fields as
its layout says. All errors of a description are reported, each with its location and a remedy.

A set with unknown encoding is described by forms of instructions, without bits: their syntax, slots
and the registers that they access, with cycles where known. Every feature except assembling and
executing works with that.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import Any, Iterator, Mapping, Sequence

from ipu_asm.isa.checks import MNEMONIC, mistakes_of
from ipu_asm.isa.description import (
    IsaDescription,
    IsaError,
    SlotDescription,
    SlotLayout,
    layout_of,
    place_slots,
)
from ipu_asm.isa.model import (
    DEPRECATED,
    InstructionDoc,
    InstructionSpec,
    Isa,
    Operand,
    Scheduling,
    Slot,
)
from ipu_asm.isa.operands import OperandType
from ipu_asm.isa.scalar import Counting, ScalarFacts, operands_counted, scalar_facts
from ipu_asm.isa.storage import CodeSizes, Memory, RegisterFile
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple

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


NO_LIMIT = 1 << 32


class FormsDescription(NamedTuple):
    """Everything that a package states about such an instruction set.

    `slots` come from `unit_slot`, in display order. Of several forms of a mnemonic the first one
    that fits is used. `units_of` gives the parts of registers that overlap with others; all other
    registers are their own part. The set shares the rules of `family`, the name of a folder in
    `isa`. For the last seven fields see `Isa`.
    """

    name: str
    title: str
    surface: Surface
    slots: tuple[Slot, ...]
    forms: Sequence[InstructionSpec]
    register_files: tuple[RegisterFile, ...]
    units_of: Mapping[str, frozenset[str]] = {}
    family: str = ""
    program_limit: int = NO_LIMIT
    loop_registers: tuple[str, str] | None = None
    live_at_return: frozenset[str] = frozenset()
    zeros: frozenset[str] = frozenset()
    memories: tuple[Memory, ...] = ()
    scratch: frozenset[str] = frozenset()
    scheduling: Scheduling | None = None
    counting: Counting = Counting()
    code_sizes: CodeSizes | None = None


def alternatives(line: str) -> Iterator[str]:
    """Yield the forms of a line, in which ``(a|b)`` is either text; the first one varies last."""
    parts = (text.split("|") for text in re.split(r"[()]", line))
    return map("".join, product(*parts))


def unit_slot(name: str, title: str, *units: str) -> Slot:
    """Return a slot without encoding. It occupies `units`, by default one unit of its own name."""
    return Slot(name, title, "", (), 0, (0,), False, units or (name,))


def build_forms(description: FormsDescription) -> Isa:
    """Return the instruction set of a description. Raises `IsaError` with all its errors."""
    mistakes = list(_mistakes(description))
    if mistakes:
        raise IsaError(description.name, mistakes)
    forms: dict[str, list[InstructionSpec]] = {}
    for form in description.forms:
        forms.setdefault(form.mnemonic, []).append(form)
    return Isa(
        description.name,
        description.title,
        description.surface,
        slots=description.slots,
        instructions={mnemonic: found[0] for mnemonic, found in forms.items()},
        register_files=description.register_files,
        word_bits=0,
        image_bytes=0,
        program_limit=description.program_limit,
        forms={mnemonic: tuple(found) for mnemonic, found in forms.items() if len(found) > 1},
        units_of=description.units_of,
        family=description.family,
        has_exposed_pipeline=any(
            form.delay_slots or any(operand.def_cycle for operand in form.operands)
            for form in description.forms
        ),
        loop_registers=description.loop_registers,
        live_at_return=description.live_at_return,
        zeros=description.zeros,
        memories=description.memories,
        scratch=description.scratch,
        scheduling=description.scheduling,
        counting=description.counting,
        code_sizes=description.code_sizes,
    )


def _mistakes(description: FormsDescription) -> Iterator[str]:
    slots = [slot.name for slot in description.slots]
    for name, count in Counter(slots).items():
        if count > 1:
            yield f"{name}: two slots have this name; give each its own"
    lines = Counter((form.slot, form.syntax) for form in description.forms)
    for (slot, syntax), count in lines.items():
        if count > 1:
            yield f"{slot}: `{syntax}` is described {count} times"
    for form in description.forms:
        place = f"{form.slot}.{form.mnemonic}"
        if form.slot not in slots:
            yield f"{place}: no such slot; there are {', '.join(slots)}"
        if not MNEMONIC.fullmatch(form.mnemonic):
            yield f"{place}: a mnemonic is letters, digits, `_` and `.` only"
        names = Counter(operand.name for operand in form.operands)
        yield from (
            f"{place}: operand `{name}`: two operands have this name; give each its own"
            for name, count in names.items()
            if count > 1
        )
        for operand in form.operands:
            if operand.access not in ("", "r", "w", "rw"):
                yield f"{place}: operand `{operand.name}`: `access` is r, w or rw"
        named = operands_counted(form.counting) if form.counting is not None else ()
        yield from (
            f"{place}: `counting` names an operand `{name}`, which it does not have"
            for name in dict.fromkeys(named)
            if name not in names
        )
