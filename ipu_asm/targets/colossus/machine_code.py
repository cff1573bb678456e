"""Machine code of Colossus: words of 32 bits, two of them in a bundle, and their relocations.

The bits of the forms are in `encodings.txt`. The word of the main pipeline comes first in a bundle,
and bit 31 is set in both. Decoding shows what the vendor's disassembler shows if that assembles to
the same word, otherwise another form that does (`addz`); words that no text assembles to are no
code. Numbers of targets are written as they assemble: they count words, not bytes.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.assembler.machine_code import (
    CodeUnit,
    DecodedUnit,
    EncodingProblem,
    MachineCode,
    ObjectFormat,
    Relocation,
    SymbolValue,
    ValueOf,
    WrittenInstruction,
)
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import (
    IMMEDIATE_OUT_OF_RANGE,
    UNDEFINED_LABEL,
    WRONG_OPERAND_TYPE,
    UnplacedFinding,
)
from ipu_asm.isa.build import alternatives
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.isa.notations import BitPattern
from ipu_asm.isa.operands import OperandType, quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.colossus.control_registers import ControlRegister
from ipu_asm.targets.colossus.description import FORMS, operand_type
from ipu_asm.targets.colossus.instruction_spec import FORMS as TABLE
from ipu_asm.targets.colossus.operands import NumberOperand, WordOperand

_SIZE = 4
_IN_BUNDLE = 1 << 31
_NO_OP = 0x19E0_0000
_LOW_BITS, _ALL_BITS = 0xF_FFFF, 0xFFFF_FFFF
_DECODED = 1 << 14
_TOP = 24


class _Field(NamedTuple):
    """What a relocation fills: the field, the bits that are shifted away, and what it counts from.

    `is_relative`: from the start of the memory of the tile.
    """

    name: str
    pattern: BitPattern
    shift: int = 0
    is_relative: bool = False


_RELOCATIONS: Mapping[int, _Field] = {
    1: _Field("R_COLOSSUS_8", BitPattern("a" * 8)),
    2: _Field("R_COLOSSUS_16", BitPattern("a" * 16)),
    3: _Field("R_COLOSSUS_20", BitPattern("-" * 12 + "a" * 20)),
    4: _Field("R_COLOSSUS_32", BitPattern("a" * 32)),
    5: _Field("R_COLOSSUS_64", BitPattern("a" * 64)),
    6: _Field("R_COLOSSUS_RELATIVE_16_S2", BitPattern("a" * 16), 2, True),
    7: _Field("R_COLOSSUS_18_S2", BitPattern("-" * 14 + "a" * 18), 2),
    8: _Field("R_COLOSSUS_19_S2", BitPattern("-" * 13 + "a" * 19), 2),
    9: _Field("R_COLOSSUS_RUN", BitPattern("-" * 12 + "aaaa----" + "a" * 12), 2, True),
    14: _Field("R_COLOSSUS_16_S3", BitPattern("a" * 16), 3),
    15: _Field("R_COLOSSUS_16_S4", BitPattern("a" * 16), 4),
    16: _Field("R_COLOSSUS_16_S5", BitPattern("a" * 16), 5),
    17: _Field("R_COLOSSUS_21", BitPattern("-" * 11 + "a" * 21)),
}
_TARGET = 8
_IPU1, _IPU2, _IPU21 = 0x01, 0x02, 0x21
# Where the memory of a tile begins, by the flags of the file.
_BASES = {_IPU1: 0x40000, _IPU2: 0x4C000, _IPU21: 0x4C000}


class Encoding(NamedTuple):
    """A line of `encodings.txt`. `relocations` has the kind for each operand, 0 without one."""

    form: InstructionSpec
    pattern: BitPattern
    types: tuple[OperandType, ...]
    relocations: tuple[int, ...]
    is_hidden: bool

    def word(self, values: Sequence[int]) -> int:
        """The word with the values of the operands."""
        bits = (type.encode(value) for type, value in zip(self.types, values))
        return self.pattern.insert(dict(zip(_LETTERS, bits)))

    def values(self, word: int) -> tuple[int, ...] | None:
        """The values of the operands in a word; None if it is not of this form."""
        if not self.pattern.matches(word):
            return None
        fields = self.pattern.extract(word)
        values = [type.decode(fields[letter]) for letter, type in zip(_LETTERS, self.types)]
        return None if None in values else tuple(value for value in values if value is not None)

    def holds(self, values: Sequence[int]) -> bool:
        """Whether the fields hold the values, of which only numbers may not fit."""
        return all(
            not isinstance(type, NumberOperand) or type.holds(value)
            for type, value in zip(self.types, values)
        )


_LETTERS = "abcdef"


class ColossusCode(MachineCode):
    step = _SIZE
    object_format = ObjectFormat(
        machine=248,
        flags=_IPU2,
        known_flags=frozenset(_BASES),
        text_alignment=8,
        data_relocations={1: 1, 2: 2, 4: 4, 8: 5},
        code_relocations={kind: field.name for kind, field in _RELOCATIONS.items()},
        specifiers={"@relative@16@s2": (6, 2), "@abs18@s2": (7, 4), "@abs19@s2": (8, 4)},
        os_abi=255,
        flags_mask=0xFF,
    )

    def flags(self, isa: Isa, forms: Iterable[InstructionSpec]) -> int | None:
        """Return the generation of tiles: that of the forms, else that of the project's memory."""
        if any("ipu21" in form.traits for form in forms):
            return _IPU21
        start = isa.memory.regions[0].first if isa.memory else None
        return _IPU1 if start == _BASES[_IPU1] else None

    def __init__(self, encodings: Sequence[Encoding]) -> None:
        self.encodings = encodings
        self._by_form: dict[tuple[str, str], list[Encoding]] = {}
        for each in encodings:
            self._by_form.setdefault((each.form.slot, each.form.syntax), []).append(each)
        ordered = sorted(encodings, key=_shown_first)
        rows = [(each.pattern.mask, each.pattern.fixed, each) for each in ordered]
        # By the highest bits of the word: the masks, bits and encodings of forms that have these.
        self._by_top = [
            [row for row in rows if not (top << _TOP ^ row[1]) & row[0] >> _TOP << _TOP]
            for top in range(1 << (32 - _TOP))
        ]
        self._decoded = lru_cache(maxsize=_DECODED)(self._decode_word)

    def size(self, bundle: Bundle) -> int:
        return _SIZE * sum(2 if _is_long(form, text) else 1 for _, form, text in _written(bundle))

    def encode(self, bundle: Bundle, at: int, value_of: ValueOf) -> CodeUnit | EncodingProblem:
        unit = _written(bundle)
        words: list[int] = []
        relocations: list[Relocation] = []
        for number, form, operands in sorted(unit, key=lambda each: _is_auxiliary(each[1])):
            found = self._words(form, operands, value_of)
            if isinstance(found, EncodingProblem):
                return found._replace(instruction=number)
            made, relocation = found
            if len(unit) > 1 and (len(made) > 1 or not self._may_be_in_bundle(form)):
                message = f"`{form.mnemonic}` has no word that stands in a bundle"
                return EncodingProblem(number, -1, UnplacedFinding(WRONG_OPERAND_TYPE, message))
            if relocation is not None:
                relocations.append(relocation._replace(offset=_SIZE * len(words)))
            words += made
        mark = _IN_BUNDLE if len(unit) > 1 else 0
        data = b"".join((word | mark).to_bytes(_SIZE, "little") for word in words)
        return CodeUnit(data, tuple(relocations))

    def decode(
        self, data: bytes, at: int = 0, relocations: Sequence[Relocation] = ()
    ) -> DecodedUnit | None:
        words = [_word(data, at)]
        if words[0] & _IN_BUNDLE:
            words.append(_word(data, at + _SIZE))
            if not words[1] & _IN_BUNDLE:
                return None
        if len(data) < at + _SIZE * len(words):
            return None
        found: list[WrittenInstruction] = []
        for number, word in enumerate(words):
            own = [each for each in relocations if each.offset // _SIZE == number]
            decoded = self._instruction(word, own)
            if decoded is None:
                return None
            found.append(decoded)
        if [_is_auxiliary(each.form) for each in found] == [True, False]:
            return None
        return DecodedUnit(_SIZE * len(words), tuple(found))

    def relocated(
        self, unit: bytes, relocation: Relocation, value: int, flags: int = _IPU2
    ) -> bytes:
        """Fill a field. `flags` are those of the file; `ValueError` if the value does not fit."""
        kind = _RELOCATIONS.get(relocation.kind)
        if kind is None:
            raise ValueError(f"relocations have kinds 1 to 9 and 14 to 17, found {relocation.kind}")
        bits = _field_of(relocation.kind, value, flags)
        if isinstance(bits, str):
            raise ValueError(f"{kind.name} takes {bits}, found {value:#x}")
        start, end = relocation.offset, relocation.offset + kind.pattern.width // 8
        if end > len(unit):
            raise ValueError(f"{kind.name} fills {end - start} bytes at {start} of {len(unit)}")
        word = int.from_bytes(unit[start:end], "little")
        word = word & ~kind.pattern.insert({"a": -1}) | kind.pattern.insert({"a": bits})
        return unit[:start] + word.to_bytes(end - start, "little") + unit[end:]

    def fill(self, size: int) -> list[bytes]:
        zeros = size % _SIZE
        no_ops = [_NO_OP.to_bytes(_SIZE, "little")] * (size // _SIZE)
        return [bytes(zeros), *no_ops] if zeros else no_ops

    # Encoding.

    def encodings_of(self, form: InstructionSpec) -> Sequence[Encoding]:
        """Return the lines of a form, in their order."""
        return self._by_form.get((form.slot, form.syntax), ())

    def _may_be_in_bundle(self, form: InstructionSpec) -> bool:
        encodings = self.encodings_of(form)
        return any(not each.pattern.mask & _IN_BUNDLE for each in encodings)

    def _words(
        self, form: InstructionSpec, operands: Sequence[str], value_of: ValueOf
    ) -> tuple[list[int], Relocation | None] | EncodingProblem:
        """The words of an instruction, and the field that the linker fills in the first one."""
        encodings = self.encodings_of(form)
        kinds = encodings[0].relocations if encodings else (0,) * len(form.operands)
        values: list[int] = []
        relocation = None
        for number, text in enumerate(operands):
            found = _value(form.operands[number].type, kinds[number], text, value_of)
            if isinstance(found, UnplacedFinding):
                return EncodingProblem(0, number, found)
            if isinstance(found, SymbolValue):
                relocation = Relocation(kinds[number], 0, found.symbol, found.addend)
                found = 0
            values.append(found)
        if "macro" in form.traits:
            return list(self._constant(form, *values)), None
        encoding = next((each for each in encodings if each.holds(values)), None)
        if encoding is None:
            message = f"no word of `{form.syntax}` holds these operands"
            return EncodingProblem(0, -1, UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message))
        return [encoding.word(values)], relocation

    def _constant(self, form: InstructionSpec, register: int, value: int) -> Iterator[int]:
        """The words of `ldconst`."""
        file = form.slot[0]
        low, high = value & _LOW_BITS, value & _ALL_BITS & ~_LOW_BITS
        yield self._line(f"setzi ${file}Dst0, symbol20", form.slot).word((register, low))
        if high:
            line = self._line(f"or ${file}Dst0, ${file}Src0, imm12", form.slot, of_high_bits=True)
            yield line.word((register, register, high))

    def _line(self, syntax: str, slot: str, of_high_bits: bool = False) -> Encoding:
        return self._by_form[slot, syntax][1 if of_high_bits else 0]

    # Decoding.

    def _instruction(
        self, word: int, relocations: Sequence[Relocation]
    ) -> WrittenInstruction | None:
        kinds = frozenset(each.kind for each in relocations)
        found = self._decoded(word, kinds) or self._decoded(word)
        if found is None:
            return None
        encoding, values = found
        operands = [type.format(value) for type, value in zip(encoding.types, values)]
        target, operand = None, -1
        for number, kind in enumerate(encoding.relocations):
            symbol = next((each for each in relocations if kind and each.kind == kind), None)
            if symbol is not None:
                operands[number] = symbol.expression
            elif kind == _TARGET:
                target, operand = values[number] << 2, number
        form = encoding.form
        return WrittenInstruction(form, form.mnemonic, tuple(operands), target, operand)

    def _decode_word(
        self, word: int, kinds: frozenset[int] = frozenset()
    ) -> tuple[Encoding, tuple[int, ...]] | None:
        """The encoding of a word, and its operands; one with operands of these kinds if given."""
        for mask, fixed, encoding in self._by_top[word >> _TOP]:
            if word & mask != fixed or (kinds and kinds.isdisjoint(encoding.relocations)):
                continue
            values = encoding.values(word)
            if values is None or not encoding.holds(values):
                continue
            chosen = (each for each in self.encodings_of(encoding.form) if each.holds(values))
            if next(chosen, None) is encoding:
                return encoding, values
        return None


@lru_cache(maxsize=1)
def load() -> ColossusCode:
    """Return the encoding of the set."""
    text = Path(__file__).with_name("encodings.txt").read_text(encoding="utf-8")
    forms = dict(zip((form for _, line in TABLE for form in alternatives(line)), FORMS))
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return ColossusCode([_encoding(line, forms) for line in lines])


def _encoding(line: str, forms: Mapping[str, InstructionSpec]) -> Encoding:
    code, _, notes = line.partition("|")
    written, pattern = code.split("  ", 1)
    form = forms[written]
    tokens = written.split()[1:]
    types = [operand.type for operand in form.operands]
    relocations = [0] * len(tokens)
    is_hidden = False
    for note in filter(None, map(str.strip, notes.split(","))):
        token, *relation = note.split()
        if not relation:
            is_hidden = True
        elif relation[0] == "as":
            types[tokens.index(token)] = operand_type(relation[1])
        else:
            relocations[tokens.index(token)] = int(relation[1])
    return Encoding(form, BitPattern(pattern), tuple(types), tuple(relocations), is_hidden)


def _shown_first(encoding: Encoding) -> tuple[bool, int, int]:
    pattern = encoding.pattern
    return encoding.is_hidden, -pattern.mask.bit_count(), -len(pattern.repeated)


def _written(bundle: Bundle) -> list[tuple[int, InstructionSpec, Sequence[str]]]:
    """Return the numbers, forms and operands of the known instructions of a bundle."""
    numbered = enumerate(bundle.instructions)
    return [(number, each.spec, each.words[1:]) for number, each in numbered if each.spec]


def _is_auxiliary(form: InstructionSpec) -> bool:
    return form.slot == "aux"


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + _SIZE], "little")


def _is_long(form: InstructionSpec, operands: Sequence[str]) -> bool:
    """Whether an instruction takes two words: `ldconst` of more bits than `setzi` has.

    So does one of an expression, whatever its value is.
    """
    if "macro" not in form.traits:
        return False
    value = form.operands[-1].type.parse(operands[-1])
    return not isinstance(value, int) or value & _ALL_BITS > _LOW_BITS


def _value(
    type: OperandType, kind: int, text: str, value_of: ValueOf
) -> int | SymbolValue | UnplacedFinding:
    """The value of an operand; a symbol's if the linker fills it by a relocation of a kind."""
    parsed = type.parse(text)
    if isinstance(parsed, int):
        return parsed
    if not isinstance(type, (NumberOperand, ControlRegister, WordOperand)):
        message = f"expected {type.describe()}, found {quoted(text)}"
        problem = UnplacedFinding(WRONG_OPERAND_TYPE, message)
        return parsed if isinstance(parsed, UnplacedFinding) else problem
    value = value_of(text)
    if value is None:
        return _without_value(type, parsed, text)
    if isinstance(value, SymbolValue):
        if kind:
            return value
        message = f"expected {type.describe()}, found {quoted(text)}, whose value the linker knows"
        return UnplacedFinding(WRONG_OPERAND_TYPE, message)
    if kind and _RELOCATIONS[kind].shift:
        bits = _field_of(kind, value, _IPU2)
        if isinstance(bits, str):
            message = f"expected {bits}, found {quoted(text)}, which is {value:#x}"
            if _RELOCATIONS[kind].is_relative and isinstance(parsed, str):
                message += "; `bin` and `hex` begin at address 0, an object leaves it to the linker"
            return UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message)
        return bits
    return type.checked(value, text)


def _without_value(
    type: OperandType, parsed: str | UnplacedFinding | None, text: str
) -> UnplacedFinding:
    if isinstance(parsed, UnplacedFinding):
        return parsed
    message = f"expected {type.describe()}, found {quoted(text)}, which has no value"
    return UnplacedFinding(UNDEFINED_LABEL, message)


def _field_of(kind: int, value: int, flags: int) -> int | str:
    """The bits that a relocation stores of a value; what it takes if they do not hold it."""
    _, pattern, shift, is_relative = _RELOCATIONS[kind]
    base = _BASES.get(flags, _BASES[_IPU2]) if is_relative else 0
    step, size = 1 << shift, pattern.widths["a"]
    distance = value - base
    if 0 <= distance < step << size and distance % step == 0:
        return distance >> shift
    what = "a number" if step == 1 else f"a multiple of {step}"
    return f"{what} from {base:#x} to {base + (step << size) - step:#x}"
