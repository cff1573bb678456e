"""One instruction as written: its form, operands, values and bits.

Nothing here depends on the position of the instruction.
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
# Syntax of macro arguments and of calls of preprocessor macros.
_MACRO_PART = "\\"
# Anchored at word starts: trying every character as a start would take quadratic time.
_CALL = re.compile(r"(?<!\w)[^\WA-Za-z_]*[A-Za-z_]\w*\(")
# A part of a mnemonic in upper case, lower case, or capitalised.
_PARTS = re.compile("[._]")
_PLAIN_CASE = re.compile("[A-Z0-9]+|[a-z0-9]+|[A-Z][a-z0-9]{2,}")
OF_CALLS = "()"
"""Pseudo-name in `unless` of an unknown mnemonic that is written like a macro call."""


class Instruction(NamedTuple):
    """An instruction as written, independent of its position.

    `operands[i]` is the spec's operand for the i-th written one, None for a surplus one;
    `values[i]` is its value: None if it is wrong or unknown, text if it is a label. `findings`
    pairs the number of a written operand, or `ON_MNEMONIC`, with a finding about it. `bits` are the
    slot's bits, with zeros in label fields; `labels` are the numbers of operands that are labels.
    `others` are the readings of the same words for other slots.
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
        """Return the value of an operand by name; None if it is absent, wrong or unknown."""
        for operand, value in zip(self.operands, self.values):
            if operand is not None and operand.name == name:
                return value
        return None

    @property
    def is_whole(self) -> bool:
        """Whether the mnemonic is known and the number of operands is right."""
        counted = (problem.rule not in _COUNTS for _, problem in self.findings)
        return self.spec is not None and all(counted)

    @property
    def is_idle(self) -> bool:
        """Whether the instruction has no effect, by its mnemonic or by its operands."""
        return self.spec is not None and self.spec.is_idle_with(self.value)


def parse_instruction(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> Instruction:
    """Parse the words of an instruction. `vocabulary` has the mnemonics of the set."""
    instruction = read_instruction(isa, words)
    if instruction is None:
        if isa.surface.preprocessed and _MACRO_PART in words[0]:
            return Instruction(words, None)
        return Instruction(words, None, findings=((ON_MNEMONIC, _unknown(isa, vocabulary, words)),))
    return _excused(instruction) if isa.surface.preprocessed else instruction


def is_instruction(isa: Isa, words: tuple[str, ...]) -> bool:
    """Return whether words are a valid instruction, apart from its slot and labels.

    Findings that a macro may resolve are ignored.
    """
    instruction = read_instruction(isa, words)
    return instruction is not None and _is_excusable(instruction)


def read_instruction(isa: Isa, words: tuple[str, ...]) -> Instruction | None:
    """Parse the words of an instruction, valid or not; None if the first is no mnemonic."""
    spec = isa.spec(words[0])
    return None if spec is None else _read_forms(isa.forms(spec), words)


def _read_forms(forms: Sequence[InstructionSpec], words: tuple[str, ...]) -> Instruction:
    if len(forms) == 1:
        return _in_order(_read_form(forms[0], words))
    likely = [form for form in forms if _may_fit(form, words[1:])]
    return _chosen([_read_form(form, words) for form in likely or forms])


def _in_order(instruction: Instruction) -> Instruction:
    """Replace the findings by one about the order if the operands are valid in another order."""
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
    """Return whether a text is valid for an operand; a label only if it fits no other operand."""
    if not isinstance(operand.type.parse(text), str):
        return not isinstance(operand.type.parse(text), UnplacedFinding)
    others = (other.type.parse(text) for other in spec.operands if other.type is not operand.type)
    return all(isinstance(value, (str, UnplacedFinding)) for value in others)


def _excused(instruction: Instruction) -> Instruction:
    """Drop findings about the number of operands where a macro may expand to several."""
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
    """Return whether a form is worth reading in full: most forms of a mnemonic are not."""
    if not form.all_due:
        return True
    return len(texts) == len(form.operands) and not any(
        isinstance(operand.type.parse(text), UnplacedFinding)
        for operand, text in zip(form.operands, texts)
    )


def _read_form(spec: InstructionSpec, words: tuple[str, ...]) -> Instruction:
    """Parse the words as one form of their mnemonic."""
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
    """Select the first valid reading among those of several forms.

    It refers to valid readings for other slots. If none is valid, the closest one is returned, with
    findings that mention equally close forms.
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
    """Return the readings for other slots that are valid if macros define the right names."""
    by_slot = {best.spec.slot: best} if best.spec is not None else {}
    for reading in readings if _is_excusable(best) else ():
        if reading.spec is not None and _is_excusable(reading):
            by_slot.setdefault(reading.spec.slot, reading)
    return tuple(by_slot.values())[1:]


def _is_excusable(reading: Instruction) -> bool:
    return all(problem.unless for _, problem in reading.findings)


_NEARNESS = (IMMEDIATE_OUT_OF_RANGE, UNKNOWN_KEYWORD, WRONG_OPERAND_TYPE)


def _misfit(reading: Instruction) -> tuple[bool, bool, int, int, int, int]:
    """Rank how far a reading is from being valid: by operand count, position, kind of finding.

    Findings that macros may resolve rank first. Among operands that do not fit, one with more valid
    choices ranks first.
    """
    place, problem = min(reading.findings, key=lambda entry: entry[0])
    counts = any(found.rule in _COUNTS for _, found in reading.findings)
    kind = _NEARNESS.index(problem.rule) if problem.rule in _NEARNESS else len(_NEARNESS)
    operand = reading.operands[place] if 0 <= place < len(reading.operands) else None
    taken = len(operand.type.complete()) if operand is not None else 0
    return not _is_excusable(reading), counts, -place, kind, len(reading.findings), -taken


def _with_other_forms(best: Instruction, readings: Sequence[Instruction]) -> Instruction:
    """Add other forms that are equally close to the message of the first finding."""
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
    """Convert a finding about the value at `start:stop` to one about the whole operand."""
    part = problem.part
    if part is not None:
        part = (part[0] + start, part[1] + start)
    elif start:
        part = (start, stop)
    return problem._replace(message=f"operand `{operand.name}`: {problem.message}", part=part)


def _default_bits(spec: InstructionSpec, written: Sequence[Operand | None]) -> int:
    """Return the bits of omitted operands with a default other than zero."""
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
    """Return the first mnemonic that accepts the operands, preferably without help of macros."""
    readings = [read_instruction(isa, (mnemonic, *words[1:])) for mnemonic in mnemonics]
    right = [each.mnemonic for each in readings if each and not each.findings]
    maybe = [each.mnemonic for each in readings if each and _is_excusable(each)]
    return next(iter((*right, *maybe)), None)


def _in_other_case(isa: Isa, mnemonic: str) -> UnplacedFinding:
    """Return the finding about a mnemonic in upper case; a single capital may be another slip."""
    message = f"mnemonics are lower case, found {quoted(mnemonic)}"
    is_plain = all(map(_PLAIN_CASE.fullmatch, _PARTS.split(mnemonic)))
    # A macro of that name may exist in a file that includes this one.
    is_safe = is_plain and not isa.surface.preprocessed
    applicability = Applicability.SAFE if is_safe else Applicability.DISPLAY
    lower = mnemonic.lower()
    return UnplacedFinding(
        UNKNOWN_MNEMONIC, message, lower, unless=(mnemonic,), applicability=applicability
    )
