"""Machine code of the AI Engines, read from `encodings.txt` in the folder of a generation.

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
from functools import cached_property, lru_cache
from itertools import product
from typing import Iterator, Mapping, Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.diagnostics.errors import DUPLICATE_SLOT, IMMEDIATE_OUT_OF_RANGE, WRONG_OPERAND_TYPE
from ipu_asm.isa.bit_patterns import BitPattern
from ipu_asm.isa.gnu_expressions import Symbols
from ipu_asm.isa.machine_code import (
    CodeInstruction,
    CodeUnit,
    DecodedInstruction,
    DecodedUnit,
    EncodingProblem,
    MachineCode,
    ObjectFormat,
    Relocation,
    SymbolValue,
    ValueOf,
)
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.isa.operands import OperandType, quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.expressions import evaluated
from ipu_asm.targets.aie.operands import MARK, AieType, ImmediateType, RegisterClass, TargetType

_SLOTS = {
    "a": "lda", "b": "ldb", "s": "st", "x": "alu", "m": "mv", "v": "vec", "l": "lng", "n": "nop",
}  # fmt: skip
_NO_OPS = {"lda": "nopa", "ldb": "nopb", "st": "nops", "alu": "nopx", "mv": "nopm", "vec": "nopv",
         "lng": "nopxm", "nop": "nop"}  # fmt: skip
_FIELDS = "abcdefghij"
_WORD_BYTES = 4
_LOW_BITS = 0b1111
_TEXT_ALIGNMENT = 16
_MAX_REMEMBERED = 50_000
_DIVIDING_BITS = 8


class _Table(NamedTuple):
    """The numbers of the registers of a class, and their names by number."""

    numbers: Mapping[str, int]
    names: Mapping[int, str]


class _FormCode(NamedTuple):
    """The encoding of a form: types and tables of its fields, and the fields equal to another."""

    spec: InstructionSpec
    pattern: BitPattern
    parts: Mapping[str, AieType]
    tables: Mapping[str, _Table]
    same: Mapping[str, str]


class _Format(NamedTuple):
    """A bundle: its pattern, its size in bytes, and the letters of its slots."""

    pattern: BitPattern
    size: int
    letters: Mapping[str, str]


class _RelocationField(NamedTuple):
    """A kind of relocation: the bytes of the bundle, and the bits in it that hold an address."""

    kind: int
    size: int
    bits: tuple[int, ...]


class _EncodedForm(NamedTuple):
    """The word of a slot, and the fields that the linker fills, by letter."""

    code: _FormCode
    word: int
    symbols: Mapping[str, SymbolValue]


class AieMachineCode(MachineCode):
    """The machine code of a generation; `text` is the content of its `encodings.txt`."""

    step = 2

    def __init__(self, isa: Isa, text: str) -> None:
        sections = _sections(text)
        self._isa = isa
        self._tables = dict(map(_table, sections["registers"]))
        self._formats = sorted(map(_format, sections["bundles"]), key=lambda each: each.size)
        self._fills = {len(line) // 2: bytes.fromhex(line) for line in sections["fill"]}
        self._relocations = [_relocation(line) for line in sections["relocations"]]
        self._lines = {slot: sections[f"forms {slot}"] for slot in _SLOTS.values()}
        numbers = {name: int(number) for name, number in map(str.split, sections["elf"])}
        self.object_format = ObjectFormat(
            machine=numbers["machine"],
            flags=numbers["flags"],
            known_flags=frozenset(
                number for name, number in numbers.items() if name.endswith("flags")
            ),
            text_alignment=_TEXT_ALIGNMENT,
            data_relocations={_WORD_BYTES: numbers["data-relocation"]},
        )
        self._decoded = lru_cache(maxsize=_MAX_REMEMBERED)(self._decode_word)

    def size(self, unit: Sequence[CodeInstruction]) -> int:
        chosen = self._chosen(unit)
        return self._formats[0].size if chosen is None else chosen[0].size

    def encode(
        self, unit: Sequence[CodeInstruction], value_of: ValueOf
    ) -> CodeUnit | EncodingProblem:
        chosen = self._chosen(unit)
        if chosen is None:
            return EncodingProblem(0, -1, _without_format(unit))
        layout, forms = chosen
        words: dict[str, int] = {}
        symbols: list[Relocation] = []
        for number, (instruction, code) in enumerate(zip(unit, forms)):
            encoded = _encoded(code, instruction.operands, value_of)
            if not isinstance(encoded, _EncodedForm):
                operand, finding = encoded
                return EncodingProblem(number, operand, finding)
            words[code.spec.slot] = encoded.word
            for letter, value in encoded.symbols.items():
                kind = self._kind(layout, code, letter)
                if kind is None:
                    operand = _operand_of(code.spec, letter)
                    return EncodingProblem(number, operand, _no_relocation(value.symbol))
                symbols.append(Relocation(kind, 0, value.symbol, value.addend))
        return CodeUnit(self._bundle(layout, words), tuple(symbols))

    def decode(
        self, data: bytes, at: int = 0, relocations: Sequence[Relocation] = ()
    ) -> DecodedUnit | None:
        for layout in self._formats_of[data[at] & _LOW_BITS] if at < len(data) else ():
            word = int.from_bytes(data[at : at + layout.size], "little")
            if at + layout.size <= len(data) and layout.pattern.matches(word):
                break
        else:
            return None
        values = layout.pattern.extract(word)
        found: list[tuple[_FormCode, dict[str, int]]] = []
        for slot, letter in layout.letters.items():
            decoded = self._decoded(slot, values[letter])
            if decoded is None:
                return None
            found.append(decoded)
        written = [self._written(layout, *decoded, relocations) for decoded in found]
        return DecodedUnit(layout.size, tuple(written))

    def fill(self, size: int) -> list[bytes]:
        units = [bytes(size % self.step)] if size % self.step else []
        whole, rest = divmod(size - size % self.step, _TEXT_ALIGNMENT)
        units += [self._fills[_TEXT_ALIGNMENT]] * whole
        return [*units, self._fills[rest]] if rest else units

    def evaluate(self, text: str, symbols: Symbols) -> int | None:
        return evaluated(text, symbols)

    def relocated(self, unit: bytes, relocation: Relocation, value: int) -> bytes:
        fields = (each for each in self._relocations if each.kind == relocation.kind)
        _, size, bits = next(fields)
        word = int.from_bytes(unit[:size], "little")
        for number, bit in enumerate(reversed(bits)):
            word = word & ~(1 << bit) | (value >> number & 1) << bit
        return word.to_bytes(size, "little") + unit[size:]

    def pattern_of(self, spec: InstructionSpec) -> BitPattern | None:
        """Return the pattern of a form; None if no word of its slot holds it."""
        code = self._codes.get((spec.slot, _key(spec)))
        return None if code is None else code.pattern

    def bundle_of(self, words: Mapping[str, int]) -> bytes:
        """Return the smallest bundle with these words of slots."""
        layout = next(each for each in self._formats if words.keys() <= each.letters.keys())
        return self._bundle(layout, words)

    def _bundle(self, layout: _Format, words: Mapping[str, int]) -> bytes:
        filled = {
            letter: words.get(slot, self._no_ops[slot]) for slot, letter in layout.letters.items()
        }
        return layout.pattern.insert(filled).to_bytes(layout.size, "little")

    @cached_property
    def _codes(self) -> Mapping[tuple[str, str], _FormCode]:
        """The encodings by slot and form."""
        specs = {
            (spec.slot, _key(spec)): spec
            for first in self._isa.instructions.values()
            for spec in self._isa.forms(first)
        }
        found: dict[tuple[str, str], _FormCode] = {}
        for slot, lines in self._lines.items():
            for line in lines:
                pattern, _, rest = line.partition(" ")
                form, _, notes = rest.partition(" | ")
                found[slot, form] = self._form(specs[slot, form], pattern, notes.split())
        return found

    def _form(self, spec: InstructionSpec, pattern: str, notes: Sequence[str]) -> _FormCode:
        parts = dict(zip(_FIELDS, _parts(spec)))
        same = dict(note.split("=") for note in notes if "=" in note)
        named = dict(note.split(":") for note in notes if ":" in note)
        tables = {
            letter: self._tables[named.get(letter, part.name)]
            for letter, part in parts.items()
            if isinstance(part, RegisterClass)
        }
        return _FormCode(spec, BitPattern(pattern), parts, tables, same)

    @cached_property
    def _no_ops(self) -> Mapping[str, int]:
        return {slot: self._codes[slot, name].pattern.fixed for slot, name in _NO_OPS.items()}

    @cached_property
    def codes_of_slot(self) -> Mapping[str, _SlotCodes]:
        """The encodings of each slot."""
        found: dict[str, list[_FormCode]] = {slot: [] for slot in _NO_OPS}
        for (slot, _), code in self._codes.items():
            found[slot].append(code)
        return {slot: _SlotCodes(codes) for slot, codes in found.items()}

    @cached_property
    def _formats_of(self) -> Sequence[Sequence[_Format]]:
        """The formats by the low four bits of the first byte."""
        return [
            [
                each
                for each in self._formats
                if (low ^ each.pattern.fixed) & each.pattern.mask & _LOW_BITS == 0
            ]
            for low in range(_LOW_BITS + 1)
        ]

    def _chosen(
        self, unit: Sequence[CodeInstruction]
    ) -> tuple[_Format, Sequence[_FormCode]] | None:
        """The smallest format that holds the instructions, and the form of each in it."""
        readings = [
            [
                code
                for spec in (instruction.form, *instruction.others)
                if (code := self._codes.get((spec.slot, _key(spec)))) is not None
            ]
            for instruction in unit
        ]
        best: tuple[_Format, Sequence[_FormCode]] | None = None
        for forms in product(*readings):
            slots = {code.spec.slot for code in forms}
            layout = next((f for f in self._formats if slots <= f.letters.keys()), None)
            if len(slots) < len(forms) or layout is None:
                continue
            if best is None or layout.size < best[0].size:
                best = layout, forms
        return best

    def _kind(self, layout: _Format, code: _FormCode, letter: str) -> int | None:
        """The relocation of the field of a form in a format; None if there is none."""
        low = layout.pattern.fields[layout.letters[code.spec.slot]][0].word_bit
        bits = _bits(code.pattern, letter, low)
        return next(
            (
                kind
                for kind, size, relocated in self._relocations
                if size == layout.size and relocated == bits
            ),
            None,
        )

    def _decode_word(self, slot: str, word: int) -> tuple[_FormCode, dict[str, int]] | None:
        """The form of the word of a slot, and the values of its fields."""
        candidates = self.codes_of_slot[slot].candidates(word)
        matching = (code for code in candidates if code.pattern.matches(word))
        read = ((code, code.pattern.extract(word)) for code in matching)
        return next((each for each in read if _exists(*each)), None)

    def _written(
        self,
        layout: _Format,
        code: _FormCode,
        values: Mapping[str, int],
        relocations: Sequence[Relocation],
    ) -> DecodedInstruction:
        """An instruction with its operands as text."""
        texts: dict[str, str] = {}
        target, target_operand = None, -1
        for letter, part in code.parts.items():
            field = code.same.get(letter, letter)
            texts[letter] = _text(code, letter, values[field])
            if not isinstance(part, ImmediateType):
                continue
            kind = self._kind(layout, code, letter)
            symbol = next((each for each in relocations if each.kind == kind), None)
            if symbol is not None:
                texts[letter] = MARK + symbol.expression
            elif isinstance(part, TargetType):
                target, target_operand = values[field], _operand_of(code.spec, letter)
        written = iter(texts.values())
        operands = []
        for operand in code.spec.operands:
            own = _aie(operand.type)
            operands.append(own.join([next(written) for _ in own.parts]))
        return DecodedInstruction(
            code.spec, code.spec.mnemonic, tuple(operands), target, target_operand
        )


class _SlotCodes:
    """The encodings of a slot, those with the most fixed bits first.

    They are divided by the bits that most of them fix: of some hundreds, about five are left.
    """

    def __init__(self, codes: list[_FormCode]) -> None:
        self.codes = sorted(codes, key=lambda code: -code.pattern.mask.bit_count())
        numbers = Counter(
            bit
            for code in codes
            for bit in range(code.pattern.width)
            if code.pattern.mask >> bit & 1
        )
        self._mask = sum(1 << bit for bit, _ in numbers.most_common(_DIVIDING_BITS))
        self._divided: dict[int, list[_FormCode]] = {}

    def candidates(self, word: int) -> list[_FormCode]:
        """Return the encodings that a word may have."""
        key = word & self._mask
        if key not in self._divided:
            self._divided[key] = [
                code
                for code in self.codes
                if (key ^ code.pattern.fixed) & code.pattern.mask & self._mask == 0
            ]
        return self._divided[key]


def _encoded(
    code: _FormCode, operands: Sequence[str], value_of: ValueOf
) -> _EncodedForm | tuple[int, UnplacedFinding]:
    """The word of an instruction, or the number of an operand and the finding about it."""
    values: dict[str, int] = {}
    texts: dict[str, str] = {}
    symbols: dict[str, SymbolValue] = {}
    letters = iter(code.parts)
    for number, (operand, text) in enumerate(zip(code.spec.operands, operands)):
        for part, written in zip(_aie(operand.type).parts, _aie(operand.type).split(text)):
            letter = next(letters)
            value = _value(code, letter, part, written, value_of)
            if isinstance(value, UnplacedFinding):
                return number, value
            if isinstance(value, SymbolValue):
                symbols[letter] = value
                value = 0
            same = code.same.get(letter)
            if same is not None and values[same] != value:
                message = f"{quoted(texts[same])} and {quoted(written)} have one field in the word"
                return number, UnplacedFinding(WRONG_OPERAND_TYPE, message)
            values[letter] = value
            texts[letter] = written
    return _EncodedForm(code, code.pattern.insert(values), symbols)


def _value(
    code: _FormCode, letter: str, part: AieType, text: str, value_of: ValueOf
) -> int | SymbolValue | UnplacedFinding:
    """The bits of a field, before those that do not fit are cut off."""
    if isinstance(part, RegisterClass):
        index = part.parse(text)
        register = part.registers[index].lower() if isinstance(index, int) else text.lower()
        bits = code.tables[letter].numbers.get(register)
        if bits is None:
            message = f"expected {part.describe()}, found {quoted(text)}, whose number is not known"
            return UnplacedFinding(WRONG_OPERAND_TYPE, message)
        return bits
    assert isinstance(part, ImmediateType)
    number = value_of(text.removeprefix(MARK))
    if isinstance(number, SymbolValue):
        return number
    if number is None:
        message = f"the value of {quoted(text)} is not known"
        return UnplacedFinding(WRONG_OPERAND_TYPE, message)
    fits = part.checked(text, number)
    width = code.pattern.widths[letter]
    if isinstance(part, TargetType) and number >> width:
        message = f"an address of code has {width} bits, found {quoted(text)}, which is {number}"
        fits = UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message)
    return fits if isinstance(fits, UnplacedFinding) else fits // part.step


def _text(code: _FormCode, letter: str, bits: int) -> str:
    """The register or number of a field as text."""
    part = code.parts[letter]
    if isinstance(part, ImmediateType):
        return part.format(_number(part, bits, code.pattern.widths[code.same.get(letter, letter)]))
    return code.tables[letter].names[bits]


def _number(part: ImmediateType, bits: int, width: int) -> int:
    """The number that the bits of a field stand for."""
    least, most = part.minimum or 0, part.maximum or 0
    is_negative = least < 0 and (most < 0 or bits >> (width - 1))
    return (bits - (1 << width) if is_negative else bits) * part.step


def _exists(code: _FormCode, values: Mapping[str, int]) -> bool:
    """Whether all fields hold registers and numbers of the form."""
    for letter, bits in values.items():
        part = code.parts[letter]
        if not isinstance(part, ImmediateType):
            if bits not in code.tables[letter].names:
                return False
        else:
            number = _number(part, bits, code.pattern.widths[letter])
            if isinstance(part.checked("", number), UnplacedFinding):
                return False
    return True


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


def _format(line: str) -> _Format:
    pattern = BitPattern(line)
    letters = {_SLOTS[letter]: letter for letter in pattern.fields}
    return _Format(pattern, len(line) // 8, letters)


def _relocation(line: str) -> _RelocationField:
    kind, size, *pieces = line.split()
    bits: list[int] = []
    for piece in pieces:
        low, count = map(int, piece.split("+"))
        bits += range(low + count - 1, low - 1, -1)
    return _RelocationField(int(kind), int(size), tuple(bits))


def _bits(pattern: BitPattern, letter: str, low: int) -> tuple[int, ...]:
    """The bits of a field, the highest first, in a bundle whose slot begins at bit `low`."""
    return tuple(
        piece.word_bit + low + bit
        for piece in reversed(pattern.fields[letter])
        for bit in reversed(range(piece.size))
    )


def _aie(operand_type: OperandType) -> AieType:
    assert isinstance(operand_type, AieType)
    return operand_type


def _parts(spec: InstructionSpec) -> Iterator[AieType]:
    """The types of the registers and numbers of all operands, in the order of the text."""
    for operand in spec.operands:
        yield from _aie(operand.type).parts


def _operand_of(spec: InstructionSpec, letter: str) -> int:
    """The number of the operand that a field belongs to."""
    numbers = [n for n, each in enumerate(spec.operands) for _ in _aie(each.type).parts]
    return numbers[_FIELDS.index(letter)]


def _key(spec: InstructionSpec) -> str:
    """A form as `encodings.txt` has it: with the classes of its operands."""
    return f"{spec.mnemonic} {', '.join(each.type.name for each in spec.operands)}".rstrip()


def _without_format(unit: Sequence[CodeInstruction]) -> UnplacedFinding:
    names = ", ".join(f"`{each.form.mnemonic}`" for each in unit)
    return UnplacedFinding(DUPLICATE_SLOT, f"no bundle holds {names} together")


def _no_relocation(symbol: str) -> UnplacedFinding:
    message = f"the linker cannot fill this field with the address of {quoted(symbol)}"
    return UnplacedFinding(WRONG_OPERAND_TYPE, message)
