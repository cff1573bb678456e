"""Markdown page of an instruction as written: at most `MAX_LINES` lines, then a link to the rest.

The first lines are what its operands are here and which values they see; the operation and the
encoding are in the reference of the instruction set.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Collection, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import ON_MNEMONIC, Instruction, value_start
from ipu_asm.flow.accesses import (
    LIVE,
    ReachingWrite,
    RegisterAccess,
    accesses_of,
    reaching_writes,
    slow_writes,
)
from ipu_asm.ide.run_facts import access_lines
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import IntegerType, number_value
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import fenced_code, inline_code
from ipu_asm.reports.pages import instruction_markdown, reference_link
from ipu_asm.text import LineIndex, Span

# A valid bundle has fewer.
_MAX_NAMED = 8
MAX_LINES = 12
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
    room = MAX_LINES - len(head) - 1
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
            yield _drawing(program, number, read, write)
        else:
            yield f"Sees the result of {place}."


def _drawing(program: Program, number: int, read: RegisterAccess, write: ReachingWrite) -> str:
    """Draw a read before a result lands: the cycles since the write, the write, and the read."""
    distance = program.addresses[number] - program.addresses[write.number]
    lands = write.access.timing.def_cycle or 0
    sees = distance + (read.timing.use_cycle or 1) - 1
    width = max(lands, sees) + 1
    result, reader = ["-"] * lands + ["W"], [""] * distance + ["-"] * (sees - distance) + ["R"]
    names = [
        program.bundles[at].instructions[access.instruction].mnemonic
        for at, access in ((write.number, write.access), (number, read))
    ]
    left = max(map(len, (*names, "cycle")))
    rows = ([str(cycle) for cycle in range(width)], result, reader)
    lines = [
        f"{name:{left}} {' '.join(f'{each:>2}' for each in row)}".rstrip()
        for name, row in zip(("cycle", *names), rows)
    ]
    return fenced_code("\n".join(lines), "text")


def line_text(program: Program, lines: LineIndex, number: int | None) -> str:
    """Return the line of a bundle in parentheses; "" for no bundle."""
    if number is None:
        return ""
    start = program.span(number, _first(program.bundles[number])).start
    return f" (line {lines.position(start).line + 1})"


def _first(bundle: Bundle) -> Span:
    return bundle.syntax.mnemonic_span(0) if bundle.instructions else bundle.first_token


def sentences_about_operand(isa: Isa, bundle: Bundle, instruction: int, operand: int) -> list[str]:
    """Return sentences about one operand: which value it sees, or which reads see its value."""
    if not _holds_several_instructions(isa):
        return []
    every = accesses_of(isa, bundle)
    sentences = []
    for access in every:
        if (access.instruction, access.operand) != (instruction, operand):
            continue
        if access.register not in _writable(isa):
            continue
        if access.writes:
            sentences.append(_sentence_about_writing(bundle, access, every))
        elif access.reads:
            sentences.append(_sentence_about_reading(bundle, access, every))
    return sentences


def remarks_by_operand(isa: Isa, bundle: Bundle, instruction: int) -> dict[int, list[str]]:
    """Return for each operand of an instruction which value it sees, or which reads see its value.

    Only registers that one instruction of the bundle writes and another reads have a remark. Those
    about registers that no operand names are under `ON_MNEMONIC`, and name their register.
    """
    every = accesses_of(isa, bundle)
    found: dict[int, dict[str, None]] = {}
    for access in every:
        if access.instruction != instruction:
            continue
        name = f"`{access.register}`" if access.operand == ON_MNEMONIC else ""
        seen_as, written = (
            (f"{name} is ", f"{name}, written here") if name else ("", "written here")
        )
        remarks = found.setdefault(access.operand, {})
        for writer in _writers(access, every)[:_MAX_NAMED]:
            remarks[f"{seen_as}{_remark_on_reading(bundle, access, writer)}"] = None
        seen = _what_readers_see(bundle, access, every) if access.writes else ""
        if seen:
            remarks[f"{written}: {seen}"] = None
    return {operand: list(remarks) for operand, remarks in found.items() if remarks}


def reads_of_changed_registers(isa: Isa, bundle: Bundle) -> list[RegisterAccess]:
    """Return the reads of registers that another instruction of the bundle writes."""
    every = accesses_of(isa, bundle)
    # Not `_writers`, which is quadratic: a bundle without end mark may have thousands of
    # instructions.
    writers: dict[str, set[int]] = {}
    for access in every:
        for unit in access.units if access.writes else ():
            writers.setdefault(unit, set()).add(access.instruction)
    return [
        read
        for read in every
        if _can_see_other_writes(read)
        and any(_has_other(writers.get(unit, ()), read.instruction) for unit in read.units)
    ]


def _holds_several_instructions(isa: Isa) -> bool:
    """Check whether a bundle can hold more than one instruction."""
    return sum(slot.capacity for slot in isa.slots) > 1


def _sees_or_misses(read: RegisterAccess, write: RegisterAccess) -> bool:
    """Check whether `read` sees or misses `write`, a write of another instruction.

    A read-modify-write of a live value does not count: a bundle has only one such instruction.
    """
    if not write.writes or not _can_see_other_writes(read):
        return False
    return read.instruction != write.instruction and not read.units.isdisjoint(write.units)


def _can_see_other_writes(read: RegisterAccess) -> bool:
    """Check whether a read can see or miss a write of another instruction."""
    return read.timing.read is not None and not (read.writes and read.timing.read == LIVE)


def _has_other(numbers: Collection[int], number: int) -> bool:
    return len(numbers) > (number in numbers)


def _writers(read: RegisterAccess, every: Sequence[RegisterAccess]) -> list[RegisterAccess]:
    return [access for access in every if _sees_or_misses(read, access)]


def _sentence_about_reading(
    bundle: Bundle, access: RegisterAccess, every: Sequence[RegisterAccess]
) -> str:
    writers = _writers(access, every)
    if access.timing.read == LIVE:
        if writers:
            return f"Sees the **new** value: {_listed(bundle, writers, 'comes', 'come')} first."
        return (
            f"A write in this bundle would be seen, but nothing here writes `{access.register}`: "
            "sees the value from before."
        )
    if writers:
        late = _listed(bundle, writers, "comes", "come")
        return f"Sees the **old** value, from before this bundle: {late} too late."
    return "Sees the value from before this bundle; a write in it would come too late."


def _sentence_about_writing(
    bundle: Bundle, access: RegisterAccess, every: Sequence[RegisterAccess]
) -> str:
    what = "Read and written here" if access.reads else "Written here"
    seen = _what_readers_see(bundle, access, every)
    return f"{what}: {seen}." if seen else f"{what}; nothing else in this bundle reads it."


def _remark_on_reading(bundle: Bundle, access: RegisterAccess, writer: RegisterAccess) -> str:
    text = _listed(bundle, [writer], "comes", "come")
    return f"**new**: {text} first" if access.timing.read == LIVE else f"**old**: {text} too late"


def _what_readers_see(
    bundle: Bundle, written: RegisterAccess, every: Sequence[RegisterAccess]
) -> str:
    readers = [access for access in every if _sees_or_misses(access, written)]
    parts = []
    for time, value in (("live", "new"), ("snapshot", "old")):
        group = [access for access in readers if access.timing.read == time]
        if group:
            parts.append(f"{_listed(bundle, group, 'sees', 'see')} the **{value}** value")
    return ", ".join(parts)


def _listed(bundle: Bundle, accesses: list[RegisterAccess], verb: str, plural: str) -> str:
    """Return the instructions of some accesses in source form, followed by the verb that agrees."""
    words = (bundle.instructions[access.instruction].words for access in accesses)
    texts = list(dict.fromkeys(inline_code(" ".join(text)) for text in words))[:_MAX_NAMED]
    if len(texts) == 1:
        return f"{texts[0]} {verb}"
    return f"{', '.join(texts[:-1])} and {texts[-1]} {plural}"


@lru_cache(maxsize=16)
def _writable(isa: Isa) -> frozenset[str]:
    """Return the registers that at least one instruction can write."""
    return frozenset(
        choice.text
        for spec in isa.instructions.values()
        for operand in spec.operands
        if operand.name in spec.writes
        for choice in operand.type.complete()
    )
