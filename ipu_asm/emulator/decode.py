"""Decoding of a bundle's word to its instructions and the values of their operands."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Mapping, NamedTuple

from ipu_asm.isa.model import InstructionSpec, Isa, Operand, Slot
from ipu_asm.isa.operand_types import RegisterType

EXECUTION_ORDER: Final = ("break", "lr", "xmem", "mult", "acc", "aaq", "cond")
"""The slots in the order in which a bundle executes them."""


class Code(NamedTuple):
    """One instruction of a bundle; `place` is the index within its slot.

    `values` maps its operands to register numbers, codes, literals and addresses; None for bits
    that encode no value. `spec` is None if the opcode encodes no instruction.
    """

    slot: Slot
    place: int
    opcode: int
    spec: InstructionSpec | None
    values: Mapping[str, int | None]

    @property
    def is_idle(self) -> bool:
        """Whether it has no effect."""
        return self.spec is not None and self.spec.is_idle_with(self.values.__getitem__)

    @property
    def registers(self) -> dict[str, str]:
        """The registers that its operands name, by operand."""
        if self.spec is None:
            return {}
        return {
            operand.name: operand.type.registers[value]
            for operand in self.spec.operands
            if (value := self.values[operand.name]) is not None
            and isinstance(operand.type, RegisterType)
        }

    def __str__(self) -> str:
        if self.spec is None:
            return f"<invalid> (opcode {self.opcode})"
        return " ".join([self.spec.mnemonic, *map(self._operand_text, self.spec.operands)])

    def _operand_text(self, operand: Operand) -> str:
        value = self.values[operand.name]
        return "<invalid>" if value is None else operand.type.format(value)


def decode_word(isa: Isa, word: int) -> list[Code]:
    """Return the instructions of a bundle in execution order."""
    specs = _specs_by_opcode(isa)
    return [
        _decode_place(slot, place, specs[slot.name], word >> low)
        for slot in map(isa.slot_by_name.__getitem__, EXECUTION_ORDER)
        for place, low in enumerate(slot.lows)
    ]


def _decode_place(slot: Slot, place: int, specs: Mapping[int, InstructionSpec], bits: int) -> Code:
    """Decode one instruction, which starts at bit 0 of `bits`."""
    field = slot.fields[0]
    opcode = bits >> field.low & (1 << field.width) - 1
    spec = specs.get(opcode)
    operands = spec.operands if spec else ()
    values = {
        operand.name: operand.type.decode(bits >> operand.low & (1 << operand.type.width) - 1)
        for operand in operands
    }
    return Code(slot, place, opcode, spec, values)


@lru_cache(maxsize=4)
def _specs_by_opcode(isa: Isa) -> dict[str, dict[int, InstructionSpec]]:
    return {
        slot.name: {spec.opcode: spec for spec in isa.instructions_of(slot.name)}
        for slot in isa.slots
    }
