"""Which forms of a mnemonic still fit what is written of an instruction."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.bundle.matching import operands_due, value_start
from ipu_asm.diagnostics import Problem
from ipu_asm.isa.model import InstructionSpec, Isa, Operand


def fitting_forms(
    isa: Isa, spec: InstructionSpec, written: Sequence[str]
) -> tuple[InstructionSpec, ...]:
    """The forms of the mnemonic of `spec` that the first operands fit; all of them if none."""
    return tuple(form for form in isa.forms(spec) if fits(form, written)) or isa.forms(spec)


def fits(form: InstructionSpec, written: Sequence[str]) -> bool:
    """Whether each of the first operands may be what the form has in its place."""
    return all(
        any(_takes(operand, text) for operand in _candidates(form, written[:place], text))
        for place, text in enumerate(written)
    )


def _candidates(form: InstructionSpec, before: Sequence[str], text: str) -> Sequence[Operand]:
    due = operands_due(form, before)
    start = value_start(text)
    if not start:
        return due.by_place
    return [operand for operand in due.by_name if operand.keyword == text[: start - 1].lower()]


def _takes(operand: Operand, text: str) -> bool:
    return not isinstance(operand.type.parse(text[value_start(text) :]), Problem)
