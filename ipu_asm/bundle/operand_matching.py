"""Which operand of the description each written operand is."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.diagnostics.errors import (
    IMMEDIATE_OUT_OF_RANGE,
    TOO_FEW_OPERANDS,
    TOO_MANY_OPERANDS,
    UNKNOWN_KEYWORD,
)
from ipu_asm.diagnostics.suggestions import intended_of
from ipu_asm.isa.model import InstructionSpec, Operand
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple

ON_MNEMONIC = -1
KEYWORD_MARK = "="
_MOST_FINDINGS = 20

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
    """The offset of the value in a written operand: behind its keyword, if it has one."""
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
        if len(self.findings) >= _MOST_FINDINGS:
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
