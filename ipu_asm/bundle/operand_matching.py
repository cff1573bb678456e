"""An instruction as written, and which operand of the description each written operand is."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import Sequence

from ipu_asm.diagnostics import (
    IMMEDIATE_OUT_OF_RANGE,
    TOO_FEW_OPERANDS,
    TOO_MANY_OPERANDS,
    UNKNOWN_KEYWORD,
    WRONG_OPERAND_TYPE,
    UnplacedFinding,
)
from ipu_asm.diagnostics.suggestions import intended_of
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import OperandType, number_value, quoted
from ipu_asm.named_tuple import NamedTuple

Value = int | str | None
OPERAND_COUNTS = (TOO_FEW_OPERANDS, TOO_MANY_OPERANDS)
"""The rules about the number of operands."""
CALL_PSEUDO_NAME = "()"
"""In `dropped_if_defined` of a finding: the mnemonic is written like a call of a macro."""


class Instruction(NamedTuple):
    """One instruction as written, independent of its address.

    `operands[i]` is the operand of the spec that the i-th written operand matches, None for a
    surplus one; `values[i]` is its value: None if it is wrong or unknown, the text if it is a
    label. `findings` pairs the number of a written operand, or `ON_MNEMONIC`, with a finding.
    `bits` are the bits of the slot with 0 in the fields of labels. `others` are the instructions
    that the same words are in other slots.
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
    def readings(self) -> tuple[Instruction, ...]:
        """The instruction, and what the same words are in other slots."""
        return (self, *self.others)

    def is_of(self, slot: str) -> bool:
        """Whether this reading of the words belongs to a slot."""
        return self.spec is not None and self.spec.slot == slot

    @property
    def mnemonic(self) -> str:
        return self.words[0]

    def value(self, name: str) -> Value:
        """The value of the operand of that name; None if it is absent or wrong."""
        for operand, value in zip(self.operands, self.values):
            if operand is not None and operand.name == name:
                return value
        return None

    @property
    def is_whole(self) -> bool:
        """Whether the mnemonic is known and the number of operands is right."""
        counted = (finding.rule not in OPERAND_COUNTS for _, finding in self.findings)
        return self.spec is not None and all(counted)

    @property
    def is_idle(self) -> bool:
        """Whether it has no effect, by its mnemonic or by its operands."""
        return self.spec is not None and self.spec.is_idle_with(self.value)


ON_MNEMONIC = -1
KEYWORD_MARK = "="
_MAX_FINDINGS = 20
NumberedFindings = list[tuple[int, UnplacedFinding]]


def match_operands(
    spec: InstructionSpec, texts: Sequence[str]
) -> tuple[Sequence[Operand | None], NumberedFindings]:
    """For each written operand the operand of the spec, None for a surplus one, and the findings.

    Required operands stand in their order. A written operand that may be an optional one is the
    first of those whose type accepts its text.
    """
    if spec.all_operands_required and len(texts) == len(spec.operands) and not any_named(texts):
        return spec.operands, []  # shared by all instructions of the form
    matching = _Matching(spec, len(texts))
    for number, text in enumerate(texts):
        matching.take(number, text)
    missing = [o for o in spec.operands if not o.optional and o not in matching.operands]
    if missing and not matching.findings:
        names = ", ".join(f"`{operand.name}`" for operand in missing)
        message = f"{_expectation(spec)}, found {len(texts)}; missing: {names}"
        # Any of the written operands may be any of the spec, so they get no findings.
        return [None] * len(texts), [(ON_MNEMONIC, UnplacedFinding(TOO_FEW_OPERANDS, message))]
    return matching.operands, matching.findings


class ExpectedOperands(NamedTuple):
    """The operands that may follow: those written without a keyword, and those with one."""

    by_place: list[Operand]
    by_name: list[Operand]


def expected_operands(spec: InstructionSpec, texts: Sequence[str]) -> ExpectedOperands:
    """The operands that may follow those written so far."""
    matching = _Matching(spec, len(texts))
    for number, text in enumerate(texts):
        matching.take(number, text)
    return ExpectedOperands(
        matching.candidates(), [operand for operand in matching.free if operand.keyword]
    )


def any_named(texts: Sequence[str]) -> bool:
    """Whether one of the written operands has a keyword."""
    return KEYWORD_MARK in "".join(texts) and any(map(value_start, texts))


def value_start(text: str) -> int:
    """The offset of the value in a written operand: after its keyword, if it has one."""
    name, mark, _ = text.partition(KEYWORD_MARK)
    return len(name) + 1 if mark and name.isidentifier() else 0


class _Matching:
    """Assigns an operand of the spec to each written operand, in order."""

    def __init__(self, spec: InstructionSpec, count: int) -> None:
        self.spec = spec
        self.count = count
        self.free = list(spec.operands)
        self.operands: list[Operand | None] = []
        self.findings: NumberedFindings = []
        self.has_surplus = False

    def take(self, number: int, text: str) -> None:
        start = value_start(text)
        if start:
            operand = self._named(number, text[: start - 1], text[start:])
        else:
            operand = self._placed(text)
            if operand is None and not self.has_surplus:
                self.has_surplus = True
                self._report_surplus(number, text)
        if operand is not None:
            self.free.remove(operand)
        self.operands.append(operand)

    def _named(self, number: int, name: str, value: str) -> Operand | None:
        by_keyword = {o.keyword: o for o in self.spec.operands if o.keyword}
        operand = by_keyword.get(name.lower())
        if operand in self.free:
            return operand
        if len(self.findings) >= _MAX_FINDINGS:
            return None
        if operand is not None:
            message = f"`{operand.keyword}{KEYWORD_MARK}` is written once, found it again"
            self.findings.append((number, UnplacedFinding(TOO_MANY_OPERANDS, message)))
            return None
        nearest = intended_of(name.lower(), filter(None, by_keyword))
        replacement = f"{nearest}{KEYWORD_MARK}{value}" if nearest else None
        message = f"{_names_known(self.spec)}, found {quoted(name + KEYWORD_MARK)}"
        self.findings.append((number, UnplacedFinding(UNKNOWN_KEYWORD, message, replacement)))
        return None

    def candidates(self) -> list[Operand]:
        """The operands that may follow without a keyword: up to the first required one."""
        candidates = []
        for operand in self.free:
            if operand.keyword is None or operand.positional_allowed:
                candidates.append(operand)
                if not operand.optional:
                    break
        return candidates

    def _placed(self, text: str) -> Operand | None:
        """Of the operands that may follow, the one whose type fits the text best."""
        candidates = self.candidates()
        if len(candidates) < 2 or not candidates[0].optional:
            return candidates[0] if candidates else None
        return min(candidates, key=lambda operand: _implausibility(operand, text))

    def _report_surplus(self, number: int, text: str) -> None:
        named = [f"`{operand.keyword}{KEYWORD_MARK}`" for operand in self.free if operand.keyword]
        if named:
            found = f"{' and '.join(named)} only by name, found {quoted(text)}"
        else:
            found = f"found {self.count}"
        message = f"{_expectation(self.spec)}, {found}"
        self.findings.append((number, UnplacedFinding(TOO_MANY_OPERANDS, message)))


def _implausibility(operand: Operand, text: str) -> int:
    """How badly a text fits an operand: 0 a value, 1 one out of range, 2 neither."""
    value = operand.type.parse(text)
    if isinstance(value, int):
        return 0
    return 1 if isinstance(value, UnplacedFinding) and value.rule is IMMEDIATE_OUT_OF_RANGE else 2


def _expectation(spec: InstructionSpec) -> str:
    most, least = len(spec.operands), spec.required
    if most == 0:
        return f"`{spec.mnemonic}` takes no operands"
    count = str(most) if most == least else f"{least} to {most}" if least else f"at most {most}"
    noun = "operand" if most == 1 else "operands"
    return f"`{spec.mnemonic}` takes {count} {noun} (`{spec.syntax}`)"


def _names_known(spec: InstructionSpec) -> str:
    names = [f"`{operand.keyword}{KEYWORD_MARK}`" for operand in spec.operands if operand.keyword]
    if not names:
        return f"`{spec.mnemonic}` has no named operands"
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"`{spec.mnemonic}` has the named operand{'s' * (len(names) > 1)} {listed}"


_MAX_FORMS_SHOWN = 3
_MAX_REORDERED = 6


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
    if len(texts) != len(spec.operands) or not 2 <= len(texts) <= _MAX_REORDERED:
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
        best = _nearest(readings)
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


_BEGIN_NUMBERS = tuple("0123456789(-+~")
_NEARNESS = (IMMEDIATE_OUT_OF_RANGE, UNKNOWN_KEYWORD, WRONG_OPERAND_TYPE)


def _distance(reading: Instruction) -> tuple[bool, bool, int, bool, int, int, int]:
    """How far a reading is from fitting: by the operand count, then by place and sort of finding.

    A reading whose findings macros may resolve is nearer than any other. Of two operands that both
    do not fit, one that takes numbers is nearer to what begins as a number, and else the one that
    allows more values gives the better message.
    """
    place, finding = min(reading.findings, key=lambda entry: entry[0])
    counts = any(found.rule in OPERAND_COUNTS for _, found in reading.findings)
    kind = _NEARNESS.index(finding.rule) if finding.rule in _NEARNESS else len(_NEARNESS)
    operand = reading.operands[place] if 0 <= place < len(reading.operands) else None
    taken = _choices(operand.type) if operand is not None else 0
    differs = operand is None or not _is_meant(operand.type, reading.words[1 + place])
    number = len(reading.findings)
    return not is_resolvable_by_macros(reading), counts, -place, differs, kind, number, -taken


def _is_meant(operand_type: OperandType, text: str) -> bool:
    """Return whether a text begins as a number, and an operand takes numbers."""
    mark = operand_type.prefix
    begins = text.startswith(mark) and text[len(mark) : len(mark) + 1] in _BEGIN_NUMBERS
    return begins and _takes_numbers(operand_type)


@lru_cache(maxsize=1024)
def _takes_numbers(operand_type: OperandType) -> bool:
    return isinstance(operand_type.parse(f"{operand_type.prefix}0"), int)


@lru_cache(maxsize=1024)
def _choices(operand_type: OperandType) -> int:
    """Return how many values an operand type has by name; Colossus files ask 10,000 times."""
    return len(operand_type.complete())


def _nearest(readings: Sequence[Instruction]) -> Instruction:
    """The nearest reading, with the syntax of other forms that are as near in its message."""
    distances = [_distance(reading) for reading in readings]
    nearest = min(distances)
    best, rank = readings[distances.index(nearest)], nearest[:3]
    syntaxes = [
        reading.spec.syntax
        for reading, distance in zip(readings, distances)
        if reading.spec is not None and distance[:3] == rank
    ]
    others = [
        syntax for syntax in dict.fromkeys(syntaxes) if best.spec and syntax != best.spec.syntax
    ]
    if not others or len(others) > _MAX_FORMS_SHOWN:
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
