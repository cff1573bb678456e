"""What people read about a form: written for what the documents list, derived for the rest."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.isa.aie.texts import TEXTS
from ipu_asm.isa.aie.titles import title_of
from ipu_asm.isa.model import InstructionDoc, Operand


class Documents:
    """Makes the documentation of forms, with the examples that are a set's own."""

    def __init__(self, examples: Mapping[str, str], slots: Mapping[str, str]) -> None:
        """`examples` replaces those of `TEXTS`; `slots` has the title of each slot."""
        self._examples = examples
        self._slots = slots

    def document(
        self, mnemonic: str, slot: str, syntax: str, operands: Sequence[Operand]
    ) -> InstructionDoc:
        """What people read about one form."""
        text = TEXTS.get(mnemonic)
        lines = [f"{operand.name}: {operand.description}" for operand in operands]
        if text is None:
            title = title_of(mnemonic)
            summary = f"An operation of {self._slots[slot]}."
            return InstructionDoc(title, summary, syntax, lines)
        example = self._examples.get(mnemonic, text.example)
        return InstructionDoc(text.title, text.summary, syntax, lines, text.operation, example)
