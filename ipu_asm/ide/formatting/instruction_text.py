"""The text of one instruction with one blank, or a comma and one, between its parts."""

from __future__ import annotations

from ipu_asm.isa.model import Isa
from ipu_asm.syntax.bundle import BundleSyntax


def instruction_text(isa: Isa, syntax: BundleSyntax, number: int) -> str:
    """Return an instruction with normal blanks; a comment in it is part of its operand."""
    entry = syntax.plan.instructions[number]
    operands = [_operand(syntax, first, last) for first, last in entry.operands]
    mnemonic = syntax.words[entry.mnemonic]
    return f"{mnemonic} {isa.surface.operand_separator.join(operands)}" if operands else mnemonic


def _operand(syntax: BundleSyntax, first: int, last: int) -> str:
    """Return an operand as written, with runs of blanks reduced to one."""
    span = syntax.span_of(first, last)
    return " ".join(syntax.text[span.start : span.end].split())
