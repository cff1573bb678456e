"""The IPU's word, bit by bit, and how it grows with an instruction."""

from __future__ import annotations

from typing import Any

import pytest

from ipu_asm.assembler.encode import assemble, disassemble
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC, InstructionDoc

# Slot, and for each of its places the fields with their highest and lowest bit in the word.
UPPER = """
break | opcode 178:177, LrIdx 176:173, BreakImmediate 172:157
xmem  | opcode 156:154, MultStageReg 153:152, LrIdx 151:148, LrIdx 147:144, CrIdx 143:140
mult  | opcode 139:137, MultStageReg 136:135, """
LOWER = """LrIdx 134:131, LrIdx 130:127, LrIdx 126:123, LrIdx 122:119, CrIdx 118:115, \
AaqRegIdx 114:113
acc   | opcode 112:109, AaqRegIdx 108:107, ElementsInRow 106:105, HorizontalStride 104:102, \
VerticalStride 101:100, LrIdx 99:96
aaq   | opcode 95:94, AggMode 93:93, PostFn 92:91, CrIdx 90:87, AaqRegIdx 86:85
lr    | opcode 84:83, LrIdx 82:79, LcrIdx 78:74, LcrIdx 73:69, Immediate 68:53
lr    | opcode 52:51, LrIdx 50:47, LcrIdx 46:42, LcrIdx 41:37, Immediate 36:21
cond  | opcode 20:18, LrIdx 17:14, LrIdx 13:10, Label 9:0
"""
# The rows above `LOWER` when an instruction in `mult` has three MultStageReg operands.
WIDER_UPPER = """
break | opcode 182:181, LrIdx 180:177, BreakImmediate 176:161
xmem  | opcode 160:158, MultStageReg 157:156, LrIdx 155:152, LrIdx 151:148, CrIdx 147:144
mult  | opcode 143:141, MultStageReg 140:139, MultStageReg 138:137, MultStageReg 136:135, """

OPCODES = {
    "xmem": "str_acc_reg ldr_mult_reg ldr_cyclic_mult_reg ldr_mult_mask_reg xmem_nop "
    "xmem.store_aaq_result",
    "mult": "mult.ee mult.ev mult.ve mult_nop mult.ve.cr mult.ve.aaq",
    "acc": "acc acc.first reset_acc acc_nop acc.add_aaq acc.add_aaq.first acc.max acc.max.first "
    "acc.stride",
    "aaq": "aaq_nop agg aaq",
    "lr": "incr set add sub",
    "cond": "beq bne blt bnz bz b br bkpt",
    "break": "break break.ifeq break_nop",
}

# The entry that the "Adding Instructions" document adds to the slot `mult`.
NEW_INSTRUCTION: dict[str, Any] = {
    "operands": [
        {"name": "dest", "type": "MultStageReg"},
        {"name": "src_a", "type": "MultStageReg", "read": "snapshot"},
        {"name": "src_b", "type": "MultStageReg", "read": "snapshot"},
    ],
    "doc": InstructionDoc(
        title="My New Operation",
        summary="Combines two registers.",
        syntax="my_new_instruction Rd Ra Rb",
        operands=["Rd: Destination", "Ra: First source", "Rb: Second source"],
        operation="Rd = f(Ra, Rb)",
        example="my_new_instruction r0 r1 mem_bypass;;",
    ),
    "execute_fn": "execute_my_new_instruction",
}


def check_layout(isa: Isa, bits: int, layout: str) -> None:
    """The word has that many bits, and its fields are those of the table."""
    assert isa.word_bits == bits, "the word has changed its width: see CONTRIBUTING.md"
    lines = [
        f"{slot.name:<5} | "
        + ", ".join(f"{f.type} {low + f.low + f.width - 1}:{low + f.low}" for f in slot.fields)
        for slot in isa.slots
        for low in slot.lows
    ]
    assert lines == layout.strip().splitlines()


def test_the_word_has_the_layout_of_the_instruction_reference() -> None:
    check_layout(load_isa("ipu"), 179, UPPER + LOWER)
    assert load_isa("ipu").image_bytes == 24


def test_opcodes_are_positions_in_the_lists_of_the_instruction_reference() -> None:
    isa = load_isa("ipu")
    for slot, mnemonics in OPCODES.items():
        opcodes = {spec.mnemonic: spec.opcode for spec in isa.instructions_of(slot)}
        assert opcodes == {name: number for number, name in enumerate(mnemonics.split())}
    assert len(isa.instructions) == sum(len(each.split()) for each in OPCODES.values())


def test_the_instruction_that_the_document_adds_makes_the_word_183_bits_wide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(INSTRUCTION_SPEC["mult"], "my_new_instruction", NEW_INSTRUCTION)
    isa = load_isa("ipu")
    check_layout(isa, 183, WIDER_UPPER + LOWER)
    example = NEW_INSTRUCTION["doc"].example
    words = assemble(example, isa)
    opcode = len(OPCODES["mult"].split())
    assert words[0] >> 135 & 0b111_11_11_11 == opcode << 6 | 0b00_01_10, "r0, r1, mem_bypass"
    assert assemble(disassemble(words, isa), isa) == words


def test_without_the_added_instruction_the_word_is_as_before() -> None:
    assert "my_new_instruction" not in load_isa("ipu").instructions
    check_layout(load_isa("ipu"), 179, UPPER + LOWER)
