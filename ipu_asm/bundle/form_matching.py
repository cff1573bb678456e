"""From the words of an instruction to the form of its mnemonic that fits them best."""

from __future__ import annotations

from itertools import permutations
from typing import Sequence

from ipu_asm.bundle.instruction import OPERAND_COUNTS, Instruction, Value
from ipu_asm.bundle.operand_matching import any_named, match_operands, value_start
from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.diagnostics.errors import (
    IMMEDIATE_OUT_OF_RANGE,
    UNKNOWN_KEYWORD,
    WRONG_OPERAND_TYPE,
)
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import number_value, quoted

_MOST_FORMS_SHOWN = 3
_MOST_REORDERED = 6


def is_instruction(isa: Isa, words: tuple[str, ...]) -> bool:
    """Whether these words are an instruction without findings, its slot and its labels aside.

    Findings that a macro may resolve do not count.
    """
    instruction = read_instruction(isa, words)
    return instruction is not None and is_resolvable_by_macros(instruction)


def read_instruction(isa: Isa, words: tuple[str, ...]) -> Instruction | None:
    """The instruction with these words and its findings; None for an unknown mnemonic."""
    spec = isa.spec(words[0])
    return None if spec is None else _read_forms(isa.forms(spec), words)


def _read_forms(forms: Sequence[InstructionSpec], words: tuple[str, ...]) -> Instruction:
    if len(forms) == 1:
        return _in_order(_read_form(forms[0], words))
    likely = [form for form in forms if _may_fit(form, words[1:])]
    return _best_reading([_read_form(form, words) for form in likely or forms])


def _in_order(instruction: Instruction) -> Instruction:
    """The instruction, with one finding where only the order of its operands is wrong."""
    spec, texts = instruction.spec, instruction.words[1:]
    if spec is None or not instruction.findings or not spec.all_operands_required:
        return instruction
    if len(texts) != len(spec.operands) or not 2 <= len(texts) <= _MOST_REORDERED:
        return instruction
    if any(finding.dropped_if_defined for _, finding in instruction.findings):
        return instruction
    fits = [[_fits(operand, text, spec) for text in texts] for operand in spec.operands]
    misplaced = [number for number in range(len(texts)) if not fits[number][number]]
    orders = [
        order
        for order in permutations(range(len(texts)))
        if all(fits[number][place] for number, place in enumerate(order))
    ]
    if len(misplaced) < 2 or not orders:
        return instruction
    message = f"the operands of `{spec.mnemonic}` stand in the order `{spec.syntax}`"
    message += f", found {quoted(' '.join(texts))}"
    finding = UnplacedFinding(WRONG_OPERAND_TYPE, message)
    if len(orders) == 1:
        finding = finding._replace(reordered=tuple(texts[place] for place in orders[0]))
    values = tuple(None for _ in texts)
    return instruction._replace(values=values, labels=(), findings=((misplaced[0], finding),))


def _fits(operand: Operand, text: str, spec: InstructionSpec) -> bool:
    """Whether a text is a value of an operand; a label is a text that fits no other operand."""
    if not isinstance(operand.type.parse(text), str):
        return not isinstance(operand.type.parse(text), UnplacedFinding)
    others = (other.type.parse(text) for other in spec.operands if other.type is not operand.type)
    return all(isinstance(value, (str, UnplacedFinding)) for value in others)


def _may_fit(form: InstructionSpec, texts: Sequence[str]) -> bool:
    """A quick check whether the operands can fit a form; most forms of a mnemonic fail it."""
    if not form.all_operands_required:
        return True
    return len(texts) == len(form.operands) and not any(
        isinstance(operand.type.parse(text), UnplacedFinding)
        for operand, text in zip(form.operands, texts)
    )


def _read_form(spec: InstructionSpec, words: tuple[str, ...]) -> Instruction:
    """The instruction with these words, read as one form of the mnemonic."""
    texts = words[1:]
    operands, findings = match_operands(spec, texts)
    named = any_named(texts)
    values: list[Value] = []
    labels: list[int] = []
    bits = spec.opcode_bits
    for number, operand in enumerate(operands):
        if operand is None:
            values.append(None)
            continue
        text = texts[number]
        start = value_start(text) if named else 0
        parsed = operand.type.parse(text[start:] if start else text)
        if isinstance(parsed, UnplacedFinding):
            is_number = number_value(text[start:]) is not None
            where = (start, len(text))
            findings.append((number, _in_operand(parsed, operand, where, is_number)))
            values.append(None)
            continue
        values.append(parsed)
        if parsed is None:
            continue
        if isinstance(parsed, str):
            labels.append(number)
        else:
            bits |= operand.type.encode(parsed) << operand.low
    if not spec.all_operands_required:
        bits |= _default_bits(spec, operands)
    return Instruction(
        words, spec, tuple(operands), tuple(values), tuple(findings), bits, tuple(labels)
    )


def _best_reading(readings: Sequence[Instruction]) -> Instruction:
    """Of the readings of the same words as several forms, the first that fits.

    Its `others` are the readings that fit other slots. Where none fits, the nearest reading has the
    findings.
    """
    fitting = [reading for reading in readings if not reading.findings]
    if not fitting:
        best = _with_other_forms(min(readings, key=_distance), readings)
        return best._replace(others=_others_that_may_fit(best, readings))
    by_slot: dict[str, Instruction] = {}
    for reading in fitting:
        if reading.spec is not None:
            by_slot.setdefault(reading.spec.slot, reading)
    first, *others = by_slot.values()
    return first._replace(others=tuple(others)) if others else first


def _others_that_may_fit(
    best: Instruction, readings: Sequence[Instruction]
) -> tuple[Instruction, ...]:
    """The readings for other slots that fit if macros define the right names.

    A no-op with operands, which no slot takes, is one of any slot all the same.
    """
    by_slot = {best.spec.slot: best} if best.spec is not None else {}
    is_nop = best.spec is not None and best.spec.nop
    for reading in readings if is_nop or is_resolvable_by_macros(best) else ():
        if reading.spec is not None and (is_nop or is_resolvable_by_macros(reading)):
            by_slot.setdefault(reading.spec.slot, reading)
    return tuple(by_slot.values())[1:]


def is_resolvable_by_macros(reading: Instruction) -> bool:
    """Whether macros may resolve all findings of a reading."""
    return all(finding.dropped_if_defined for _, finding in reading.findings)


_NEARNESS = (IMMEDIATE_OUT_OF_RANGE, UNKNOWN_KEYWORD, WRONG_OPERAND_TYPE)


def _distance(reading: Instruction) -> tuple[bool, bool, int, int, int, int]:
    """How far a reading is from fitting: by the operand count, then by place and sort of finding.

    A reading whose findings macros may resolve is nearer than any other. Of two operands that both
    do not fit, the one that allows more values gives the better message.
    """
    place, finding = min(reading.findings, key=lambda entry: entry[0])
    counts = any(found.rule in OPERAND_COUNTS for _, found in reading.findings)
    kind = _NEARNESS.index(finding.rule) if finding.rule in _NEARNESS else len(_NEARNESS)
    operand = reading.operands[place] if 0 <= place < len(reading.operands) else None
    taken = len(operand.type.complete()) if operand is not None else 0
    return not is_resolvable_by_macros(reading), counts, -place, kind, len(reading.findings), -taken


def _with_other_forms(best: Instruction, readings: Sequence[Instruction]) -> Instruction:
    """The nearest reading, with the syntax of other forms that are as near in its message."""
    rank = _distance(best)[:3]
    syntaxes = [r.spec.syntax for r in readings if r.spec is not None and _distance(r)[:3] == rank]
    others = [
        syntax for syntax in dict.fromkeys(syntaxes) if best.spec and syntax != best.spec.syntax
    ]
    if not others or len(others) > _MOST_FORMS_SHOWN:
        return best
    (place, finding), *rest = best.findings
    listed = " or ".join(quoted(syntax) for syntax in others)
    finding = finding._replace(message=f"{finding.message} (or write {listed})")
    return best._replace(findings=((place, finding), *rest))


def _in_operand(
    finding: UnplacedFinding, operand: Operand, place: tuple[int, int], is_number: bool
) -> UnplacedFinding:
    """The finding about a value, as one about the operand that holds it at a place."""
    start, stop = place
    part = finding.part
    if part is not None:
        part = (part[0] + start, part[1] + start)
    elif start:
        part = (start, stop)
    message = f"operand `{operand.name}`: {finding.message}"
    if operand.advice and finding.rule is WRONG_OPERAND_TYPE and is_number:
        message += f"; {operand.advice}"
    return finding._replace(message=message, part=part)


def _default_bits(spec: InstructionSpec, written: Sequence[Operand | None]) -> int:
    """The bits of omitted operands whose default is not 0."""
    return sum(
        operand.type.encode(operand.default) << operand.low
        for operand in spec.operands
        if operand.default and operand not in written
    )
