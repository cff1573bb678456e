"""Selection of the forms of a mnemonic that fit the operands written so far."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.bundle.operand_matching import expected_operands, value_start
from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.isa.model import InstructionSpec, Isa, Operand


def fitting_forms(
    isa: Isa, spec: InstructionSpec, written: Sequence[str]
) -> tuple[InstructionSpec, ...]:
    """Return the forms of the mnemonic that the written operands fit; all forms if none fits."""
    return tuple(form for form in isa.forms(spec) if form_accepts(form, written)) or isa.forms(spec)


def form_accepts(form: InstructionSpec, written: Sequence[str]) -> bool:
    """Check whether each written operand can be the one that the form has at its position."""
    return all(
        any(_takes(operand, text) for operand in _candidates(form, written[:place], text))
        for place, text in enumerate(written)
    )


def _candidates(form: InstructionSpec, before: Sequence[str], text: str) -> Sequence[Operand]:
    due = expected_operands(form, before)
    start = value_start(text)
    if not start:
        return due.by_place
    return [operand for operand in due.by_name if operand.keyword == text[: start - 1].lower()]


def _takes(operand: Operand, text: str) -> bool:
    return not isinstance(operand.type.parse(text[value_start(text) :]), UnplacedFinding)
