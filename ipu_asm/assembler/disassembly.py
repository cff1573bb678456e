"""Decoding of words to text that assembles to the same words, for any instruction set.

Slots that hold their default are omitted, because the assembler adds it. A pattern without assembly
syntax is written `<invalid>`, with the bits in a comment.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.parser import parser_for
from ipu_asm.isa.model import InstructionSpec, Isa, Operand, Slot
from ipu_asm.isa.operands import LabelType
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


class WrittenInstruction(NamedTuple):
    """One instruction as assembly has it. An operand that is an int is the address of a label.

    `notes` describe bits that assembly cannot express.
    """

    mnemonic: str
    operands: tuple[str | int, ...] = ()
    notes: tuple[str, ...] = ()


def text_of(words: Sequence[int], isa: Isa) -> str:
    """Return the program whose bundles are `words`, one bundle per line; empty for no words.

    Raises ValueError for a number that is wider than a word of the instruction set.
    """
    for address, word in enumerate(words):
        if not 0 <= word < 1 << isa.word_bits:
            raise ValueError(f"a word has {isa.word_bits} bits, found {word:#x} at {address}")
    disassembler = _disassembler_for(isa)
    bundles = [disassembler.bundle(word, address) for address, word in enumerate(words)]
    operands = (operand for bundle in bundles for code in bundle for operand in code.operands)
    targets = {target for target in operands if isinstance(target, int) and target < len(words)}
    writer = _TextWriter(isa, targets)
    return "".join(writer.line(address, bundle) for address, bundle in enumerate(bundles))


class _Disassembler:
    """Disassembler of words of one instruction set."""

    def __init__(self, isa: Isa) -> None:
        self.isa = isa
        parser = parser_for(isa)
        self._defaults: dict[str, Instruction] = {}
        for slot in isa.slots:
            default = parser.default_of(slot)
            if default is not None:
                self._defaults[slot.name] = default

    def bundle(self, word: int, address: int) -> list[WrittenInstruction]:
        """Return the instructions that must be written for a word; at least one."""
        kept: list[list[DecodedInstruction]] = []
        for slot in self.isa.slots:
            codes = decode_slot(self.isa, slot, word)
            default = self._default_code(slot, address)
            used = len(codes)
            # The assembler uses the first free position of a slot, so those before it must be
            # written, too.
            while used and codes[used - 1].bits == default:
                used -= 1
            if any(self._may_be_in_any_slot(code) for code in codes[:used]):
                # A written no-op of that name takes the first free slot, so all before are written.
                for number, before in enumerate(self.isa.slots[: len(kept)]):
                    kept[number] = decode_slot(self.isa, before, word)
            kept.append(codes[:used])
        return [_written(code) for codes in kept for code in codes] or [self._idle]

    def _may_be_in_any_slot(self, code: DecodedInstruction) -> bool:
        return code.spec is not None and code.spec.nop and len(self.isa.forms(code.spec)) > 1

    @property
    def _idle(self) -> WrittenInstruction:
        """The default to write for a bundle of defaults, which needs one instruction."""
        no_label = (i for i in self._defaults.values() if not i.labels)
        shortest = min(no_label, key=lambda instruction: len(" ".join(instruction.words)))
        return WrittenInstruction(shortest.words[0], shortest.words[1:])

    def _default_code(self, slot: Slot, address: int) -> int | None:
        default = self._defaults.get(slot.name)
        if default is None or not default.labels:
            return None if default is None else default.bits
        number = default.labels[0]
        operand, distance = default.operands[number], default.values[number]
        assert operand is not None
        target = address + int(distance or 0)
        if target >> operand.type.width:
            return None
        return default.bits | operand.type.encode(target) << operand.low


def _written(code: DecodedInstruction) -> WrittenInstruction:
    """Return an instruction as it is written, without the operands that hold their default."""
    if code.spec is None:
        own_opcode = code.slot.fields[0].width < code.slot.width
        found = f"opcode {code.opcode}" if own_opcode else f"{code.bits:#x}"
        return WrittenInstruction(
            INVALID, (), (f"{code.slot.name}: {found} stands for no instruction",)
        )
    notes = [f"`{code.spec.mnemonic}`: unused bits {code.unused:#x} are set"] if code.unused else []
    positional: list[str | int] = []
    required = 0
    keywords: list[str | int] = []
    for operand in code.spec.operands:
        written, note = _operand(code, operand)
        notes += note
        default = operand.type.encode(operand.default) if operand.optional else None
        is_default = default == code.field_of(operand)
        if operand.keyword is None:
            positional.append(written)
            required = required if is_default else len(positional)
        elif not is_default:
            keywords.append(f"{operand.keyword}={written}")
    return WrittenInstruction(code.spec.mnemonic, (*positional[:required], *keywords), tuple(notes))


def _operand(code: DecodedInstruction, operand: Operand) -> tuple[str | int, list[str]]:
    value, bits = code.values[operand.name], code.field_of(operand)
    if value is None or operand.type.encode(value) != bits:
        return INVALID, [f"`{operand.name}`: nothing is {bits}"]
    return value if isinstance(operand.type, LabelType) else operand.type.format(value), []


class _TextWriter:
    """Formats decoded bundles as lines, with labels in a separate column."""

    def __init__(self, isa: Isa, targets: set[int]) -> None:
        self.isa = isa
        self.targets = targets
        self.margin = max((len(_label(target)) + 2 for target in targets), default=0)

    def line(self, address: int, bundle: Sequence[WrittenInstruction]) -> str:
        surface = self.isa.surface
        label = f"{_label(address)}:" if address in self.targets else ""
        separator = f"{surface.separator.strip()} "
        code = separator.join(self._instruction(decoded, address) for decoded in bundle)
        code += surface.bundle_end.strip()
        notes = [note for decoded in bundle for note in decoded.notes]
        notes = notes or list(self._bundle_errors(bundle))
        comment = f"  {surface.comments[0]} {'; '.join(notes)}" if notes else ""
        return f"{label:<{self.margin}}{code}{comment}\n"

    def _instruction(self, decoded: WrittenInstruction, address: int) -> str:
        separator = f"{self.isa.surface.operand_separator.strip()} "
        operands = (
            operand if isinstance(operand, str) else self._target(operand, address)
            for operand in decoded.operands
        )
        return f"{decoded.mnemonic} {separator.join(operands)}".rstrip()

    def _target(self, target: int, address: int) -> str:
        return _label(target) if target in self.targets else f"{target - address:+d}"

    def _bundle_errors(self, bundle: Sequence[WrittenInstruction]) -> Iterator[str]:
        """The errors of a bundle whose instructions are valid one by one."""
        if len(bundle) > 1:
            separator = self.isa.surface.separator
            code = separator.join(self._instruction(decoded, 0) for decoded in bundle)
            for finding in parser_for(self.isa).bundle(code).findings:
                yield f"cannot be assembled: {finding.message}"


def _label(address: int) -> str:
    return f"L{address}"


@lru_cache(maxsize=4)
def _disassembler_for(isa: Isa) -> _Disassembler:
    return _Disassembler(isa)


def decode_slot(isa: Isa, slot: Slot, word: int) -> list[DecodedInstruction]:
    """Return the instructions that a word has for one slot, in the order of their places."""
    return [_decode(isa, slot, place, word >> low) for place, low in enumerate(slot.lows)]


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
