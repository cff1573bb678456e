"""Documentation of forms: written by hand in `texts`, else derived from the mnemonic."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.isa.aie.texts import TEXTS
from ipu_asm.isa.aie.titles import title_of
from ipu_asm.isa.model import InstructionDoc, Operand


class Documents:
    """Creates the documentation of forms, with examples that differ per instruction set."""

    def __init__(self, examples: Mapping[str, str], slots: Mapping[str, str]) -> None:
        """`examples` overrides those of `TEXTS`, by mnemonic; `slots` maps slots to titles."""
        self._examples = examples
        self._slots = slots

    def document(
        self, mnemonic: str, slot: str, syntax: str, operands: Sequence[Operand]
    ) -> InstructionDoc:
        """Return the documentation of one form."""
        text = TEXTS.get(mnemonic)
        lines = [f"{operand.name}: {operand.description}" for operand in operands]
        if text is None:
            title = title_of(mnemonic)
            summary = f"An operation of {self._slots[slot]}."
            return InstructionDoc(title, summary, syntax, lines)
        example = self._examples.get(mnemonic, text.example)
        return InstructionDoc(text.title, text.summary, syntax, lines, text.operation, example)
