"""EdgeNPU words become a text that assembles to the same words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.assembler.encode import assemble, disassemble
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.targets.edgenpu.instruction_spec import INSTRUCTION_SPEC

SPECS = tuple(load_isa("edgenpu").instructions.values())
CONV = "CONV AB[1], AB[0], WB[0]"


def check_round_trip(text: str, *lines: str) -> None:
    """The text's words are disassembled to a text of the same words, with just these lines if any
    are given."""
    words = assemble(text, "edgenpu")
    again = disassemble(words, "edgenpu")
    assert assemble(again, "edgenpu") == words
    if lines:
        assert again.splitlines() == list(lines)


@st.composite
def instructions(draw: st.DrawFn) -> str:
    """An instruction with any operands, written as the operand types format them."""
    spec: InstructionSpec = draw(st.sampled_from(SPECS))
    operands = []
    for operand in spec.operands:
        if operand.optional and draw(st.booleans()):
            continue
        bits = draw(st.integers(0, (1 << operand.type.width) - 1))
        value = operand.type.decode(bits)
        if value is not None:
            keyword = f"{operand.keyword}=" if operand.keyword else ""
            operands.append(keyword + operand.type.format(value))
        elif not operand.optional:
            operands.append(operand.type.format(bits & 1))
    return f"{spec.mnemonic} {', '.join(operands)}"


@given(st.lists(instructions(), min_size=1, max_size=20))
def test_random_programs_come_back(lines: list[str]) -> None:
    check_round_trip("\n".join(lines))


@pytest.mark.parametrize("mnemonic", INSTRUCTION_SPEC["main"])
def test_the_example_of_each_instruction_assembles_and_comes_back(mnemonic: str) -> None:
    example = INSTRUCTION_SPEC["main"][mnemonic]["doc"].example
    assert mnemonic in example
    check_round_trip(example)


def test_operands_that_have_their_default_are_left_out() -> None:
    check_round_trip(f"{CONV}, 0, desc=0", CONV)
    check_round_trip(f"{CONV}, desc=0x10", f"{CONV}, desc=0x10")
    check_round_trip("NOP 0", "NOP")
    check_round_trip("POOL AB[1], AB[0], MAX, kernel=0x0", "POOL AB[1], AB[0]")


def test_a_barrier_after_no_flags_stays_a_barrier() -> None:
    check_round_trip("SYNC 3")
    check_round_trip("SYNC IRQ, 3", "SYNC IRQ, 3")


def test_values_come_back_in_the_notation_of_the_reference() -> None:
    check_round_trip("load wb[0], 2147483648, 0x4000", "LOAD WB, 0x80000000, 16384")
    check_round_trip("store 0x10000, ab[0x10], 4", "STORE 0x00010000, AB[16], 4")
    check_round_trip("sync irq|wait_dma", "SYNC WAIT_DMA | IRQ")
    check_round_trip("split ab[1], ab[2], ab[3], 1", "SPLIT AB[1], AB[2], AB[3], axis=1")


def test_labels_come_back_as_the_numbers_they_stand_for() -> None:
    check_round_trip(f"NOP\nhere: {CONV}, desc=here", "NOP", f"{CONV}, desc=0x1")
