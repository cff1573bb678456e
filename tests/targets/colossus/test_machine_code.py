"""The machine code of Colossus: vendor words both ways, and every form with itself."""

from __future__ import annotations

import random
from typing import Any, Iterable, Sequence

import pytest

from ipu_asm.assembler.machine_code import (
    CodeUnit,
    EncodingProblem,
    Relocation,
    SymbolValue,
    WrittenInstruction,
)
from ipu_asm.assembler.word_code import machine_code_of
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.bundle.parser import parser_for
from ipu_asm.isa import load_isa
from ipu_asm.isa.build import alternatives
from ipu_asm.isa.gnu_expressions import read_expression
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.isa.operands import OperandType
from ipu_asm.program.build import read_program
from ipu_asm.targets.colossus.control_registers import ControlRegister
from ipu_asm.targets.colossus.description import FORMS
from ipu_asm.targets.colossus.instruction_spec import FORMS as TABLE
from ipu_asm.targets.colossus.machine_code import load
from ipu_asm.targets.colossus.operands import (
    NumberOperand,
    RegisterOperand,
    WordOperand,
)
from tests.vectors import records

CODE = load()
WORDS = records("colossus_words")
TEXTS = [each for each in WORDS if each["asm"] is not None]
NAMES = {"SYNCZONE_INTERNAL": 3, "SYNCZONE_ANS": 1}
NO_OP = "0000e019"
IPU1 = 1
# Listings show the byte address of a target, which a text gives in words.
SHOWS_ADDRESSES = ("listing", "decode")
# Other ways to write an operand of the same word.
NOT_SHOWN = ("encode", "reloc")


def value(text: str) -> int | SymbolValue | None:
    """The value of an expression in which `foo` is an address."""
    if text.startswith("foo"):
        return SymbolValue("foo", int(text[3:].replace(" ", "") or "0", 0))
    return NAMES.get(text, read_expression(text).value)


def bundle_of(text: str) -> Bundle:
    """The bundle of a text of one bundle or instruction."""
    program = read_program(load_isa("colossus"), text + "\n")
    (bundle,) = (bundle for bundle in program.bundles if bundle.instructions)
    assert not bundle.has_unknown, text
    return bundle


def bundle_of_forms(instructions: Iterable[tuple[InstructionSpec, Sequence[str]]]) -> Bundle:
    """A bundle of these forms, whatever a text with their operands is read as."""
    empty = parser_for(load_isa("colossus")).bundle("")
    read = [Instruction((form.mnemonic, *operands), form) for form, operands in instructions]
    return Bundle(
        empty.syntax,
        tuple(read),
        (None,) * len(read),
        (),
        default_bits=empty.default_bits,
        open_slots=(),
        label_uses=(),
    )


def encoded(text: str) -> CodeUnit:
    found = CODE.encode(bundle_of(text), 0, value)
    assert isinstance(found, CodeUnit), f"{text}: {found}"
    assert len(found.data) == CODE.size(bundle_of(text))
    return found


def data_of(words: list[str]) -> bytes:
    return b"".join(int(word, 16).to_bytes(4, "little") for word in words)


def check_bytes(text: str, expected: str) -> None:
    """The bytes of a text, as hexadecimal digits in memory order."""
    assert encoded(text).data.hex() == expected, text


def check_problem(text: str, operand: int, said: str) -> None:
    found = CODE.encode(bundle_of(text), 0, value)
    assert isinstance(found, EncodingProblem), text
    assert (found.operand, said in found.finding.message) == (operand, True), found


def written(instruction: WrittenInstruction, *, as_vendor: bool = False) -> str:
    """The text of an instruction; with the address of a target as the vendor's tools show it."""
    operands = list(instruction.operands)
    if as_vendor and instruction.target is not None:
        operands[instruction.target_operand] = hex(instruction.target)
    return f"{instruction.mnemonic} {', '.join(operands)}".strip()


def shown(data: bytes) -> list[str]:
    """What the vendor's disassembler shows of code: a text for each instruction."""
    texts = []
    at = 0
    while at < len(data):
        unit = CODE.decode(data, at)
        assert unit is not None, data[at:].hex()
        texts += [written(each, as_vendor=True) for each in unit.instructions]
        at += unit.size
    return texts


def check_comes_back(data: bytes) -> None:
    """The unit decodes to a text that is read as the same forms, and has the same bytes."""
    unit = CODE.decode(data)
    assert unit is not None, data.hex()
    assert unit.size == len(data)
    text = " ; ".join(map(written, unit.instructions))
    check_bytes(f"{{ {text} }}" if len(unit.instructions) > 1 else text, data.hex())


def test_the_set_has_this_code() -> None:
    assert machine_code_of(load_isa("colossus")) is CODE


def test_a_text_has_the_words_of_the_vendor() -> None:
    for record in TEXTS:
        check_words(record)


def check_words(record: dict[str, Any]) -> None:
    bundle = bundle_of(record["asm"])
    first = bundle.instructions[0]
    assert first.spec is not None
    names = [operand.type.name for operand in first.spec.operands]
    if record["check"] in SHOWS_ADDRESSES and "target" in names[-1]:
        operands = [*first.words[1:-1], str(int(first.words[-1], 16) >> 2)]
        bundle = bundle_of_forms([(first.spec, operands)])
    found = CODE.encode(bundle, 0, value)
    assert isinstance(found, CodeUnit)
    data = found.data
    for relocation in found.relocations:
        assert data == data_of([record["before"]])
        assert CODE.object_format.code_relocations[relocation.kind] == record["reloc"]
        data = CODE.relocated(data, relocation, record["value"], IPU1)
    assert data == data_of(record["words"]), record["asm"]


def test_words_of_the_vendor_come_back() -> None:
    for record in TEXTS:
        data = data_of(record["words"])
        assert CODE.decode(data) is not None, record
        if record["asm"].count("$m") < 6 or "{" not in record["asm"]:
            check_comes_back(data)
        if record["check"] not in ("listing", *NOT_SHOWN):
            assert " ; ".join(shown(data)) == record["asm"].strip("{ }")


def test_two_halves_of_one_pipeline_are_decoded_all_the_same() -> None:
    data = data_of(["0xc4203011", "0xc4506041"])
    unit = CODE.decode(data)
    assert unit is not None
    again = bundle_of_forms((each.form, each.operands) for each in unit.instructions)
    assert CODE.encode(again, 0, value) == CodeUnit(data)


@pytest.mark.parametrize(
    "words",
    [
        *(each["words"] for each in WORDS if each["asm"] is None),
        ["0xffffffff"], ["0x99e00000"], ["0x99e00000", "0x1ad00000"],
        ["0x9ad00000", "0x99e00000"], ["0xc1800003", "0x9ad00000"], ["0x42010c00"],
    ],
)  # fmt: skip
def test_what_has_no_text_is_no_code(words: list[str]) -> None:
    assert CODE.decode(data_of(words)) is None


def test_a_text_is_shown_as_the_vendor_shows_it() -> None:
    for record in records("colossus_print"):
        assert shown(encoded(record["asm"]).data) == record["printed"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ldconst $m1, 0xfffff", "ffff1f19"),
        ("ldconst $m1, -1", "ffff1f19ffcf1142"),
        ("ldconst $a2, 1.0h", "003c201a"),
        ("addz $m0, $m0, 42", "2a000020"),
        ("adds $m0, $m0, 42", "2a000022"),
        ("stm32step $m0, $m1, $m2", "00192047"),
        ("stm32step $m0, $m1+=, $m2", "00192047"),
        ("st32 $a1, $a2, $azero, 0xabc", "1cfa2b5e"),
        ("f16v4mul $a2:3, $a0:B, $a4:5", encoded("f16v4mul $a2:3, $a0:BL, $a4:5").data.hex()),
        ("{ fnop ; nop }", "0000e0990000d09a"),
        ("rpt $m0, ((12 - 4) / 8) - 1", encoded("rpt $m0, 0").data.hex()),
    ],
)
def test_other_ways_to_write(text: str, expected: str) -> None:
    check_bytes(text, expected)


@pytest.mark.parametrize(
    ("text", "kind", "offset"),
    [
        ("bri foo + 4", 8, 0), ("call $m0, foo", 8, 0), ("setzi $m14, foo", 3, 0),
        ("{ brz $m0, foo ; fnop }", 8, 0), ("{ nop ; setzi $a0, foo - 8 }", 3, 4),
        ("run $m0, $m1, foo", 9, 0), ("rpt $m0, foo", 1, 0), ("cmpult $m0, $m1, foo", 2, 0),
    ],
)  # fmt: skip
def test_the_linker_fills_fields_with_symbols(text: str, kind: int, offset: int) -> None:
    unit = encoded(text)
    (relocation,) = unit.relocations
    assert (relocation.kind, relocation.offset, relocation.symbol) == (kind, offset, "foo")
    decoded = CODE.decode(unit.data, 0, unit.relocations)
    assert decoded is not None
    again = bundle_of_forms((each.form, each.operands) for each in decoded.instructions)
    assert CODE.encode(again, 0, value) == unit
    assert all(each.target is None for each in decoded.instructions)


@pytest.mark.parametrize(
    ("text", "operand", "said"),
    [
        ("adds $m0, $m1, foo", 2, "found `foo`, whose value the linker knows"),
        ("ldconst $m0, foo", 1, "found `foo`, whose value the linker knows"),
        ("adds $m0, $m1, bar", 2, "found `bar`, which nothing here defines"),
        ("setzi $m0, bar", 1, "found `bar`, which has no value"),
        ("{ exitz $m0 ; fnop }", -1, "no word that stands in a bundle"),
        ("{ ldconst $m0, 1 << 20 ; fnop }", -1, "no word that stands in a bundle"),
    ],
)
def test_what_no_word_holds_is_told(text: str, operand: int, said: str) -> None:
    check_problem(text, operand, said)


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (8, 2, "R_COLOSSUS_19_S2 takes a multiple of 4 from 0x0 to 0x1ffffc, found 0x2"),
        (8, 1 << 21, "found 0x200000"),
        (9, 0x40000, "R_COLOSSUS_RUN takes a multiple of 4 from 0x4c000 to 0x8bffc, found 0x40000"),
        (3, -1, "R_COLOSSUS_20 takes a number from 0x0 to 0xfffff, found -0x1"),
        (10, 0, "relocations have kinds 1 to 9 and 14 to 17, found 10"),
        (5, 0, "R_COLOSSUS_64 fills 8 bytes at 0 of 4"),
    ],
)
def test_what_no_field_holds_is_told(kind: int, value: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        CODE.relocated(bytes(4), Relocation(kind, 0, "foo"), value)


def test_gaps_are_filled_with_no_ops() -> None:
    assert [unit.hex() for unit in CODE.fill(8)] == [NO_OP, NO_OP]
    assert [unit.hex() for unit in CODE.fill(6)] == ["0000", NO_OP]


def test_every_form_has_bits_or_is_a_macro() -> None:
    without = [form.syntax for form in FORMS if not CODE.encodings_of(form)]
    assert without == ["ldconst $mDst0, imm32", "ldconst $aDst0, imm32"]
    lines = [form for _, line in TABLE for form in alternatives(line)]
    assert len(lines) == len(FORMS)


@pytest.mark.parametrize("slot", ["main", "aux"])
def test_random_operands_of_every_form_come_back(slot: str) -> None:
    rng = random.Random(slot)
    for form in FORMS:
        if form.slot != slot:
            continue
        for _ in range(12):
            operands = [some(operand.type, rng) for operand in form.operands]
            unit = bundle_of_forms([(form, operands)])
            found = CODE.encode(unit, 0, value)
            assert isinstance(found, CodeUnit), (form.syntax, operands, found)
            check_decodes_to_its_bytes(found.data)


def test_random_bundles_come_back() -> None:
    rng = random.Random(8)
    sides: dict[str, list[InstructionSpec]] = {"main": [], "aux": []}
    for form in FORMS:
        if "alone" not in form.traits:
            sides[form.slot].append(form)
    for _ in range(2000):
        forms = [rng.choice(sides["main"]), rng.choice(sides["aux"])]
        unit = bundle_of_forms((f, [some(each.type, rng) for each in f.operands]) for f in forms)
        found = CODE.encode(unit, 0, value)
        assert isinstance(found, CodeUnit)
        assert len(found.data) == 8
        check_decodes_to_its_bytes(found.data)


def check_decodes_to_its_bytes(data: bytes) -> None:
    at = 0
    while at < len(data):
        unit = CODE.decode(data, at)
        if unit is None:  # pairs of main registers that only the assembler takes
            (word,) = (data[at : at + 4],)
            assert data[at] >> 4 >= 12 or word[1] >> 4 >= 12 or word[2] & 15 >= 12, data.hex()
            return
        again = bundle_of_forms((each.form, each.operands) for each in unit.instructions)
        assert CODE.encode(again, 0, value) == CodeUnit(data[at : at + unit.size])
        at += unit.size


def some(type: OperandType, rng: random.Random) -> str:
    """A random operand of a type."""
    if isinstance(type, NumberOperand):
        first, last, step = rng.choice(type.ranges)
        return str(rng.choice((first, last, rng.randrange(first, last + 1, step))))
    if isinstance(type, RegisterOperand):
        return type.format(rng.randrange(0, 16, type.group_width))
    if isinstance(type, ControlRegister):
        return rng.choice((str(rng.randrange(256)), rng.choice(list(type.registers))))
    assert isinstance(type, WordOperand)
    return str(rng.randrange(1 << type.width))
