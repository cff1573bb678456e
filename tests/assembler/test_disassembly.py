"""Words become text that assembles to the same words."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ipu_asm import assemble, disassemble, load_isa
from ipu_asm.assembler.encode import encode, errors_of
from ipu_asm.isa.model import Isa
from ipu_asm.program.build import read_program
from tests.programs import example_kernels
from tests.vectors import records, words_of

IPU = load_isa("ipu")
EDGENPU = load_isa("edgenpu")
LABEL_BITS = 10


def check_text(words: list[int], *lines: str) -> None:
    """The text of some words consists of these lines."""
    assert disassemble(words) == "".join(f"{line}\n" for line in lines)


def check_round_trip(words: list[int], isa: Isa = IPU) -> None:
    """The text of some words assembles to them."""
    text = disassemble(words, isa)
    assert assemble(text, isa) == words
    assert disassemble(assemble(text, isa), isa) == text


def field(slot: str, number: int = 0) -> tuple[int, int]:
    """The lowest bit of a place of a slot in the word, and its width."""
    return IPU.slot_by_name[slot].lows[number], IPU.slot_by_name[slot].width


def with_bits(word: int, slot: str, bits: int, number: int = 0) -> int:
    """A word with other bits in a place of a slot."""
    low, width = field(slot, number)
    return (word & ~(((1 << width) - 1) << low)) | bits << low


def test_every_word_of_the_public_programs_comes_back() -> None:
    for record in records("encode"):
        check_round_trip(words_of(record))


@pytest.mark.parametrize("name", sorted(example_kernels()))
def test_the_examples_come_back(name: str) -> None:
    check_round_trip(assemble(example_kernels()[name]))


@st.composite
def instructions(draw: st.DrawFn, slot: str, size: int) -> str:
    """An instruction of a slot as text; branches go into a program of `size` bundles or not far."""
    spec = draw(st.sampled_from(IPU.instructions_of(slot)))
    operands = []
    for operand in spec.operands:
        if operand.type.width == LABEL_BITS:
            operands.append(f"+{draw(st.integers(0, size))}")
        else:
            bits = st.integers(0, (1 << operand.type.width) - 1)
            values = bits.map(operand.type.decode).filter(lambda value: value is not None)
            value = draw(values)
            assert value is not None
            operands.append(operand.type.format(value))
    return " ".join([spec.mnemonic, *operands])


@st.composite
def programs(draw: st.DrawFn) -> list[int]:
    """The words of a random program."""
    size = draw(st.integers(1, 6))
    places = [slot for slot in IPU.slots for _ in slot.lows]
    bundles = []
    for _ in range(size):
        numbers = draw(st.sets(st.integers(0, len(places) - 1), min_size=1))
        slots = draw(st.permutations([places[number].name for number in sorted(numbers)]))
        bundles.append("; ".join(draw(instructions(slot, size)) for slot in slots))
    program = read_program(IPU, ";;\n".join(bundles) + ";;")
    refused = {finding.name for finding in errors_of(program)}
    assert refused <= {"lr-write-conflict"}
    assume(not refused)
    return encode(program)


@given(programs())
def test_random_programs_come_back(words: list[int]) -> None:
    check_round_trip(words)


@st.composite
def edgenpu_words(draw: st.DrawFn) -> int:
    """A word of an instruction set without bundles whose fields all stand for something."""
    spec = draw(st.sampled_from(list(EDGENPU.instructions.values())))
    word = spec.opcode_bits
    for operand in spec.operands:
        bits = draw(st.integers(0, (1 << operand.type.width) - 1) | st.integers(0, 15))
        value = operand.type.decode(bits)
        assume(value is not None and operand.type.encode(value) == bits)
        word |= bits << operand.low
    return word


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.lists(edgenpu_words(), min_size=1, max_size=4))
def test_random_words_of_another_set_come_back(words: list[int]) -> None:
    check_round_trip(words, EDGENPU)


def test_bits_that_another_set_does_not_use_are_told_in_its_own_comments() -> None:
    text = "ADD AB[0], AB[0], AB[0]  ; `ADD`: unused bits 0x5 are set\n"
    assert disassemble([0x8000000000000005], EDGENPU) == text


@given(st.lists(st.integers(0, (1 << IPU.word_bits) - 1), max_size=5))
def test_any_bits_give_a_line_a_word(words: list[int]) -> None:
    lines = disassemble(words).splitlines()
    assert len(lines) == len(words)
    for line in lines:
        assert ";;" in line


def test_slots_that_hold_their_default_are_left_out() -> None:
    check_text(assemble("acc.first;;"), "acc.first;;")


def test_a_bundle_of_defaults_has_one_no_op() -> None:
    check_text(assemble("xmem_nop; mult_nop; aaq_nop; incr lr0 0; b +1;;"), "acc_nop;;")


def test_the_first_place_is_written_where_the_second_is_named() -> None:
    check_text(assemble("incr lr0 0; set lr5 7;;"), "incr lr0 0; set lr5 7;;")
    check_text(assemble("set lr5 7; incr lr0 0;;"), "set lr5 7;;")


def test_a_target_in_the_program_has_a_label_and_one_outside_a_distance() -> None:
    check_text(
        assemble("start: b +9;;\nacc;;\nbne lr1 lr2 start; acc.first;;\nb -1;;"),
        "L0: b +9;;",
        "    acc;;",
        "L2: acc.first; bne lr1 lr2 L0;;",
        "    b L2;;",
    )


def test_instructions_stand_in_a_column_of_their_own() -> None:
    lines = disassemble(assemble("acc;;\n" * 11 + "x: acc;;\ny: acc; b y;;\nb x;;")).splitlines()
    assert lines[0] == "     acc;;"
    assert lines[11:] == ["L11: acc;;", "L12: acc; b L12;;", "     b L11;;"]


def test_an_opcode_past_the_list_is_invalid() -> None:
    word = with_bits(assemble("acc.first;;")[0], "aaq", 3 << field("aaq")[1] - 2)
    check_text([word], "acc.first; <invalid>;;  # aaq: opcode 3 stands for no instruction")


def test_a_field_that_stands_for_nothing_is_invalid() -> None:
    word = assemble("ldr_mult_reg r0 lr1 cr2;;")[0]
    low = field("xmem")[0] + IPU.instructions["ldr_mult_reg"].operands[0].low
    check_text([word | 3 << low], "ldr_mult_reg <invalid> lr1 cr2;;  # `dest`: nothing is 3")


def test_bits_in_unused_fields_are_told() -> None:
    word = assemble("acc;;")[0] | 1 << field("acc")[0]
    check_text([word], "acc;;  # `acc`: unused bits 0x1 are set")


def test_words_that_the_assembler_refuses_say_why() -> None:
    bits = assemble("set lr3 6;;")[0] >> field("lr", 0)[0] & (1 << field("lr")[1]) - 1
    word = with_bits(assemble("set lr3 5;;")[0], "lr", bits, 1)
    check_text(
        [word],
        "set lr3 5; set lr3 6;;  # cannot be assembled: a bundle may write a loop register once, "
        "found a second write of `lr3`",
    )


def test_no_words_are_no_text() -> None:
    check_text([])


@pytest.mark.parametrize("word", [-1, 1 << IPU.word_bits])
def test_a_number_that_is_no_word_is_refused(word: int) -> None:
    with pytest.raises(ValueError, match=r"^a word has 179 bits, found \S+ at 1$"):
        disassemble([0, word])
