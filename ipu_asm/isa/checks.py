"""Validation of descriptions of instruction sets: each error with its remedy."""

from __future__ import annotations

import re
from typing import Any, Iterator, Mapping, Sequence

from ipu_asm.isa.description import IsaDescription, SlotDescription, shared_fields
from ipu_asm.isa.model import InstructionDoc
from ipu_asm.isa.scalar import operands_named, scalar_facts

MNEMONIC = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")
_REQUIRED_KEYS = ("operands", "doc")
_OPTIONAL_KEYS = (
    "reads", "writes", "flow", "deprecated", "idle", "nop", "opcode", "fixed_bits", "traits",
    "cycles", "computes", "condition", "accesses", "windows", "requires",
    "register_reads",
)  # fmt: skip
_OPERAND_KEYS = (
    "name", "type", "read", "low", "optional", "keyword", "default", "positional_allowed",
    "advice", "suggested",
)  # fmt: skip
_TIMES = ("live", "snapshot")
_PSEUDO_KEYS = ("operands", "doc", "becomes", "flow")
_FLOWS = ("branch", "jump", "indirect", "halt", "break")

_Entry = Mapping[str, Any]


def mistakes_of(description: IsaDescription) -> list[str]:
    """Return all errors of a description, in its order; empty if it is valid."""
    found = [*_slot_mistakes(description), *_mnemonic_mistakes(description)] + [
        f"{slot.name}.{mnemonic}: {text}"
        for slot in description.slots
        for mnemonic, entry in description.instructions.get(slot.name, {}).items()
        for text in _entry_mistakes(entry, slot, description)
    ]
    found += _register_mistakes(description)
    if found or not description.pseudo_instructions:
        return found
    # A pseudo-instruction is compared with the instruction that it becomes, which must hold.
    return [
        f"{mnemonic}: {text}"
        for mnemonic, entry in description.pseudo_instructions.items()
        for text in _pseudo_mistakes(entry, description)
    ]


def _slot_mistakes(description: IsaDescription) -> Iterator[str]:
    names = [slot.name for slot in description.slots]
    for slot in description.slots:
        entries = description.instructions.get(slot.name, {})
        if names.count(slot.name) > 1:
            yield f"{slot.name}: two slots have this name; give each its own"
        if not entries:
            yield f"{slot.name}: the slot has no instruction; add one or drop the slot"
        elif slot.default and slot.default.split()[0] not in entries:
            yield f"{slot.name}: default `{slot.default}` is no instruction of the slot"
        for text in _layout_mistakes(slot, description):
            yield f"{slot.name}: {text}"
        if entries and (slot.width is None or slot.layout):
            yield from _opcode_mistakes(slot, entries)
    for name in description.instructions:
        if name not in names:
            yield f"{name}: no such slot; there are {', '.join(names)}"


def _layout_mistakes(slot: SlotDescription, description: IsaDescription) -> Iterator[str]:
    if slot.capacity < 1:
        yield f"capacity is {slot.capacity}; a slot carries at least one instruction"
    for name in slot.fields:
        if name not in description.operand_types:
            yield _unknown(f"field type {name!r}", description.operand_types)
    if slot.shares_fields:
        yield from _shared_layout_mistakes(slot, description)
    elif slot.least_width or slot.widened:
        yield "`least_width` and `widened` are for slots with `shares_fields`"
    if slot.layout:
        bits = sum(field.width for field in slot.layout)
        if slot.layout[0].type != "opcode":
            yield "`layout` must begin with the opcode"
        if bits != slot.width:
            yield f"`layout` has {bits} bits, `width` says {slot.width}"


def _shared_layout_mistakes(slot: SlotDescription, description: IsaDescription) -> Iterator[str]:
    if slot.fields or slot.width is not None:
        yield "`fields` and `width` are for slots whose operand types share no fields"
        return
    entries = [
        entry
        for entry in description.instructions.get(slot.name, {}).values()
        if not any(_entry_mistakes(entry, slot, description))
    ]
    layout = shared_fields(slot, entries, description.operand_types)
    for _, name, width in ((field.low, field.type, field.width) for field in layout.fields):
        if not width:
            yield f"{name} has the width of the field that it shares, but no other type shares it"
    if sum(field.width for field in layout.fields) < slot.least_width:
        yield f"`widened` must be a type of the slot to reach `least_width` {slot.least_width}"


def _opcode_mistakes(slot: SlotDescription, entries: Mapping[str, _Entry]) -> Iterator[str]:
    width = slot.opcode_width(len(entries))
    seen: dict[int, str] = {}
    for position, (mnemonic, entry) in enumerate(entries.items()):
        opcode = entry.get("opcode", position) if isinstance(entry, Mapping) else position
        place = f"{slot.name}.{mnemonic}: opcode {opcode}"
        if opcode >> width:
            yield f"{place} does not fit into a field of width {width}"
        elif opcode in seen:
            yield f"{place} is that of {seen[opcode]}; give another"
        seen.setdefault(opcode, mnemonic)


def _mnemonic_mistakes(description: IsaDescription) -> Iterator[str]:
    seen: dict[str, str] = {}
    entries = [
        (f"{slot}.{mnemonic}", mnemonic, _is_nop(entry))
        for slot, entries in description.instructions.items()
        for mnemonic, entry in entries.items()
    ]
    entries += [(mnemonic, mnemonic, False) for mnemonic in description.pseudo_instructions]
    nops = {place for place, _, is_nop in entries if is_nop}
    for place, mnemonic, is_nop in entries:
        key = mnemonic.lower() if description.surface.case_insensitive else mnemonic
        # The no-ops of several slots may have one name: a written one takes the first free slot.
        if key in seen and not (is_nop and seen[key] in nops):
            yield f"{place}: {seen[key]} has this mnemonic; each needs its own"
        seen.setdefault(key, place)
        if not MNEMONIC.fullmatch(mnemonic):
            yield f"{place}: a mnemonic is letters, digits, `_` and `.` only"


def _is_nop(entry: _Entry) -> bool:
    """Return whether an entry is a no-op without operands, which several slots may have."""
    return isinstance(entry, Mapping) and bool(entry.get("nop")) and not entry.get("operands")


def _entry_mistakes(
    entry: _Entry, slot: SlotDescription, description: IsaDescription
) -> Iterator[str]:
    executed = ("execute_fn",) if description.executor else ()
    required = (*_REQUIRED_KEYS, *executed)
    if not isinstance(entry, Mapping):
        yield f"an entry is a mapping with the keys {', '.join(required)}, not {entry!r}"
        return
    yield from (f"key `{key}` is missing" for key in required if key not in entry)
    yield from _unknown_keys(entry, (*required, *_OPTIONAL_KEYS))
    if not isinstance(entry.get("doc", InstructionDoc("", "", "")), InstructionDoc):
        yield "`doc` must be an InstructionDoc"
    if executed and not str(entry.get("execute_fn", "execute_")).isidentifier():
        yield f"`execute_fn` must be the name of a method of {description.executor}"
    if entry.get("flow") not in (None, *_FLOWS):
        yield f"`flow` must be one of {', '.join(_FLOWS)} or absent, not {entry['flow']!r}"
    for name, time in entry.get("reads", {}).items():
        if time not in _TIMES:
            yield f'`reads` of `{name}` must be "live" or "snapshot", not {time!r}'
    if slot.width is not None and not slot.layout and "fixed_bits" not in entry:
        yield "key `fixed_bits` is missing; a slot of a given width without a layout needs it"
    yield from _operands_mistakes(entry, slot, description)
    yield from _scalar_mistakes(entry)
    yield from _register_reads_mistakes(entry, description)


def _register_reads_mistakes(entry: _Entry, description: IsaDescription) -> Iterator[str]:
    names = [each.get("name") for each in entry.get("operands", ()) if isinstance(each, Mapping)]
    files = {file.name: file for file in description.register_files}
    for name, by_file in entry.get("register_reads", {}).items():
        if name not in names:
            yield f"`register_reads` names `{name}`, which is no operand"
        for file, reads in by_file.items():
            if file not in files:
                yield _unknown(f"register file {file!r}", files)
            for register, time in reads.items():
                if time not in _TIMES:
                    yield f'`reads` of `{register}` must be "live" or "snapshot", not {time!r}'


def _register_mistakes(description: IsaDescription) -> Iterator[str]:
    registers = [name for file in description.register_files for name in file.registers]
    for key in ("constants", "resets"):
        for name in getattr(description, key):
            if name not in registers:
                yield f"`{key}` names `{name}`, which is no register"


def _scalar_mistakes(entry: _Entry) -> Iterator[str]:
    try:
        facts = scalar_facts(entry)
    except ValueError as error:
        yield str(error)
        return
    described = [each for each in entry.get("operands", ()) if isinstance(each, Mapping)]
    operands = {str(each.get("name")): each for each in described}
    needed = {each.register for each in facts.needs} if facts else set()
    for name in operands_named(facts) if facts else ():
        if name not in operands and name not in needed:
            yield _unknown(f"operand {name!r}", operands)


def _operands_mistakes(
    entry: _Entry, slot: SlotDescription, description: IsaDescription
) -> Iterator[str]:
    operands: Sequence[_Entry] = entry.get("operands", ())
    if not all(isinstance(operand, Mapping) for operand in operands):
        yield f"an operand is a mapping with the keys {', '.join(_OPERAND_KEYS)}"
        return
    for key in ("name", "keyword"):
        values = [operand[key] for operand in operands if operand.get(key)]
        for value in dict.fromkeys(value for value in values if values.count(value) > 1):
            yield f"operand `{value}`: two operands have this {key}; give each its own"
    optional = False
    for place, operand in enumerate(operands):
        name = operand.get("name")
        if not name:
            yield f"operand number {place + 1} has no `name`"
        if optional and not operand.get("optional") and not operand.get("keyword"):
            yield f"operand `{name}`: one that must be written cannot follow an optional one"
        optional = optional or bool(operand.get("optional"))
        for text in _operand_mistakes(operand, slot, description):
            yield f"operand `{name}`: {text}"
    names = [operand.get("name") for operand in operands]
    idle = [name for name in entry.get("idle", ()) if name not in names]
    yield from (f"`idle` names `{name}`, which is no operand" for name in idle)


def _operand_mistakes(
    operand: _Entry, slot: SlotDescription, description: IsaDescription
) -> Iterator[str]:
    yield from _unknown_keys(operand, _OPERAND_KEYS)
    operand_type = description.operand_types.get(str(operand.get("type")))
    if operand_type is None:
        yield _unknown(f"type {operand.get('type')!r}", description.operand_types)
    if operand.get("read") not in (None, *_TIMES):
        yield f'`read` must be "live", "snapshot" or absent, not {operand["read"]!r}'
    if operand.get("positional_allowed") and not operand.get("keyword"):
        yield "`positional_allowed` is for operands with a `keyword`; the others always are"
    if operand.get("suggested") and not operand.get("optional"):
        yield "`suggested` is for operands that may be left out; set `optional`"
    default = operand.get("default", 0)
    if default and not operand.get("optional"):
        yield "`default` is for operands that may be left out; set `optional`"
    elif default and operand_type and operand_type.decode(operand_type.encode(default)) != default:
        yield f"`default` {default} is no value of type {operand_type.name}"
    low = operand.get("low")
    if slot.width is None:
        if low is not None:
            yield "`low` is for slots of a given width; here the layout places operands"
    elif low is None:
        yield "key `low` is missing; a slot of a given width does not place operands"
    elif operand_type and not 0 <= low <= slot.width - operand_type.width:
        yield f"{operand_type.width} bits from bit {low} on leave the slot's {slot.width}"


def _unknown_keys(entry: _Entry, allowed: Sequence[str]) -> Iterator[str]:
    unknown = [key for key in entry if key not in allowed]
    return (f"unknown key `{key}`; there are {', '.join(allowed)}" for key in unknown)


def _unknown(what: str, known: Mapping[str, Any]) -> str:
    return f"unknown {what}; there are {', '.join(sorted(known))}"


def _pseudo_mistakes(entry: Mapping[str, Any], description: IsaDescription) -> Iterator[str]:
    """Yield the mistakes of the entry of a pseudo-instruction, each with its remedy."""
    missing = [key for key in _PSEUDO_KEYS[:3] if key not in entry]
    yield from (f"key `{key}` is missing" for key in missing)
    unknown = [key for key in entry if key not in _PSEUDO_KEYS]
    yield from (f"unknown key `{key}`; there are {', '.join(_PSEUDO_KEYS)}" for key in unknown)
    if missing:
        return
    if not isinstance(entry["doc"], InstructionDoc):
        yield "`doc` must be an InstructionDoc"
    name, *written = entry["becomes"].split()
    real = next(
        (entries[name] for entries in description.instructions.values() if name in entries), None
    )
    if real is None:
        yield f"`becomes` begins with `{name}`, which is no instruction"
    elif len(written) != len(real["operands"]):
        count = len(real["operands"])
        yield f"`becomes` gives `{name}` {len(written)} operands, but it takes {count}"
    else:
        yield from _becomes_mistakes(entry["operands"], written, real["operands"], description)


def _becomes_mistakes(
    names: Sequence[str],
    written: Sequence[str],
    operands: Sequence[Mapping[str, Any]],
    description: IsaDescription,
) -> Iterator[str]:
    for name in names:
        if written.count(name) != 1:
            yield f"operand `{name}` stands {written.count(name)} times in `becomes`, not once"
    for text, operand in zip(written, operands):
        if text not in names:
            value = description.operand_types[operand["type"]].parse(text)
            if not isinstance(value, int):
                yield f"`becomes` has `{text}` for `{operand['name']}`, which is no value of it"
