"""Markdown page of an instruction as written: at most `MOST_LINES` lines, then a link to the rest.

The first lines are what its operands are here and which values they see; the operation and the
encoding are in the reference of the instruction set.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.operand_matching import ON_MNEMONIC, value_start
from ipu_asm.flow.accesses import RegisterAccess, accesses_of, reaching_writes, slow_writes
from ipu_asm.ide.pages.timing import remarks_by_operand
from ipu_asm.ide.run_facts import access_lines
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import IntegerType, number_value
from ipu_asm.program.program import Program
from ipu_asm.reports.instruction_page import instruction_markdown
from ipu_asm.reports.markdown import fenced_code, inline_code
from ipu_asm.reports.reference_link import reference_link
from ipu_asm.text import LineIndex, Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


MOST_LINES = 12


_END_OF_SENTENCE = re.compile(r"(?<=\w)\.\s|(?<=[)`])\.\s")


_REGISTER_BITS = re.compile(r"(\d+) bits\b")


def written_markdown(analysis: Analysis, number: int, place: int) -> str | None:
    """Return the page of instruction `place` of bundle `number`; None if it is unknown.

    Without an installed reference the whole page of the instruction follows.
    """
    isa, bundle = analysis.isa, analysis.program.bundles[number]
    instruction = bundle.instructions[place]
    spec = instruction.spec
    if spec is None:
        return None
    head = [
        fenced_code(_signature(bundle, place, spec), isa.surface.language_id),
        _title(isa, spec),
    ]
    head += [f"**Deprecated:** {spec.deprecated}."] if spec.deprecated else []
    head += [effect(spec)] if spec.doc.summary else []
    remarks = remarks_by_operand(isa, bundle, place)
    bullets = list(_operand_lines(isa, instruction, spec, remarks))
    bullets += remarks.get(ON_MNEMONIC, [])
    if spec.delay_slots:
        bullets.append(f"takes effect after {spec.delay_slots} more {isa.unit}s: its delay slots")
    run = [f"In the whole run: {line}" for line in access_lines(analysis, number, place)]
    room = MOST_LINES - len(head) - 1
    bullets = [*bullets[: room - len(run[:1])], *run][:room]
    link = reference_link(isa, spec)
    rest = f"[Operation, encoding and more]({link})" if link else ""
    sections = [*head, "\n".join(f"- {bullet}" for bullet in bullets), rest]
    if not link:
        sections.append(f"---\n\n{instruction_markdown(isa, spec)}")
    return "\n\n".join(section for section in sections if section)


def effect(spec: InstructionSpec) -> str:
    """Return the first sentence of an instruction's summary."""
    summary = " ".join(spec.doc.summary.split())
    end = _END_OF_SENTENCE.search(summary)
    return summary[: end.start() + 1] if end else summary


def held_bits(isa: Isa, instruction: Instruction, operand: Operand, value: int) -> str:
    """Return in hexadecimal what a negative number becomes in the registers that it is used with.

    Returns "" for other numbers, and where the width of these registers is unknown.
    """
    if not isinstance(operand.type, IntegerType) or not operand.type.encode(value):
        return ""
    stored = operand.type.stored(value)
    width = _written_width(isa, instruction)
    if stored >= 0 or width < operand.type.width:
        return ""
    return f"{stored % (1 << width):#x}"


def _written_width(isa: Isa, instruction: Instruction) -> int:
    """Return the bits of the register that an instruction writes; 0 if unknown."""
    spec = instruction.spec
    for operand, text in zip(instruction.operands, instruction.words[1:]):
        if operand is None or spec is None or operand.name not in spec.writes:
            continue
        file = isa.file_of_register.get(text.lower())
        width = _REGISTER_BITS.match(file.summary) if file else None
        return int(width[1]) if width else 0
    return 0


def _signature(bundle: Bundle, place: int, spec: InstructionSpec) -> str:
    """Return the instruction as written on one line, or its syntax if operands are missing."""
    instruction = bundle.instructions[place]
    if not instruction.is_whole:
        return spec.syntax
    span = bundle.syntax.instruction_span(place)
    text = bundle.syntax.text[span.start : span.end]
    # The columns of the file mean nothing here; a comment may stand between its lines.
    return " ".join(instruction.words if "\n" in text else text.split())


def _title(isa: Isa, spec: InstructionSpec) -> str:
    if len(isa.slots) == 1:
        return f"**{spec.doc.title}**"
    slot = isa.slot_by_name[spec.slot]
    remark = ", only in simulation" if slot.simulation_only and not spec.nop else ""
    return f"**{spec.doc.title}** · slot `{spec.slot}`{remark}"


def _operand_lines(
    isa: Isa, instruction: Instruction, spec: InstructionSpec, remarks: dict[int, list[str]]
) -> Iterator[str]:
    """Yield a line for each written operand, then for each required one that is missing."""
    named = set[str]()
    matched = instruction.operands
    if not any(matched):
        matched = tuple(each for each in spec.operands if not each.optional)
    for number, (operand, text) in enumerate(zip(matched, instruction.words[1:])):
        if operand is None:
            continue
        named.add(operand.name)
        text = text[value_start(text) :]
        value = number_value(text)
        held = held_bits(isa, instruction, operand, value) if value is not None else ""
        line = f"`{operand.name}` = {inline_code(text)}{f' (`{held}`)' if held else ''}"
        about = remarks.get(number) or [_meaning(isa, operand, text) or _brief(operand)]
        about = [*about, *_latency(isa, operand)]
        yield ": ".join(filter(None, (line, "; ".join(filter(None, about)))))
    for operand in spec.operands:
        if operand.name not in named and not operand.optional:
            yield ": ".join(filter(None, (f"`{operand.name}`", _brief(operand))))


def _meaning(isa: Isa, operand: Operand, text: str) -> str:
    """Return what a keyword means; "" for registers and everything else."""
    if text.lower() in isa.file_of_register:
        return ""
    found = (choice.detail for choice in operand.type.complete() if choice.text == text)
    return next(found, "").split("; ")[0]


def _latency(isa: Isa, operand: Operand) -> list[str]:
    cycles = operand.def_cycle
    return [f"lands {cycles} {isa.unit}s later"] if cycles is not None and cycles > 1 else []


def _brief(operand: Operand) -> str:
    """Return the first part of an operand's description."""
    return operand.description.split("; ")[0]


def sentences_about_latency(
    program: Program, lines: LineIndex, number: int, instruction: int, operand: int
) -> Iterator[str]:
    """Yield the sentences about the registers of one operand of bundle `number`."""
    for access, latency, lands_in in slow_writes(program, number):
        if (access.instruction, access.operand) == (instruction, operand):
            there = line_text(program, lines, lands_in)
            yield f"`{access.register}` lands {latency} bundles later{there}."
    for access in accesses_of(program.isa, program.bundles[number]):
        if access.reads and (access.instruction, access.operand) == (instruction, operand):
            yield from _about_read(program, lines, number, access)


def _about_read(
    program: Program, lines: LineIndex, number: int, read: RegisterAccess
) -> Iterator[str]:
    for write in reaching_writes(program, number, read):
        mnemonic = program.bundles[write.number].instructions[write.access.instruction].mnemonic
        place = f"{inline_code(mnemonic)}{line_text(program, lines, write.number)}"
        if write.remaining:
            more = "bundle" if write.remaining == 1 else "bundles"
            yield (
                f"Sees the value of `{read.register}` from **before** {place}, whose result lands "
                f"{write.remaining} {more} later."
            )
        else:
            yield f"Sees the result of {place}."


def line_text(program: Program, lines: LineIndex, number: int | None) -> str:
    """Return the line of a bundle in parentheses; "" for no bundle."""
    if number is None:
        return ""
    start = program.span(number, _first(program.bundles[number])).start
    return f" (line {lines.position(start).line + 1})"


def _first(bundle: Bundle) -> Span:
    return bundle.syntax.mnemonic_span(0) if bundle.instructions else bundle.first_token
