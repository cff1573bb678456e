"""One instruction as written: its operands, their values and its bits.

Nothing here depends on the address of the instruction.
"""

from __future__ import annotations

from ipu_asm.diagnostics import TOO_FEW_OPERANDS, TOO_MANY_OPERANDS, UnplacedFinding
from ipu_asm.isa.model import InstructionSpec, Operand
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
