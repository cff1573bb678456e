"""Machine code of the AI Engines: bundles of words of slots."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Mapping, Sequence

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
    DUPLICATE_SLOT,
    IMMEDIATE_OUT_OF_RANGE,
    WRONG_OPERAND_TYPE,
    UnplacedFinding,
)
from ipu_asm.isa.gnu_expressions import Symbols
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.isa.notations import BitPattern
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.encoding_tables import (
    FIELDS,
    LOW_BITS,
    EncodingTables,
    Format,
    FormCode,
    key_of,
)
from ipu_asm.targets.aie.expressions import evaluated
from ipu_asm.targets.aie.operands import (
    MARK,
    AieType,
    ImmediateType,
    RegisterClass,
    TargetType,
    aie_type,
)

_WORD_BYTES = 4
_TEXT_ALIGNMENT = 16
_MAX_REMEMBERED = 50_000


class _EncodedForm(NamedTuple):
    """The word of a slot, and the fields that the linker fills, by letter."""

    code: FormCode
    word: int
    symbols: Mapping[str, SymbolValue]


class AieMachineCode(MachineCode):
    """The machine code of a generation; `text` is the content of its `encodings.txt`."""

    step = 2

    def __init__(self, isa: Isa, text: str) -> None:
        self.tables = EncodingTables(isa, text)
        numbers = self.tables.numbers
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

    def size(self, bundle: Bundle) -> int:
        chosen = self._chosen(bundle)
        return self.tables.formats[0].size if chosen is None else chosen[0].size

    def encode(self, bundle: Bundle, at: int, value_of: ValueOf) -> CodeUnit | EncodingProblem:
        chosen = self._chosen(bundle)
        if chosen is None:
            return EncodingProblem(0, -1, _without_format(bundle))
        layout, forms = chosen
        words: dict[str, int] = {}
        symbols: list[Relocation] = []
        for number, (instruction, code) in enumerate(zip(bundle.instructions, forms)):
            encoded = _encoded(code, instruction.words[1:], value_of)
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
        for layout in self.tables.formats_of[data[at] & LOW_BITS] if at < len(data) else ():
            word = int.from_bytes(data[at : at + layout.size], "little")
            if at + layout.size <= len(data) and layout.pattern.matches(word):
                break
        else:
            return None
        values = layout.pattern.extract(word)
        found: list[tuple[FormCode, dict[str, int]]] = []
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
        units += [self.tables.fills[_TEXT_ALIGNMENT]] * whole
        return [*units, self.tables.fills[rest]] if rest else units

    def evaluate(self, text: str, symbols: Symbols) -> int | None:
        return evaluated(text, symbols)

    def relocated(self, unit: bytes, relocation: Relocation, value: int) -> bytes:
        fields = (each for each in self.tables.relocations if each.kind == relocation.kind)
        _, size, bits = next(fields)
        word = int.from_bytes(unit[:size], "little")
        for number, bit in enumerate(reversed(bits)):
            word = word & ~(1 << bit) | (value >> number & 1) << bit
        return word.to_bytes(size, "little") + unit[size:]

    def pattern_of(self, spec: InstructionSpec) -> BitPattern | None:
        """Return the pattern of a form; None if no word of its slot holds it."""
        code = self.tables.codes.get((spec.slot, key_of(spec)))
        return None if code is None else code.pattern

    def bundle_of(self, words: Mapping[str, int]) -> bytes:
        """Return the smallest bundle with these words of slots."""
        layout = next(each for each in self.tables.formats if words.keys() <= each.letters.keys())
        return self._bundle(layout, words)

    def _bundle(self, layout: Format, words: Mapping[str, int]) -> bytes:
        filled = {
            letter: words.get(slot, self.tables.no_ops[slot])
            for slot, letter in layout.letters.items()
        }
        return layout.pattern.insert(filled).to_bytes(layout.size, "little")

    def _chosen(self, bundle: Bundle) -> tuple[Format, Sequence[FormCode]] | None:
        """The smallest format that holds the instructions, and the form of each in it."""
        readings = [
            [
                code
                for spec in (reading.spec for reading in instruction.readings)
                if spec is not None
                and (code := self.tables.codes.get((spec.slot, key_of(spec)))) is not None
            ]
            for instruction in bundle.instructions
        ]
        best: tuple[Format, Sequence[FormCode]] | None = None
        for forms in product(*readings):
            slots = {code.spec.slot for code in forms}
            layout = next((f for f in self.tables.formats if slots <= f.letters.keys()), None)
            if len(slots) < len(forms) or layout is None:
                continue
            if best is None or layout.size < best[0].size:
                best = layout, forms
        return best

    def _kind(self, layout: Format, code: FormCode, letter: str) -> int | None:
        """The relocation of the field of a form in a format; None if there is none."""
        low = layout.pattern.fields[layout.letters[code.spec.slot]][0].word_bit
        bits = _bits(code.pattern, letter, low)
        return next(
            (
                kind
                for kind, size, relocated in self.tables.relocations
                if size == layout.size and relocated == bits
            ),
            None,
        )

    def _decode_word(self, slot: str, word: int) -> tuple[FormCode, dict[str, int]] | None:
        """The form of the word of a slot, and the values of its fields."""
        candidates = self.tables.codes_of_slot[slot].candidates(word)
        matching = (code for code in candidates if code.pattern.matches(word))
        read = ((code, code.pattern.extract(word)) for code in matching)
        return next((each for each in read if _exists(*each)), None)

    def _written(
        self,
        layout: Format,
        code: FormCode,
        values: Mapping[str, int],
        relocations: Sequence[Relocation],
    ) -> WrittenInstruction:
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
            own = aie_type(operand.type)
            operands.append(own.join([next(written) for _ in own.parts]))
        return WrittenInstruction(
            code.spec, code.spec.mnemonic, tuple(operands), target, target_operand
        )


def _encoded(
    code: FormCode, operands: Sequence[str], value_of: ValueOf
) -> _EncodedForm | tuple[int, UnplacedFinding]:
    """The word of an instruction, or the number of an operand and the finding about it."""
    values: dict[str, int] = {}
    texts: dict[str, str] = {}
    symbols: dict[str, SymbolValue] = {}
    letters = iter(code.parts)
    for number, (operand, text) in enumerate(zip(code.spec.operands, operands)):
        for part, written in zip(aie_type(operand.type).parts, aie_type(operand.type).split(text)):
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
    code: FormCode, letter: str, part: AieType, text: str, value_of: ValueOf
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


def _text(code: FormCode, letter: str, bits: int) -> str:
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


def _exists(code: FormCode, values: Mapping[str, int]) -> bool:
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


def _bits(pattern: BitPattern, letter: str, low: int) -> tuple[int, ...]:
    """The bits of a field, the highest first, in a bundle whose slot begins at bit `low`."""
    return tuple(
        piece.word_bit + low + bit
        for piece in reversed(pattern.fields[letter])
        for bit in reversed(range(piece.size))
    )


def _operand_of(spec: InstructionSpec, letter: str) -> int:
    """The number of the operand that a field belongs to."""
    numbers = [n for n, each in enumerate(spec.operands) for _ in aie_type(each.type).parts]
    return numbers[FIELDS.index(letter)]


def _without_format(bundle: Bundle) -> UnplacedFinding:
    names = ", ".join(f"`{each.spec.mnemonic}`" for each in bundle.instructions if each.spec)
    return UnplacedFinding(DUPLICATE_SLOT, f"no bundle holds {names} together")


def _no_relocation(symbol: str) -> UnplacedFinding:
    message = f"the linker cannot fill this field with the address of {quoted(symbol)}"
    return UnplacedFinding(WRONG_OPERAND_TYPE, message)
