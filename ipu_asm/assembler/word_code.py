"""Machine code of sets with words of one size, each of which is a bundle.

Decoding omits slots that hold their default, because encoding adds it. A pattern without assembly
syntax is written `<invalid>`, with a remark about the bits.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Iterable, Mapping, Sequence

from ipu_asm.assembler.machine_code import (
    CodeUnit,
    DecodedUnit,
    MachineCode,
    ObjectFormat,
    Relocation,
    ValueOf,
    WrittenInstruction,
)
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.bundle.parser import parser_for
from ipu_asm.isa import manifests, target_module
from ipu_asm.isa.model import InstructionDoc, InstructionSpec, Isa, Operand, Slot
from ipu_asm.isa.operands import LabelType
from ipu_asm.named_tuple import NamedTuple

INVALID = "<invalid>"
_NO_FORM = InstructionSpec(INVALID, "", 0, 0, (), InstructionDoc("", "", ""), "")
"""The form of bits that stand for no instruction."""


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
        return (self.bits & operand.bits) >> operand.low

    def __str__(self) -> str:
        if self.spec is None:
            return f"{INVALID} (opcode {self.opcode})"
        return " ".join([self.spec.mnemonic, *map(self._operand_text, self.spec.operands)])

    def _operand_text(self, operand: Operand) -> str:
        value = self.values[operand.name]
        return INVALID if value is None else operand.type.format(value)


class _BitPattern(NamedTuple):
    """The bit pattern of an instruction: `operand_bits` are the bits of its operands."""

    spec: InstructionSpec
    operand_bits: int


class WordCode(MachineCode):
    """The code of a set with words of one size; an address is the number of a word."""

    has_objects = False
    object_format = ObjectFormat(0, 0, frozenset(), 1, {})

    def __init__(self, isa: Isa) -> None:
        self.isa = isa
        self.step = isa.image_bytes
        parser = parser_for(isa)
        defaults = ((slot.name, parser.default_of(slot)) for slot in isa.slots)
        self._defaults = {name: default for name, default in defaults if default is not None}
        self._open = {slot.name: _open_default(each) for slot, each in parser.open_defaults()}

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, isa: Isa) -> WordCode:
        """Return the code of a set, which all callers share."""
        return cls(isa)

    def size(self, bundle: Bundle) -> int:
        return self.step

    def encode(self, bundle: Bundle, at: int, value_of: ValueOf) -> CodeUnit:
        """Return the word of any bundle; the field of a label without a value remains unset."""
        word = bundle.word
        for slot in bundle.open_slots:
            # The default depends on the address, such as a jump to the next one.
            bits, operand, distance = self._open[slot.name]
            word |= (bits | (at // self.step + distance) << operand.low) << slot.lows[0]
        for use in bundle.label_uses:
            instruction = bundle.instructions[use.instruction]
            field, text = instruction.operands[use.operand], instruction.values[use.operand]
            target = value_of(str(text))
            if field is not None and isinstance(target, int):
                word |= field.type.encode(target) << use.low
        return CodeUnit(word.to_bytes(self.step, "little"))

    def decode(
        self, data: bytes, at: int = 0, relocations: Sequence[Relocation] = ()
    ) -> DecodedUnit | None:
        """Return the instructions that must be written for a word; at least one."""
        word, address = int.from_bytes(data[at : at + self.step], "little"), at // self.step
        kept: list[list[DecodedInstruction]] = []
        for slot in self.isa.slots:
            codes = decode_slot(self.isa, slot, word)
            default = self._default_code(slot, address)
            used = len(codes)
            # The assembler uses the first free position of a slot, so those before it must be
            # written, too.
            while used and codes[used - 1].bits == default:
                used -= 1
            specs = [code.spec for code in codes[:used] if code.spec is not None]
            if any(spec.nop and len(self.isa.forms(spec)) > 1 for spec in specs):
                # A written no-op of that name takes the first free slot, so all before are written.
                for number, before in enumerate(self.isa.slots[: len(kept)]):
                    kept[number] = decode_slot(self.isa, before, word)
            kept.append(codes[:used])
        written = [self._written(code, address) for codes in kept for code in codes]
        return DecodedUnit(self.step, tuple(written or [self._idle()]))

    def line(self, unit: bytes, image_format: str = "hex") -> str:
        is_plain = image_format != "mem"
        prefix, digits, _ = ("0x", self.step * 2, 0) if is_plain else self.isa.mem_lines
        return f"{prefix}{int.from_bytes(unit, 'little'):0{digits}x}"

    def data(self, words: Iterable[int]) -> bytes:
        """Return the bytes of words. Raises ValueError for a number that is wider than a word."""
        units = []
        for address, word in enumerate(words):
            if not 0 <= word < 1 << self.isa.word_bits:
                message = f"a word has {self.isa.word_bits} bits, found {word:#x} at {address}"
                raise ValueError(message)
            units.append(word.to_bytes(self.step, "little"))
        return b"".join(units)

    def _idle(self) -> WrittenInstruction:
        """The default to write for a bundle of defaults, which needs one instruction."""
        no_label = (i for i in self._defaults.values() if not i.labels)
        shortest = min(no_label, key=lambda instruction: len(" ".join(instruction.words)))
        return WrittenInstruction(shortest.spec or _NO_FORM, shortest.words[0], shortest.words[1:])

    def _default_code(self, slot: Slot, address: int) -> int | None:
        if slot.name not in self._open:
            default = self._defaults.get(slot.name)
            return None if default is None else default.bits
        bits, operand, distance = self._open[slot.name]
        target = address + distance
        if target >> operand.type.width:
            return None
        return bits | operand.type.encode(target) << operand.low

    def _written(self, code: DecodedInstruction, address: int) -> WrittenInstruction:
        """Return an instruction as it is written, without the operands that hold their default."""
        if code.spec is None:
            own_opcode = code.slot.fields[0].width < code.slot.width
            found = f"opcode {code.opcode}" if own_opcode else f"{code.bits:#x}"
            remark = f"{code.slot.name}: {found} stands for no instruction"
            return WrittenInstruction(_NO_FORM, INVALID, (), remarks=(remark,))
        remarks = []
        if code.unused:
            remarks.append(f"`{code.spec.mnemonic}`: unused bits {code.unused:#x} are set")
        operands: list[str] = []
        required = 0
        keywords: list[str] = []
        target, target_operand = None, -1
        for operand in code.spec.operands:
            value, bits = code.values[operand.name], code.field_of(operand)
            if value is None or operand.type.encode(value) != bits:
                text = INVALID
                remarks.append(f"`{operand.name}`: nothing is {bits}")
            elif isinstance(operand.type, LabelType):
                text = f"{value - address:+d}"
                target, target_operand = value * self.step, len(operands)
            else:
                text = operand.type.format(value)
            default = operand.type.encode(operand.default) if operand.optional else None
            if operand.keyword is None:
                operands.append(text)
                required = required if default == bits else len(operands)
            elif default != bits:
                keywords.append(f"{operand.keyword}={text}")
        if target_operand >= required:
            target, target_operand = None, -1
        return WrittenInstruction(
            code.spec,
            code.spec.mnemonic,
            (*operands[:required], *keywords),
            target,
            target_operand,
            tuple(remarks),
        )


def machine_code_of(isa: Isa) -> MachineCode | None:
    """Return the encoding of a set, that of its words or that in its folder; None without one."""
    if isa.has_words:
        return WordCode.of(isa)
    manifest = manifests().get(isa.name)
    if manifest is None or not manifest.has_machine_code:
        return None
    found: MachineCode = target_module(isa.name, "machine_code").load()
    return found


def decode_slot(isa: Isa, slot: Slot, word: int) -> list[DecodedInstruction]:
    """Return the instructions that a word has for one slot, in the order of their places."""
    return [_decode(isa, slot, place, word >> low) for place, low in enumerate(slot.lows)]


def _open_default(default: Instruction) -> tuple[int, Operand, int]:
    """Return the bits of a default that depends on the address, its target, and how far that is."""
    operand, distance = default.operands[default.labels[0]], default.values[default.labels[0]]
    assert operand is not None
    return default.bits, operand, int(distance or 0)


def mask(low: int, width: int) -> int:
    """Return a number with `width` bits set, from bit `low` on."""
    return ((1 << width) - 1) << low


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
