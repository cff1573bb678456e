"""The machine code of XDNA1 and XDNA2: vendor bytes both ways, and every form with itself."""

from __future__ import annotations

import random
from itertools import count
from typing import Any

import pytest

from ipu_asm.assembler.machine_code import (
    CodeUnit,
    DecodedUnit,
    EncodingProblem,
    MachineCode,
    Relocation,
    SymbolValue,
)
from ipu_asm.assembler.word_code import machine_code_of
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.program.build import read_program
from ipu_asm.targets.aie.encodings import AieMachineCode
from ipu_asm.targets.aie.expressions import has_names, value_of
from tests.targets.aie.cases import NAMES, specs_of
from tests.vectors import records

WORDS = [each for each in records("xdna_words") if "asm" in each]
STREAMS = [each for each in records("xdna_words") if each.get("kind") == "stream"]
RELOCATED = [each for each in records("xdna_words") if each.get("kind") == "relocation"]
# An older assembler set bits that have no meaning.
OLDER = "99feff07"


def codec(isa: str) -> MachineCode:
    found = machine_code_of(load_isa(isa))
    assert found is not None
    return found


def value(text: str) -> int | SymbolValue:
    return SymbolValue(text) if has_names(text) else value_of(text)


def encoded(isa: str, text: str) -> CodeUnit | EncodingProblem:
    """The code of a text of one bundle, which has no errors."""
    program = read_program(load_isa(isa), text)
    assert [finding.message for finding in program.findings] == [], text
    (bundle,) = (bundle for bundle in program.bundles if bundle.size)
    return codec(isa).encode(bundle, 0, value)


def check_bytes(isa: str, text: str, expected: str) -> None:
    found = encoded(isa, text)
    assert isinstance(found, CodeUnit)
    assert found.data.hex() == expected, text


def text_of(unit: DecodedUnit) -> str:
    return "; ".join(f"{each.mnemonic} {', '.join(each.operands)}" for each in unit.instructions)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nop; movxm r5, #0x12345", "4390a2a148000000"),
        ("jl #64; nop", "4340000008000000"),
        ("movxm r5, #0x12345", "558a86220100"),
    ],
)
def test_a_no_op_beside_a_long_instruction_chooses_its_bundle(text: str, code: str) -> None:
    check_bytes("xdna1", text, code)
    check_comes_back("xdna1", bytes.fromhex(code))


@pytest.mark.parametrize(
    ("isa", "text"),
    [("xdna1", "nop; mov r0, r1"), ("xdna1", "nop; nop"), ("xdna2", "nop; movxm r5, #1")],
)
def test_a_no_op_stands_beside_nothing_else(isa: str, text: str) -> None:
    assert [finding.code for finding in read_program(load_isa(isa), text).findings] == ["E201"]


def check_comes_back(isa: str, data: bytes) -> None:
    """The bundle in `data` decodes to a text that encodes to the same bytes."""
    unit = codec(isa).decode(data)
    assert unit is not None, data.hex()
    assert unit.size == len(data)
    check_bytes(isa, text_of(unit), data.hex())


def units(isa: str, data: bytes) -> list[bytes]:
    """The bundles of a stream of code."""
    found = []
    at = 0
    while at < len(data):
        unit = codec(isa).decode(data, at)
        assert unit is not None, data[at : at + 16].hex()
        found.append(data[at : at + unit.size])
        at += unit.size
    return found


def test_every_bundle_of_the_vendor_is_encoded() -> None:
    assert len(WORDS) == 144
    for each in WORDS:
        check_bytes(each["isa"], each["asm"], each["bytes"])


def test_every_bundle_of_the_vendor_comes_back() -> None:
    for each in WORDS:
        check_comes_back(each["isa"], bytes.fromhex(each["bytes"]))


def test_streams_of_real_code_come_back() -> None:
    assert len(STREAMS) == 5
    for each in STREAMS:
        found = units(each["isa"], bytes.fromhex(each["bytes"]))
        assert len(found) == int(each["bundles"])
        for data in found:
            if data.hex() != OLDER:
                check_comes_back(each["isa"], data)


def test_relocations_are_those_of_the_vendor() -> None:
    assert len(RELOCATED) == 2
    for each in RELOCATED:
        code = codec(each["isa"])
        relocation = Relocation(int(each["number"]), 0, "f")
        found = code.relocated(bytes.fromhex(each["before"]), relocation, int(each["value"]))
        assert found.hex() == each["after"]


@pytest.mark.parametrize("isa", NAMES)
def test_every_form_has_a_word(isa: str) -> None:
    code = codec(isa)
    assert isinstance(code, AieMachineCode)
    assert [spec.syntax for spec in specs_of(isa) if code.pattern_of(spec) is None] == []


def random_bundles(isa: str, spec: InstructionSpec, rng: random.Random) -> bytes:
    """The smallest bundle with a random word of a form; the first that has all its registers."""
    code = codec(isa)
    assert isinstance(code, AieMachineCode)
    pattern = code.pattern_of(spec)
    assert pattern is not None
    for _ in count():
        values = {letter: rng.getrandbits(width) for letter, width in pattern.widths.items()}
        data = code.bundle_of({spec.slot: pattern.insert(values)})
        unit = code.decode(data)
        if unit is not None and any(each.form is spec for each in unit.instructions):
            return data
    raise AssertionError


@pytest.mark.parametrize("isa", NAMES)
def test_random_words_of_every_form_come_back(isa: str) -> None:
    rng = random.Random(29)
    specs = specs_of(isa)
    assert len(specs) > 600
    for spec in specs:
        check_comes_back(isa, random_bundles(isa, spec, rng))


@pytest.mark.parametrize("isa", NAMES)
def test_of_some_hundred_forms_few_are_compared_with_a_word(isa: str) -> None:
    machine_code = codec(isa)
    assert isinstance(machine_code, AieMachineCode)
    generator = random.Random(1)
    for codes in machine_code.tables.codes_of_slot.values():
        forms = codes.codes
        words = [generator.getrandbits(forms[0].pattern.width) for _ in range(300)]
        assert sum(len(codes.candidates(word)) for word in words) <= len(words) * 16
        for word in words:
            matching = [code for code in forms if code.pattern.matches(word)]
            found = [code for code in codes.candidates(word) if code.pattern.matches(word)]
            assert found == matching


@pytest.mark.parametrize("isa", NAMES)
def test_random_bytes_never_fail(isa: str) -> None:
    rng = random.Random(7)
    for size in range(1, 17):
        for _ in range(50):
            found = codec(isa).decode(rng.randbytes(size))
            assert found is None or found.size <= size


@pytest.mark.parametrize(
    ("isa", "text", "kind"),
    [("xdna1", "j #f", 1), ("xdna1", "movxm p0, #data+4; nopa", 44), ("xdna2", "jl #f", 1)],
)
def test_the_address_of_a_symbol_is_left_to_the_linker(isa: str, text: str, kind: int) -> None:
    found = encoded(isa, text)
    assert isinstance(found, CodeUnit)
    assert [each.kind for each in found.relocations] == [kind]
    unit = codec(isa).decode(found.data, 0, found.relocations)
    assert unit is not None
    assert text.partition(";")[0] in text_of(unit)


@pytest.mark.parametrize(
    ("isa", "text", "part"),
    [
        ("xdna1", "lda r0, [p0, #offset]", "the linker cannot fill this field"),
        ("xdna1", "j #0x100000", "an address of code has 20 bits"),
        ("xdna1", "mov crX, r0", "whose number is not known"),
        ("xdna2", "mac r0, r1, r2, r3", "one field in the word"),
    ],
)
def test_what_no_word_holds_is_told(isa: str, text: str, part: str) -> None:
    found = encoded(isa, text)
    assert isinstance(found, EncodingProblem)
    assert part in found.finding.message


def test_the_fill_of_a_gap_is_that_of_the_vendor() -> None:
    assert [unit.hex() for unit in codec("xdna1").fill(18)] == ["c003" + "00" * 14, "0100"]
    assert [len(unit) for unit in codec("xdna2").fill(37)] == [1, 16, 16, 4]


def test_the_smallest_bundle_is_taken() -> None:
    sizes = {"nop": 2, "nopx": 4, "nopxm": 6, "nopa; nopb; nops; nopxm; nopv": 16}
    for text, size in sizes.items():
        found: Any = encoded("xdna1", text)
        assert len(found.data) == size
