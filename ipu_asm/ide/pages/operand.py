"""Markdown page of an operand as written: value, role in the instruction, and read timing."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.operand_matching import (
    KEYWORD_MARK,
    Instruction,
    expected_operands,
    value_start,
)
from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.flow.control_run.facts import ControlFacts, observe
from ipu_asm.flow.control_run.run import Limits
from ipu_asm.flow.control_run.summary import progression_text
from ipu_asm.flow.control_run.trace import Progression
from ipu_asm.flow.control_run.values import value_text
from ipu_asm.ide.loop_counts import free_windows
from ipu_asm.ide.pages.instruction import (
    held_bits,
    sentences_about_latency,
    sentences_about_operand,
)
from ipu_asm.ide.pages.label import target_markdown
from ipu_asm.ide.run_facts import origin_of, shown_facts
from ipu_asm.ide.symbols.registers import RegisterUse, about_file, register_title, registers_in
from ipu_asm.ide.syntax_element import OperandAt, reference_at
from ipu_asm.isa.model import Isa, Operand
from ipu_asm.isa.operands import IntegerType, number_value
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import inline_code

_MAX_TEXTS = 3
_LIMITS = Limits(most_steps=10_000)
"""A hover executes the program again, which may take a tenth of a second."""

_MAX_BITS_SHOWN = 64
# Separator between several keywords of one operand.
_JOINT = "|"


def register_use_at(program: Program, place: OperandAt, offset: int) -> RegisterUse | None:
    """Return the register use at `offset` if it is only a part of the operand.

    Returns None if the register is the whole operand or if there is no register at the offset.
    """
    bundle = program.bundles[place.bundle]
    offset -= program.starts[place.bundle]
    whole = bundle.value_span(place.instruction, place.operand)
    for use in registers_in(program.isa, bundle):
        is_here = (use.instruction, use.operand) == (place.instruction, place.operand)
        if is_here and use.span.touches(offset) and use.span != whole:
            return use
    return None


def operand_markdown(
    analysis: Analysis, place: OperandAt, part: RegisterUse | None = None
) -> str | None:
    """Return the page of an operand, or of the register `part` in it; None if it would be empty."""
    program = analysis.program
    bundle = program.bundles[place.bundle]
    instruction = bundle.instructions[place.instruction]
    operand = _matching_operand(instruction, place.operand)
    target = _target(analysis, place)
    if target is not None:
        return target
    text = instruction.words[place.operand + 1]
    text = text[value_start(text) :]
    register = part.register if part else _register(program.isa, operand, text)
    register = register if register in program.isa.file_of_register else None
    sections = [
        register_title(program, register, place.bundle)
        if register
        else _value(program.isa, instruction, operand, text),
        _role(instruction, operand, text) if operand is not None else "",
        *sentences_about_operand(program.isa, bundle, place.instruction, place.operand),
        *sentences_about_latency(
            program, analysis.source.lines, place.bundle, place.instruction, place.operand
        ),
        free_windows(program, place.bundle, register) if register else "",
        register_values(program, place.bundle, register) if register else "",
        about_file(program.isa, register) if register else "",
    ]
    return "\n\n".join(section for section in sections if section) or None


def _matching_operand(instruction: Instruction, place: int) -> Operand | None:
    """Return the operand spec that a written operand matches.

    If no operand could be matched, return the one that is expected at this position or keyword.
    """
    if instruction.spec is None or any(instruction.operands):
        return instruction.operands[place] if instruction.operands else None
    text = instruction.words[place + 1]
    start = value_start(text)
    due = expected_operands(instruction.spec, instruction.words[1 : place + 1])
    if start:
        return next((o for o in due.by_name if o.keyword == text[: start - 1].lower()), None)
    return due.by_place[0] if due.by_place else None


def _target(analysis: Analysis, place: OperandAt) -> str | None:
    """Return the page of the branch target if the operand is a resolved label reference."""
    reference = reference_at(analysis.program, place)
    if reference is None or reference.target is None:
        return None
    source = analysis.program.addresses[place.bundle]
    return target_markdown(analysis, reference.text, source, reference.target)


def _register(isa: Isa, operand: Operand | None, text: str) -> str | None:
    """Return the canonical name of the register that `text` denotes in any spelling."""
    value = operand.type.parse(text) if operand is not None else None
    if operand is not None and isinstance(value, int):
        text = operand.type.format(value)
    spellings = (text, text.lower(), text.upper())
    return next((name for name in spellings if name in isa.file_of_register), None)


def _value(isa: Isa, instruction: Instruction, operand: Operand | None, text: str) -> str:
    """Return a description of the keywords in the operand with their meanings, or of its number."""
    if operand is not None:
        text = text.removeprefix(operand.type.prefix)
    choices = operand.type.complete() if operand is not None else ()
    meanings = {choice.text.lower(): choice for choice in choices}
    words = text.lower().split(_JOINT)
    if meanings and all(word in meanings for word in words):
        return "\n\n".join(
            f"**`{meanings[word].text}`** · {meanings[word].detail}" for word in words
        )
    number = number_value(text)
    kind = operand.type if operand is not None else None
    is_number = number is not None and isinstance(kind, IntegerType)
    if is_number and kind and isinstance(kind.parse(kind.prefix + text), UnplacedFinding):
        return f"**{text}** does not fit"
    if number is not None and number.bit_length() <= _MAX_BITS_SHOWN:
        held = held_bits(isa, instruction, operand, number) if operand is not None else ""
        extended = f"\n\nSign-extended: `{held}`." if held else ""
        return _number(operand, text, number) + extended
    return ""


def _number(operand: Operand | None, text: str, value: int) -> str:
    """Return a number in decimal, hexadecimal and binary, and how its field stores it.

    A negative number is shown in hexadecimal and binary as the bits of its field.
    """
    kind = operand.type if operand is not None else None
    if not isinstance(kind, IntegerType) or isinstance(kind.parse(text), UnplacedFinding):
        return _in_three_bases(value, value)
    bits = kind.encode(value)
    title = _in_three_bases(value, bits if value < 0 else value)
    stored = kind.stored(value)
    if stored != value:
        return f"{title}\n\nStored in {kind.width} bits and read back as **{stored}**."
    if bits != value >= 0:
        return f"{title}\n\nStored in {kind.width} bits as `{bits:#x}`."
    return title


def _in_three_bases(value: int, bits: int) -> str:
    return f"**{value}** · `{bits:#x}` · `{bits:#_b}`"


def _role(instruction: Instruction, operand: Operand, text: str) -> str:
    """Return a sentence with the operand's name, its instruction, and its description."""
    name = f"{operand.keyword}{KEYWORD_MARK}" if operand.keyword else operand.name
    is_number = isinstance(operand.type, IntegerType) and number_value(text) is not None
    sort = f" ({operand.type.describe()})" if is_number else ""
    about = f": {operand.description}" if operand.description else ""
    return f"`{name}` of {inline_code(instruction.mnemonic)}{sort}{about}"


def register_values(program: Program, number: int, register: str) -> str:
    """Return a sentence about the values of a register at bundle `number`; "" if unknown."""
    facts = shown_facts(program)
    if facts is None or not program.bundles[number].size:
        return ""
    place = facts.run.names.positions.get(register)
    if place is None:
        return ""
    if not facts.is_written(register):
        origin = origin_of(program, register)
        constant = _constant(program, facts, register, place)
        return constant + (f", from {origin}" if origin else "")
    address = program.addresses[number]
    if facts.is_complete and facts.summary.executions[address] == 0:
        return ""
    observed = observe(facts.run, {address: [register]}, _LIMITS)
    before, after = observed.values[address, register]
    if not before:
        return ""
    seen = "Values" if observed.is_complete else "First values"
    if before == after:
        return f"{seen} here: {values_text(before)}"
    unit = program.isa.unit
    return f"{seen} before this {unit}: {values_text(before)}; after it: {values_text(after)}"


def values_text(values: Sequence[Progression]) -> str:
    """Return values: `0..127, step 1`. Several progressions are separated by `;`."""
    distinct = list(dict.fromkeys(_without_repetitions(each) for each in values))
    texts = [_values_of(each) for each in distinct[:_MAX_TEXTS]]
    if len(distinct) > _MAX_TEXTS:
        texts.append(f"{len(distinct) - _MAX_TEXTS} more")
    return "; ".join(texts)


def _constant(program: Program, facts: ControlFacts, register: str, place: int) -> str:
    value = facts.run.registers[place]
    is_set = register in {name.lower() for name in facts.presets}
    if not isinstance(value, int):
        return "Set by the host; its value is not known"
    if register in program.isa.constants:
        return f"Always {value}"
    if register in program.isa.resets and not is_set:
        return f"{value:,} ({value % (1 << 32):#x}) unless the host sets it"
    if place >= facts.run.names.changing or is_set:
        word = value % (1 << 32)
        is_address = any(place in each.access.bases for each in facts.summary.accesses.values())
        shown = f"{word:#x} ({value:,})" if is_address else f"{value:,} ({word:#x})"
        return f"Set by the host: {shown}"
    return f"Never written: {value}"


def _without_repetitions(values: Progression) -> Progression:
    kept = tuple(each for each in values.dimensions if each[0] != 0 and each[1] != 1)
    return Progression(values.start, kept)


def _values_of(values: Progression) -> str:
    start = values.start
    if not values.dimensions:
        return f"{start:,}" if isinstance(start, int) else value_text(start)
    stride, count = values.dimensions[0]
    is_known = isinstance(start, int) and isinstance(stride, int) and isinstance(count, int)
    if len(values.dimensions) > 1 or not is_known:
        return progression_text(values)
    assert isinstance(start, int)
    assert isinstance(stride, int)
    assert isinstance(count, int)
    return f"{start:,}..{start + stride * (count - 1):,}, step {stride:,}"
