"""The page of an instruction, in Markdown: what hover, `--explain` and the reference show.

All of it is derived from the instruction's one description and the layout of its slot.
"""

from __future__ import annotations

from typing import Iterator, Mapping

from ipu_asm.isa.model import InstructionSpec, Isa, Operand, Slot
from ipu_asm.isa.operands import KeywordType, OperandType

_TIMES: Mapping[str, str] = {
    "snapshot": "value from before this bundle",
    "live": "value as this bundle's earlier slots leave it",
}
_ORDINALS = ("first", "second", "third", "fourth")


def instruction_markdown(isa: Isa, spec: InstructionSpec) -> str:
    """The page of one instruction, without a final line break."""
    language = isa.surface.language_id
    sections = (
        _fence(spec.syntax, language),
        _heading(isa, spec),
        _deprecation(spec),
        spec.doc.summary,
        _titled("Operands", "\n".join(_operand_lines(isa, spec))),
        _titled("Operation", _fence(spec.doc.operation, "text") if spec.doc.operation else ""),
        _titled("Reads and writes", "\n".join(_effect_lines(isa, spec))),
        _titled("Encoding", "\n".join(_encoding_lines(isa, spec))),
        _titled("Example", _fence(spec.doc.example, language) if spec.doc.example else ""),
    )
    return "\n\n".join(section for section in sections if section)


def encoding_lines(isa: Isa, spec: InstructionSpec) -> list[str]:
    """Where an instruction's bits are in the word: a line for each place that it can take.

    Such as ``opcode 156:154 = 1 | dest 153:152 | offset 151:148``.
    """
    slot = isa.slot_by_name[spec.slot]
    return [" | ".join(_bit_ranges(slot, spec, low)) for low in slot.lows]


def read_times(spec: InstructionSpec) -> dict[str, str]:
    """What an instruction reads, operands and state, and when: "live" or "snapshot"."""
    return {**{o.name: o.read for o in spec.operands if o.read}, **spec.reads}


def _fence(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"


def _titled(title: str, body: str) -> str:
    return f"**{title}**\n\n{body}" if body else ""


def _heading(isa: Isa, spec: InstructionSpec) -> str:
    slot = isa.slot_by_name[spec.slot]
    if len(isa.slots) == 1:
        return f"**{spec.doc.title}**"
    places = "" if slot.capacity == 1 else f", {slot.capacity} a bundle"
    return f"**{spec.doc.title}** (slot `{slot.name}`{places})"


def _deprecation(spec: InstructionSpec) -> str:
    return f"**Deprecated:** {spec.deprecated}." if spec.deprecated else ""


def _operand_lines(isa: Isa, spec: InstructionSpec) -> Iterator[str]:
    times = read_times(spec)
    for operand in spec.operands:
        text = f": {operand.description}" if operand.description else ""
        notes = ["read" + _when(isa, times[operand.name])] if operand.name in times else []
        notes += ["written"] if operand.name in spec.writes else []
        note = f" ({'; '.join(notes)})" if notes else ""
        yield f"- {_written(operand)}, {_sort(operand.type)}{text}{note}"
        if isinstance(operand.type, KeywordType):
            for word, meaning in operand.type.complete():
                yield f"    - `{word}`: {meaning}"


def _sort(operand_type: OperandType) -> str:
    """What may be written; of keywords only what they are, for they follow one by one."""
    return operand_type.title if isinstance(operand_type, KeywordType) else operand_type.describe()


def _written(operand: Operand) -> str:
    name = f"`{operand.keyword}={operand.name}`" if operand.keyword else f"`{operand.name}`"
    if not operand.optional:
        return name
    return f"{name} (optional, `{operand.type.format(operand.default)}` without it)"


def _when(isa: Isa, time: str) -> str:
    """When something is read: of interest only where several instructions run at once."""
    return f": {_TIMES[time]}" if isa.unit == "bundle" else ""


def _effect_lines(isa: Isa, spec: InstructionSpec) -> Iterator[str]:
    times = read_times(spec)
    for time in _TIMES:
        names = [f"`{name}`" for name, when in times.items() if when == time]
        if names:
            yield f"- reads {', '.join(names)}{_when(isa, time)}"
    written = [f"`{name}`" for name in spec.writes]
    written += ["the program counter"] if spec.flow not in (None, "break") else []
    if written:
        yield f"- writes {', '.join(written)}"


def _encoding_lines(isa: Isa, spec: InstructionSpec) -> Iterator[str]:
    lines = encoding_lines(isa, spec)
    for number, line in enumerate(lines):
        place = f"as {_ORDINALS[number]}: " if 1 < len(lines) <= len(_ORDINALS) else ""
        yield f"- {place}`{line}`"


def _bit_ranges(slot: Slot, spec: InstructionSpec, low: int) -> list[str]:
    opcode = slot.fields[0]
    ranges = [(operand.low, operand.type.width, operand.name, "") for operand in spec.operands]
    if opcode.width < slot.width:
        ranges.append((opcode.low, opcode.width, "opcode", f" = {spec.opcode}"))
    parts = [
        f"{name} {_bits(low + start, width)}{value}"
        for start, width, name, value in sorted(ranges, reverse=True)
    ]
    if opcode.width == slot.width:
        digits = -(-slot.width // 4)
        parts.insert(0, f"fixed bits 0x{spec.opcode_bits:0{digits}x}")
    return parts


def _bits(low: int, width: int) -> str:
    return f"{low + width - 1}:{low}" if width > 1 else str(low)
