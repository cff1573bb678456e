"""The description of EdgeNPU: its opcodes, its fields, and what people read about it."""

from __future__ import annotations

import re

import pytest

from ipu_asm.isa import load_isa
from ipu_asm.reports.pages import instruction_markdown

ISA = load_isa("edgenpu")


def check_page(mnemonic: str, *said: str) -> None:
    """The page that people read about an instruction has all of these texts."""
    page = instruction_markdown(ISA, ISA.instructions[mnemonic])
    assert [text for text in said if text not in page] == []


def test_opcodes_are_those_of_the_reference() -> None:
    assert {spec.opcode: spec.mnemonic for spec in ISA.instructions.values()} == {
        0x0: "NOP",
        0x1: "CONV",
        0x2: "FC",
        0x3: "POOL",
        0x4: "ACT",
        0x5: "LOAD",
        0x6: "STORE",
        0x7: "SYNC",
        0x8: "ADD",
        0x9: "MUL",
        0xA: "CONCAT",
        0xB: "SPLIT",
    }
    for spec in ISA.instructions.values():
        assert spec.opcode_bits == spec.opcode << 60


def test_a_word_has_the_fields_of_the_reference() -> None:
    assert ISA.word_bits == 64
    assert ISA.image_bytes == 8
    assert [(f.type, f.low + f.width - 1, f.low) for f in ISA.slots[0].fields] == [
        ("opcode", 63, 60),
        ("flags", 59, 56),
        ("dst", 55, 48),
        ("src0", 47, 40),
        ("src1", 39, 32),
        ("immediate", 31, 0),
    ]


@pytest.mark.parametrize("mnemonic", ISA.instructions)
def test_no_two_operands_share_a_bit(mnemonic: str) -> None:
    spec = ISA.instructions[mnemonic]
    places = [range(o.low, o.low + o.type.width) for o in spec.operands] + [range(60, 64)]
    bits = [bit for place in places for bit in place]
    assert len(bits) == len(set(bits))


@pytest.mark.parametrize("mnemonic", ISA.instructions)
def test_every_operand_is_documented_under_its_name(mnemonic: str) -> None:
    spec = ISA.instructions[mnemonic]
    names = [line.partition(":")[0] for line in spec.doc.operands]
    assert names == [operand.name for operand in spec.operands]
    check_page(mnemonic, spec.doc.title, spec.doc.summary, *(o.description for o in spec.operands))


@pytest.mark.parametrize("mnemonic", ISA.instructions)
def test_the_syntax_line_has_every_operand_in_its_order(mnemonic: str) -> None:
    spec = ISA.instructions[mnemonic]
    expected = [o.keyword or o.name for o in spec.operands]
    assert re.findall(r"\w+(?==)|(?<![=\w])[a-z]\w*", spec.doc.syntax) == expected


@pytest.mark.parametrize(
    ("mnemonic", "said"),
    [
        ("CONV", "`CONV AB[0], AB[1], WB[0], RELU, desc=0x1000`, encodes as 0x1100010000001000"),
        ("CONV", "it is written `desc=` here, and without it the immediate is 0"),
        ("CONV", "The output buffer is an activation buffer"),
        ("LOAD", "an address must be a multiple of 64 KiB"),
        ("LOAD", "0x5000800000004000, is exactly `LOAD WB, 0x80000000, 0x4000`"),
        ("LOAD", "a target has no number: `WB` or `AB`"),
        ("STORE", "encoded like `LOAD` here, with the number of the source buffer in DST"),
        ("SYNC", "words are flags here, a number is the barrier's"),
        ("FC", "they are written `in=` and `out=` here"),
        ("POOL", "`kernel=HEIGHTxWIDTH` and `stride=HEIGHTxWIDTH` here"),
        ("CONCAT", "they are written `sizes=SIZE0xSIZE1` here"),
        ("NOP", "`NOP n` waits max(1, n) cycles"),
        ("SPLIT", "dst0 is in DST, src in SRC0 and dst1 in SRC1 here"),
    ],
)
def test_a_page_tells_how_a_contradiction_of_the_reference_is_resolved(
    mnemonic: str, said: str
) -> None:
    check_page(mnemonic, said)
