"""The encodings of the AI Engines, read from `encodings.txt` in the folder of a generation.

The file has sections, whose titles stand in brackets. Bit patterns are those of `isa/bit_patterns`.

bundles
    The patterns of all bundles; a field is the word of a slot, by the letters in `_SLOTS`.
registers
    By class of operands, the registers in the order of their numbers; `=` states a number after a
    gap.
forms SLOT
    The pattern of each form of a slot, and the form with the classes of its operands. The fields
    are the registers and numbers of the operands in the order of the text. After `|`, `b=a` says
    that field `b` is not encoded, because it always equals `a`, and `a:TABLE` that the register is
    encoded by another table than that of its class. A number is stored divided by its step, in
    two's complement; if all of its values are negative, the bit of the sign is not stored.
relocations
    Number, bytes of the bundle, and the bits of the bundle that hold an address, the highest bits
    of the address first: lowest bit and number of bits.
fill
    The bundles that fill gaps in code, by size.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Iterator, Mapping, Sequence

from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.isa.notations import BitPattern
from ipu_asm.isa.storage import BundleLayouts
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.operands import AieType, RegisterClass, aie_type

_SLOTS = {
    "a": "lda", "b": "ldb", "s": "st", "x": "alu", "m": "mv", "v": "vec", "l": "lng", "n": "nop",
}  # fmt: skip
_NO_OPS = {"lda": "nopa", "ldb": "nopb", "st": "nops", "alu": "nopx", "mv": "nopm", "vec": "nopv",
         "lng": "nopxm", "nop": "nop"}  # fmt: skip
FIELDS = "abcdefghij"
LOW_BITS = 0b1111
_DIVIDING_BITS = 8


class _Table(NamedTuple):
    """The numbers of the registers of a class, and their names by number."""

    numbers: Mapping[str, int]
    names: Mapping[int, str]


class FormCode(NamedTuple):
    """The encoding of a form: types and tables of its fields, and the fields equal to another."""

    spec: InstructionSpec
    pattern: BitPattern
    parts: Mapping[str, AieType]
    tables: Mapping[str, _Table]
    same: Mapping[str, str]


class Format(NamedTuple):
    """A bundle: its pattern, its size in bytes, and the letters of its slots."""

    pattern: BitPattern
    size: int
    letters: Mapping[str, str]


class RelocationField(NamedTuple):
    """A kind of relocation: the bytes of the bundle, and the bits in it that hold an address."""

    kind: int
    size: int
    bits: tuple[int, ...]


class EncodingTables:
    """The content of an `encodings.txt`; `numbers` are those of objects, by name."""

    def __init__(self, isa: Isa, text: str) -> None:
        sections = _sections(text)
        self._isa = isa
        self._registers = dict(map(_table, sections["registers"]))
        self.formats = sorted(map(_format, sections["bundles"]), key=lambda each: each.size)
        self.fills = {len(line) // 2: bytes.fromhex(line) for line in sections["fill"]}
        self.relocations = [_relocation(line) for line in sections["relocations"]]
        self._lines = {slot: sections[f"forms {slot}"] for slot in _SLOTS.values()}
        self.numbers = {name: int(number) for name, number in map(str.split, sections["elf"])}

    @cached_property
    def codes(self) -> Mapping[tuple[str, str], FormCode]:
        specs = {
            (spec.slot, key_of(spec)): spec
            for first in self._isa.instructions.values()
            for spec in self._isa.forms(first)
        }
        found: dict[tuple[str, str], FormCode] = {}
        for slot, lines in self._lines.items():
            for line in lines:
                pattern, _, rest = line.partition(" ")
                form, _, notes = rest.partition(" | ")
                found[slot, form] = self._form(specs[slot, form], pattern, notes.split())
        return found

    def _form(self, spec: InstructionSpec, pattern: str, notes: Sequence[str]) -> FormCode:
        parts = dict(zip(FIELDS, _parts(spec)))
        same = dict(note.split("=") for note in notes if "=" in note)
        named = dict(note.split(":") for note in notes if ":" in note)
        tables = {
            letter: self._registers[named.get(letter, part.name)]
            for letter, part in parts.items()
            if isinstance(part, RegisterClass)
        }
        return FormCode(spec, BitPattern(pattern), parts, tables, same)

    @cached_property
    def no_ops(self) -> Mapping[str, int]:
        return {slot: self.codes[slot, name].pattern.fixed for slot, name in _NO_OPS.items()}

    @cached_property
    def codes_of_slot(self) -> Mapping[str, SlotCodes]:
        found: dict[str, list[FormCode]] = {slot: [] for slot in _NO_OPS}
        for (slot, _), code in self.codes.items():
            found[slot].append(code)
        return {slot: SlotCodes(codes) for slot, codes in found.items()}

    @cached_property
    def formats_of(self) -> Sequence[Sequence[Format]]:
        """The formats by the low four bits of the first byte."""
        return [
            [
                each
                for each in self.formats
                if (low ^ each.pattern.fixed) & each.pattern.mask & LOW_BITS == 0
            ]
            for low in range(LOW_BITS + 1)
        ]


class SlotCodes:
    """The encodings of a slot, those with the most fixed bits first.

    They are divided by the bits that most of them fix: of some hundreds, about five are left.
    """

    def __init__(self, codes: list[FormCode]) -> None:
        self.codes = sorted(codes, key=lambda code: -code.pattern.mask.bit_count())
        numbers = Counter(
            bit
            for code in codes
            for bit in range(code.pattern.width)
            if code.pattern.mask >> bit & 1
        )
        self._mask = sum(1 << bit for bit, _ in numbers.most_common(_DIVIDING_BITS))
        self._divided: dict[int, list[FormCode]] = {}

    def candidates(self, word: int) -> list[FormCode]:
        """Return the encodings that a word may have."""
        key = word & self._mask
        if key not in self._divided:
            self._divided[key] = [
                code
                for code in self.codes
                if (key ^ code.pattern.fixed) & code.pattern.mask & self._mask == 0
            ]
        return self._divided[key]


def _sections(text: str) -> Mapping[str, Sequence[str]]:
    """The lines of each section, without comments; an indented line continues the one before."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            lines = found[line.strip("[]")] = []
        elif line.startswith(" "):
            lines[-1] += line
        elif line and line[0] != "#":
            lines.append(line)
    return found


def _table(line: str) -> tuple[str, _Table]:
    name, _, registers = line.partition(": ")
    numbers: dict[str, int] = {}
    last = -1
    for each in registers.split():
        register, _, number = each.partition("=")
        last = int(number) if number else last + 1
        numbers[register] = last
    return name, _Table(numbers, {number: register for register, number in numbers.items()})


def layouts_of(text: str) -> BundleLayouts:
    """Return the bundles of an `encodings.txt`, without reading the rest of it."""
    lines = text.partition("[bundles]\n")[2].partition("\n[")[0].splitlines()
    return BundleLayouts(
        (len(line) // 8, frozenset(_SLOTS[letter] for letter in _SLOTS.keys() & set(line)))
        for line in lines
        if line and line[0] != "#"
    )


def _format(line: str) -> Format:
    pattern = BitPattern(line)
    letters = {_SLOTS[letter]: letter for letter in pattern.fields}
    return Format(pattern, len(line) // 8, letters)


def _relocation(line: str) -> RelocationField:
    kind, size, *pieces = line.split()
    bits: list[int] = []
    for piece in pieces:
        low, count = map(int, piece.split("+"))
        bits += range(low + count - 1, low - 1, -1)
    return RelocationField(int(kind), int(size), tuple(bits))


def _parts(spec: InstructionSpec) -> Iterator[AieType]:
    """The types of the registers and numbers of all operands, in the order of the text."""
    for operand in spec.operands:
        yield from aie_type(operand.type).parts


def key_of(spec: InstructionSpec) -> str:
    """A form as `encodings.txt` has it: with the classes of its operands."""
    return f"{spec.mnemonic} {', '.join(each.type.name for each in spec.operands)}".rstrip()
