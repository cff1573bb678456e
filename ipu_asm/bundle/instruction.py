"""One instruction as it is written: which operand is which, its values, its bits.

Nothing here depends on where an instruction stands.
"""

from __future__ import annotations

import re
from itertools import permutations
from typing import NamedTuple, Sequence

from ipu_asm.bundle.operand_matching import ON_MNEMONIC, any_named, match_operands, value_start
from ipu_asm.diagnostics import Applicability, UnplacedFinding
from ipu_asm.diagnostics.errors import (
    IMMEDIATE_OUT_OF_RANGE,
    TOO_FEW_OPERANDS,
    TOO_MANY_OPERANDS,
    UNKNOWN_KEYWORD,
    UNKNOWN_MNEMONIC,
    WRONG_OPERAND_TYPE,
)
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import quoted

Value = int | str | None
_MOST_FORMS_SHOWN = 3
_MOST_REORDERED = 6
_COUNTS = (TOO_FEW_OPERANDS, TOO_MANY_OPERANDS)
# How a macro's arguments and calls of the preprocessor's macros are written.
_MACRO_PART = "\\"
# Tried once for each word: a search from every letter would take quadratic time.
_CALL = re.compile(r"(?<!\w)[^\WA-Za-z_]*[A-Za-z_]\w*\(")
# A part of a mnemonic written in one case throughout, or with a capital at the beginning.
_PARTS = re.compile("[._]")
_PLAIN_CASE = re.compile("[A-Z0-9]+|[a-z0-9]+|[A-Z][a-z0-9]{2,}")
OF_CALLS = "()"
"""What an unknown mnemonic that is called like a macro of the preprocessor hangs on."""


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
    findings: tuple[tuple[int, UnplacedFinding], ...] = ()
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
    def is_whole(self) -> bool:
        """Whether it is known and has as many operands as it takes, right or wrong ones."""
        counted = (problem.rule not in _COUNTS for _, problem in self.findings)
        return self.spec is not None and all(counted)

    @property
    def is_idle(self) -> bool:
        """Whether it does nothing at all, by what it is or by its operands."""
        return self.spec is not None and self.spec.is_idle_with(self.value)


def parse_instruction(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> Instruction:
    """The instruction that these words are. `vocabulary` has the mnemonics of the set."""
    instruction = read_instruction(isa, words)
    if instruction is None:
        if isa.surface.preprocessed and _MACRO_PART in words[0]:
            return Instruction(words, None)
        return Instruction(words, None, findings=((ON_MNEMONIC, _unknown(isa, vocabulary, words)),))
    return _excused(instruction) if isa.surface.preprocessed else instruction


def is_instruction(isa: Isa, words: tuple[str, ...]) -> bool:
    """Whether these words are an instruction without a mistake, its slot and its labels aside.

    What macros may make right counts as right.
    """
    instruction = read_instruction(isa, words)
    return instruction is not None and _is_excusable(instruction)


def read_instruction(isa: Isa, words: tuple[str, ...]) -> Instruction | None:
    """The instruction that these words are, right or wrong; None if the first is no mnemonic."""
    spec = isa.spec(words[0])
    return None if spec is None else _read_forms(isa.forms(spec), words)


def _read_forms(forms: Sequence[InstructionSpec], words: tuple[str, ...]) -> Instruction:
    if len(forms) == 1:
        return _in_order(_read_form(forms[0], words))
    likely = [form for form in forms if _may_fit(form, words[1:])]
    return _chosen([_read_form(form, words) for form in likely or forms])


def _in_order(instruction: Instruction) -> Instruction:
    """The same instruction; where only the order of its operands is wrong, that is all that is."""
    spec, texts = instruction.spec, instruction.words[1:]
    if spec is None or not instruction.findings or not spec.all_due:
        return instruction
    if len(texts) != len(spec.operands) or not 2 <= len(texts) <= _MOST_REORDERED:
        return instruction
    if any(problem.unless for _, problem in instruction.findings):
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
    problem = UnplacedFinding(WRONG_OPERAND_TYPE, message)
    if len(orders) == 1:
        problem = problem._replace(reordered=tuple(texts[place] for place in orders[0]))
    values = tuple(None for _ in texts)
    return instruction._replace(values=values, labels=(), findings=((misplaced[0], problem),))


def _fits(operand: Operand, text: str, spec: InstructionSpec) -> bool:
    """Whether a text makes sense for an operand; a label is what fits no other."""
    if not isinstance(operand.type.parse(text), str):
        return not isinstance(operand.type.parse(text), UnplacedFinding)
    others = (other.type.parse(text) for other in spec.operands if other.type is not operand.type)
    return all(isinstance(value, (str, UnplacedFinding)) for value in others)


def _excused(instruction: Instruction) -> Instruction:
    """What is wrong but for the number of operands, where macros may make several of one."""
    if not any(problem.rule in _COUNTS for _, problem in instruction.findings):
        return instruction
    texts = instruction.words[1:]
    if any(_MACRO_PART in text or _CALL.search(text) for text in texts):
        problems = [(n, p) for n, p in instruction.findings if p.rule not in _COUNTS]
    else:
        names = tuple(text for text in texts if text.isidentifier())
        problems = [
            (n, p._replace(unless=(*p.unless, *names)) if p.rule in _COUNTS else p)
            for n, p in instruction.findings
        ]
    return instruction._replace(findings=tuple(problems))


def _may_fit(form: InstructionSpec, texts: Sequence[str]) -> bool:
    """Whether it is worth while to read the operands as those of a form: most forms are not."""
    if not form.all_due:
        return True
    return len(texts) == len(form.operands) and not any(
        isinstance(operand.type.parse(text), UnplacedFinding)
        for operand, text in zip(form.operands, texts)
    )


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
        if isinstance(parsed, UnplacedFinding):
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
    fitting = [reading for reading in readings if not reading.findings]
    if not fitting:
        best = _with_other_forms(min(readings, key=_misfit), readings)
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
    """The readings for other slots of what is right in them if macros make the right names."""
    by_slot = {best.spec.slot: best} if best.spec is not None else {}
    for reading in readings if _is_excusable(best) else ():
        if reading.spec is not None and _is_excusable(reading):
            by_slot.setdefault(reading.spec.slot, reading)
    return tuple(by_slot.values())[1:]


def _is_excusable(reading: Instruction) -> bool:
    return all(problem.unless for _, problem in reading.findings)


_NEARNESS = (IMMEDIATE_OUT_OF_RANGE, UNKNOWN_KEYWORD, WRONG_OPERAND_TYPE)


def _misfit(reading: Instruction) -> tuple[bool, bool, int, int, int, int]:
    """How far a reading is from fitting: in the number of operands, then where, then how.

    Whatever macros may still make right is nearer than what they cannot. Of two operands that both
    do not fit, the one that takes more tells more.
    """
    place, problem = min(reading.findings, key=lambda entry: entry[0])
    counts = any(found.rule in _COUNTS for _, found in reading.findings)
    kind = _NEARNESS.index(problem.rule) if problem.rule in _NEARNESS else len(_NEARNESS)
    operand = reading.operands[place] if 0 <= place < len(reading.operands) else None
    taken = len(operand.type.complete()) if operand is not None else 0
    return not _is_excusable(reading), counts, -place, kind, len(reading.findings), -taken


def _with_other_forms(best: Instruction, readings: Sequence[Instruction]) -> Instruction:
    """What is wrong, with the other forms that were as near."""
    rank = _misfit(best)[:3]
    syntaxes = [r.spec.syntax for r in readings if r.spec is not None and _misfit(r)[:3] == rank]
    others = [
        syntax for syntax in dict.fromkeys(syntaxes) if best.spec and syntax != best.spec.syntax
    ]
    if not others or len(others) > _MOST_FORMS_SHOWN:
        return best
    (place, problem), *rest = best.findings
    listed = " or ".join(quoted(syntax) for syntax in others)
    problem = problem._replace(message=f"{problem.message} (or write {listed})")
    return best._replace(findings=((place, problem), *rest))


def _in_operand(
    problem: UnplacedFinding, operand: Operand, start: int, stop: int
) -> UnplacedFinding:
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


def _unknown(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> UnplacedFinding:
    mnemonic = words[0]
    if mnemonic.lower() in isa.instructions:
        return _in_other_case(isa, mnemonic)
    message = f"unknown mnemonic {quoted(mnemonic)}"
    foreign = isa.surface.foreign.mnemonics.get(mnemonic.lower())
    if foreign is None:
        candidates = tuple(filter(None, [vocabulary.intended(mnemonic)]))
    else:
        message += f"; {foreign.advice}" if foreign.advice else ""
        candidates = foreign.replacements
    nearest = _first_that_fits(isa, candidates, words)
    is_call = isa.surface.preprocessed and nearest is None and "".join(words[1:2])[:1] == "("
    unless = (mnemonic, OF_CALLS) if is_call else (mnemonic,)
    return UnplacedFinding(UNKNOWN_MNEMONIC, message, nearest, unless=unless)


def _first_that_fits(isa: Isa, mnemonics: Sequence[str], words: tuple[str, ...]) -> str | None:
    """The first mnemonic that takes these operands as they are, or as macros may make them."""
    readings = [read_instruction(isa, (mnemonic, *words[1:])) for mnemonic in mnemonics]
    right = [each.mnemonic for each in readings if each and not each.findings]
    maybe = [each.mnemonic for each in readings if each and _is_excusable(each)]
    return next(iter((*right, *maybe)), None)


def _in_other_case(isa: Isa, mnemonic: str) -> UnplacedFinding:
    """The problem of a mnemonic in capitals; a single one may be a slip for another letter."""
    message = f"mnemonics are lower case, found {quoted(mnemonic)}"
    is_plain = all(map(_PLAIN_CASE.fullmatch, _PARTS.split(mnemonic)))
    # A macro of that name may stand in a file that this one is included by.
    is_safe = is_plain and not isa.surface.preprocessed
    applicability = Applicability.SAFE if is_safe else Applicability.DISPLAY
    lower = mnemonic.lower()
    return UnplacedFinding(
        UNKNOWN_MNEMONIC, message, lower, unless=(mnemonic,), applicability=applicability
    )
