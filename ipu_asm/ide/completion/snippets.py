"""Snippets of completion items: text with numbered placeholders, in the syntax of the protocol."""

from __future__ import annotations

import re
from typing import Sequence

from ipu_asm.bundle.operand_matching import KEYWORD_MARK
from ipu_asm.ide.macros.completion import MacroCandidate
from ipu_asm.isa.model import InstructionSpec, Isa, Operand

_SPECIAL = re.compile(r"[\\$}]")


def instruction_snippet(isa: Isa, spec: InstructionSpec) -> str | None:
    """Return the mnemonic with a placeholder for each required operand.

    Returns None if there are none, or if the mnemonic has several forms with different operands.
    """
    operands = [operand for operand in spec.operands if not operand.optional]
    if not operands or len(isa.forms(spec)) > 1:
        return None
    separator = isa.surface.operand_separator.strip() + " "
    placeholders = _placeholders([operand.name for operand in operands])
    named = map(_with_keyword, operands, placeholders)
    return f"{spec.mnemonic} {separator.join(named)}"


def macro_call_snippet(candidate: MacroCandidate) -> str:
    """Return the call of a macro with a placeholder for each parameter."""
    arguments = ", ".join(_placeholders(candidate.parameters))
    name = _escaped(candidate.text)
    return f"{name}({arguments})" if candidate.in_parentheses else f"{name} {arguments}"


def _placeholders(names: Sequence[str]) -> list[str]:
    return [f"${{{number}:{_escaped(name)}}}" for number, name in enumerate(names, 1)]


def _with_keyword(operand: Operand, placeholder: str) -> str:
    return f"{operand.keyword}{KEYWORD_MARK}{placeholder}" if operand.keyword else placeholder


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
