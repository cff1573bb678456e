"""Pseudo-instructions: mnemonics for which the assembler puts another instruction."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from ipu_asm.isa.description import IsaDescription
from ipu_asm.isa.model import InstructionDoc, InstructionSpec, Operand
from ipu_asm.isa.scalar import ScalarFacts

_KEYS = ("operands", "doc", "becomes", "flow")


def pseudo_instruction(
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


def pseudo_mistakes(entry: Mapping[str, Any], description: IsaDescription) -> Iterator[str]:
    """Yield the mistakes of the entry of a pseudo-instruction, each with its remedy."""
    missing = [key for key in _KEYS[:3] if key not in entry]
    yield from (f"key `{key}` is missing" for key in missing)
    unknown = [key for key in entry if key not in _KEYS]
    yield from (f"unknown key `{key}`; there are {', '.join(_KEYS)}" for key in unknown)
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
        yield from _operand_mistakes(entry["operands"], written, real["operands"], description)


def _operand_mistakes(
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


def _renamed(real: InstructionSpec, becomes: tuple[str, ...]) -> ScalarFacts | None:
    """Return the facts of an instruction about the operands, or constants, in their places."""
    facts = real.scalar
    if facts is None or facts.condition is None:
        return facts
    names = {operand.name: text for operand, text in zip(real.operands, becomes[1:])}
    left, _, right = facts.condition
    return facts._replace(condition=facts.condition._replace(left=names[left], right=names[right]))
