"""Markdown page of a bundle: address, encoded word and free slots."""

from __future__ import annotations

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.diagnostics import Severity
from ipu_asm.ide.slots import free_slots
from ipu_asm.program.program import Program


def bundle_markdown(program: Program, number: int) -> str | None:
    """Return the Markdown page of bundle `number`, or None if the bundle is empty.

    The page omits the encoded word if the bundle has an error.
    """
    bundle, isa = program.bundles[number], program.isa
    if not bundle.size:
        return None
    sections = [f"**{isa.unit.capitalize()} {program.addresses[number]}**"]
    word = word_of(program, number)
    if word is not None:
        sections.append(f"`0x{word:0{-(-isa.word_bits // 4)}x}`")
    if len(isa.slots) > 1:
        free = [
            f"`{slot}`" if count == 1 else f"{count} x `{slot}`"
            for slot, count in free_slots(isa, bundle.instructions).items()
        ]
        sections.append(f"Free: {', '.join(free)}." if free else "No slot is free.")
    return "\n\n".join(sections)


def word_of(program: Program, number: int) -> int | None:
    """Return the encoded word of a bundle at its address; None if it is empty or has an error.

    Label operands and slot defaults that depend on the address are filled in. The result is also
    None if a label is undefined or if the instruction set has no encoding.
    """
    bundle = program.bundles[number]
    if not bundle.size or not program.isa.has_words or _has_error(bundle):
        return None
    word = bundle.word
    for reference in program.references_of(number):
        operand = bundle.instructions[reference.use.instruction].operands[reference.use.operand]
        if reference.target is None or operand is None:
            return None
        word |= operand.type.encode(reference.target) << reference.use.low
    for slot, default in parser_for(program.isa).open_defaults():
        if slot in bundle.open_slots:
            place = default.labels[0]
            operand, text = default.operands[place], default.values[place]
            assert operand is not None
            assert isinstance(text, str)
            target = operand.type.resolve(text, program.addresses[number], {}, lambda _: None)
            if not isinstance(target, int):
                return None
            bits = default.bits | operand.type.encode(target) << operand.low
            word |= bits << slot.lows[0]
    return word


def _has_error(bundle: Bundle) -> bool:
    return bundle.is_broken or any(
        finding.severity is Severity.ERROR for finding in bundle.findings
    )
