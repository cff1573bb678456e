"""Decoding of the fields of a word: which instruction each slot holds, and its operands' values."""

from __future__ import annotations

from functools import lru_cache
from typing import Mapping

from ipu_asm.isa.model import InstructionSpec, Isa, Operand, Slot
from ipu_asm.named_tuple import NamedTuple

INVALID = "<invalid>"


class DecodedInstruction(NamedTuple):
    """One instruction of a word: its `bits`, and `place`, its index within its slot.

    `values` maps its operands to register numbers, codes, literals and addresses; None for bits
    that encode no value. `spec` is None if the bits encode no instruction. `unused` are the bits
    that are set although neither opcode nor operands use them.
    """

    slot: Slot
    place: int
    bits: int
    spec: InstructionSpec | None
    values: Mapping[str, int | None]
    unused: int

    @property
    def opcode(self) -> int:
        """The content of the first field of the slot."""
        field = self.slot.fields[0]
        return self.bits >> field.low & mask(0, field.width)

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
            operand.name: register
            for operand in self.spec.operands
            if (value := self.values[operand.name]) is not None
            and (register := operand.type.register_of(value)) is not None
        }

    def field_of(self, operand: Operand) -> int:
        """The content of the field of an operand."""
        return (self.bits & operand.bits) >> operand.low

    def __str__(self) -> str:
        if self.spec is None:
            return f"{INVALID} (opcode {self.opcode})"
        return " ".join([self.spec.mnemonic, *map(self._operand_text, self.spec.operands)])

    def _operand_text(self, operand: Operand) -> str:
        value = self.values[operand.name]
        return INVALID if value is None else operand.type.format(value)


def decode_slot(isa: Isa, slot: Slot, word: int) -> list[DecodedInstruction]:
    """Return the instructions that a word has for one slot, in the order of their places."""
    return [_decode(isa, slot, place, word >> low) for place, low in enumerate(slot.lows)]


def mask(low: int, width: int) -> int:
    """Return a number with `width` bits set, from bit `low` on."""
    return ((1 << width) - 1) << low


class _BitPattern(NamedTuple):
    """The bit pattern of an instruction: `operand_bits` are the bits of its operands."""

    spec: InstructionSpec
    operand_bits: int


def _decode(isa: Isa, slot: Slot, place: int, word: int) -> DecodedInstruction:
    """Decode one instruction, which starts at bit 0 of `word`."""
    bits = word & mask(0, slot.width)
    opcode_mask, patterns = _bit_patterns(isa)[slot.name]
    for spec, operand_bits in patterns.get(bits & opcode_mask, ()):
        unused = (bits ^ spec.opcode_bits) & ~operand_bits
        # Without an opcode field of its own, an instruction is known by all its fixed bits.
        if opcode_mask or not unused:
            values = {
                operand.name: _value(operand, (bits & operand.bits) >> operand.low)
                for operand in spec.operands
            }
            return DecodedInstruction(slot, place, bits, spec, values, unused)
    return DecodedInstruction(slot, place, bits, None, {}, 0)


def _value(operand: Operand, bits: int) -> int | None:
    """Return the value in an operand's field; None if it encodes none, or is too wide for one."""
    return None if bits >> operand.type.width else operand.type.decode(bits)


@lru_cache(maxsize=4)
def _bit_patterns(isa: Isa) -> dict[str, tuple[int, dict[int, list[_BitPattern]]]]:
    """By slot: the bits of its opcode field, and its instructions by opcode.

    Where opcode and operands share one field, the bits are 0, and so is the opcode of all. Of two
    patterns that match, the one with fewer operand bits is more specific and comes first.
    """
    found: dict[str, tuple[int, dict[int, list[_BitPattern]]]] = {}
    for slot in isa.slots:
        field = slot.fields[0]
        opcode_mask = mask(field.low, field.width) if field.width < slot.width else 0
        patterns = [
            _BitPattern(spec, _operand_bits(spec))
            for spec in isa.instructions_of(slot.name)
            if not spec.becomes
        ]
        by_opcode: dict[int, list[_BitPattern]] = {}
        for pattern in sorted(patterns, key=lambda pattern: pattern.operand_bits.bit_count()):
            by_opcode.setdefault(pattern.spec.opcode_bits & opcode_mask, []).append(pattern)
        found[slot.name] = opcode_mask, by_opcode
    return found


def _operand_bits(spec: InstructionSpec) -> int:
    bits = 0
    for operand in spec.operands:
        bits |= operand.bits
    return bits
