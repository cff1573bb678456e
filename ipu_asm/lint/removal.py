"""Edits that take one instruction out of its bundle and leave the others as they are."""

from __future__ import annotations

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.isa.model import Isa
from ipu_asm.text import Span, TextEdit


def removal_of(isa: Isa, bundle: Bundle, number: int) -> tuple[TextEdit, ...]:
    """Edits of the bundle's text that remove an instruction; comments stay.

    The only one of its bundle becomes its slot's no-op, since a bundle is never empty. No edits
    where that cannot be: the bundle is broken, or the slot has no no-op.
    """
    if bundle.syntax.plan.findings:
        return ()
    if len(bundle.instructions) == 1:
        return _no_op_instead(isa, bundle, bundle.syntax.instruction_span(number))
    return bundle.syntax.instruction_removal(number)


def _no_op_instead(isa: Isa, bundle: Bundle, own: Span) -> tuple[TextEdit, ...]:
    spec = bundle.instructions[0].spec
    for other in isa.instructions_of(spec.slot) if spec is not None else ():
        if other.nop:
            return (TextEdit(own, other.mnemonic),)
    return ()
