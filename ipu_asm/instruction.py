"""One instruction as it is written: which operand is which, its values, its bits.

Nothing here depends on where an instruction stands.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from ipu_asm.diagnostics import Problem
from ipu_asm.errors import (
    IMMEDIATE_OUT_OF_RANGE,
    TOO_FEW_OPERANDS,
    TOO_MANY_OPERANDS,
    UNKNOWN_KEYWORD,
    UNKNOWN_MNEMONIC,
    WRONG_OPERAND_TYPE,
)
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import quoted
from ipu_asm.matching import ON_MNEMONIC, any_named, match_operands, value_start
from ipu_asm.spelling import Vocabulary

Value = int | str | None
_MOST_FORMS_SHOWN = 3


class Instruction(NamedTuple):
    """One instruction as written, wherever it stands.

    `operands[i]` is the operand of the spec that the i-th written one is (None if there is no such
    any more); `values[i]` its value (None if it is wrong or cannot be told, the text if it is a
    label). `problems`
    pairs the number of a written operand, or `ON_MNEMONIC`, with what is wrong. `bits` are the
    slot's bits with label fields still 0. `others` are what the same words are in other slots.
    """

    words: tuple[str, ...]
    spec: InstructionSpec | None
    operands: tuple[Operand | None, ...] = ()
    values: tuple[Value, ...] = ()
    problems: tuple[tuple[int, Problem], ...] = ()
    bits: int = 0
    labels: tuple[int, ...] = ()
    others: tuple[Instruction, ...] = ()

    @property
    def mnemonic(self) -> str:
        """The mnemonic as it is written."""
        return self.words[0]

    def value(self, name: str) -> Value:
        """The value of the operand of that name; None if it is absent or wrong."""
        for operand, value in zip(self.operands, self.values):
            if operand is not None and operand.name == name:
                return value
        return None

    @property
    def is_idle(self) -> bool:
        """Whether it does nothing at all, by what it is or by its operands."""
        if self.spec is None:
            return False
        idle = self.spec.idle.items()
        return self.spec.nop or (
            bool(idle) and all(self.value(name) == value for name, value in idle)
        )


def resolve_instruction(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> Instruction:
    """The instruction that these words are. `vocabulary` has the mnemonics of the set."""
    spec = isa.spec(words[0])
    if spec is None:
        return Instruction(words, None, problems=((ON_MNEMONIC, _unknown(isa, vocabulary, words)),))
    forms = isa.forms(spec)
    if len(forms) == 1:
        return _read_form(spec, words)
    return _chosen([_read_form(form, words) for form in forms])


def _read_form(spec: InstructionSpec, words: tuple[str, ...]) -> Instruction:
    """The instruction that the words are in one form of their mnemonic."""
    texts = words[1:]
    operands, problems = match_operands(spec, texts)
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
        if isinstance(parsed, Problem):
            problems.append((number, _in_operand(parsed, operand, start, len(text))))
            values.append(None)
            continue
        values.append(parsed)
        if parsed is None:
            continue
        if isinstance(parsed, str):
            labels.append(number)
        else:
            bits |= operand.type.encode(parsed) << operand.low
    if not spec.all_due:
        bits |= _default_bits(spec, operands)
    return Instruction(
        words, spec, tuple(operands), tuple(values), tuple(problems), bits, tuple(labels)
    )


def _chosen(readings: Sequence[Instruction]) -> Instruction:
    """Of the readings of the same words by several forms the first that fits.

    It knows those that fit in other slots. Where none fits, the one that comes furthest speaks for
    all of them.
    """
    fitting = [reading for reading in readings if not reading.problems]
    if not fitting:
        return _with_other_forms(min(readings, key=_misfit), readings)
    by_slot: dict[str, Instruction] = {}
    for reading in fitting:
        if reading.spec is not None:
            by_slot.setdefault(reading.spec.slot, reading)
    first, *others = by_slot.values()
    return first._replace(others=tuple(others)) if others else first


_NEARNESS = (IMMEDIATE_OUT_OF_RANGE, UNKNOWN_KEYWORD, WRONG_OPERAND_TYPE)


def _misfit(reading: Instruction) -> tuple[bool, int, int, int]:
    """How far a reading is from fitting: in the number of operands, then where, then how."""
    place, problem = min(reading.problems, key=lambda entry: entry[0])
    counts = any(
        found.kind in (TOO_FEW_OPERANDS, TOO_MANY_OPERANDS) for _, found in reading.problems
    )
    kind = _NEARNESS.index(problem.kind) if problem.kind in _NEARNESS else len(_NEARNESS)
    return counts, -place, kind, len(reading.problems)


def _with_other_forms(best: Instruction, readings: Sequence[Instruction]) -> Instruction:
    """What is wrong, with the other forms that were as near."""
    rank = _misfit(best)[:2]
    syntaxes = [r.spec.syntax for r in readings if r.spec is not None and _misfit(r)[:2] == rank]
    others = [
        syntax for syntax in dict.fromkeys(syntaxes) if best.spec and syntax != best.spec.syntax
    ]
    if not others or len(others) > _MOST_FORMS_SHOWN:
        return best
    (place, problem), *rest = best.problems
    listed = " or ".join(quoted(syntax) for syntax in others)
    problem = problem._replace(message=f"{problem.message} (or write {listed})")
    return best._replace(problems=((place, problem), *rest))


def _in_operand(problem: Problem, operand: Operand, start: int, stop: int) -> Problem:
    """A problem of a value, told of the operand whose text has the value from `start` to `stop`."""
    part = problem.part
    if part is not None:
        part = (part[0] + start, part[1] + start)
    elif start:
        part = (start, stop)
    return problem._replace(message=f"operand `{operand.name}`: {problem.message}", part=part)


def _default_bits(spec: InstructionSpec, written: Sequence[Operand | None]) -> int:
    """The bits of operands that were left out and whose default is not all zeros."""
    return sum(
        operand.type.encode(operand.default) << operand.low
        for operand in spec.operands
        if operand.default and operand not in written
    )


def _unknown(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> Problem:
    mnemonic = words[0]
    if mnemonic.lower() in isa.instructions:
        message = f"mnemonics are lower case, found {quoted(mnemonic)}"
        return Problem(UNKNOWN_MNEMONIC, message, mnemonic.lower())
    message = f"unknown mnemonic {quoted(mnemonic)}"
    return Problem(UNKNOWN_MNEMONIC, message, vocabulary.nearest(mnemonic), unless=(mnemonic,))
