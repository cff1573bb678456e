"""EdgeNPU programs and the words that they are."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import assemble, encode
from ipu_asm.diagnostics import Severity
from ipu_asm.isa import load_isa
from ipu_asm.targets.edgenpu.instruction_spec import INSTRUCTION_SPEC
from tests.targets.edgenpu.document import PROGRAM

# The reference prints example 1 with SRC0 and SRC1 swapped against its own table of fields; what it
# describes in words is the word on the right.
PUBLISHED_CONVOLUTION = 0x1100_0001_0000_1000
DESCRIBED_CONVOLUTION = 0x1100_0100_0000_1000

# Every way to write every instruction, with its word: opcode, flags, DST, SRC0, SRC1, immediate.
FORMS = [
    ("NOP", 0x0000_0000_0000_0000),
    ("NOP 100", 0x0000_0000_0000_0064),
    ("NOP 4294967295", 0x0000_0000_FFFF_FFFF),
    ("CONV AB[255], AB[2], WB[3]", 0x10FF_0203_0000_0000),
    ("CONV AB[1], AB[2], WB[3], RELU", 0x1101_0203_0000_0000),
    ("CONV AB[1], AB[2], WB[3], RELU | BIAS | RESIDUAL", 0x1701_0203_0000_0000),
    ("CONV AB[1], AB[2], WB[3], desc=0xFFFFFFFF", 0x1001_0203_FFFF_FFFF),
    ("CONV AB[1], AB[2], WB[3], BIAS, desc=0x1000", 0x1201_0203_0000_1000),
    ("CONV AB[1], AB[2], WB[3], desc=0x1000, BIAS", 0x1201_0203_0000_1000),
    ("CONV AB[1], AB[2], WB[3], BIAS, 0x1000", 0x1201_0203_0000_1000),
    ("CONV AB[1], AB[2], WB[3], 0x1000", 0x1001_0203_0000_1000),
    ("FC AB[1], AB[2], WB[3]", 0x2001_0203_0000_0000),
    ("FC AB[1], AB[2], WB[3], RELU, in=512, out=10", 0x2101_0203_000A_0200),
    ("FC AB[1], AB[2], WB[3], out=65535", 0x2001_0203_FFFF_0000),
    ("POOL AB[1], AB[2]", 0x3001_0200_0000_0000),
    ("POOL AB[1], AB[2], MAX", 0x3001_0200_0000_0000),
    ("POOL AB[1], AB[2], AVG", 0x3001_0200_0000_0001),
    ("POOL AB[1], AB[2], GLOBAL", 0x3001_0200_0000_0002),
    ("POOL AB[1], AB[2], kernel=2x3", 0x3001_0200_0000_00C8),
    ("POOL AB[1], AB[2], AVG, kernel=15x15, stride=1x2", 0x3001_0200_0000_87FD),
    ("ACT AB[1], AB[2]", 0x4001_0200_0000_0000),
    ("ACT AB[1], AB[2], NONE", 0x4001_0200_0000_0000),
    ("ACT AB[1], AB[2], RELU", 0x4001_0200_0000_0001),
    ("ACT AB[1], AB[2], RELU6", 0x4001_0200_0000_0002),
    ("ACT AB[1], AB[2], SIGMOID", 0x4001_0200_0000_0003),
    ("ACT AB[1], AB[2], TANH", 0x4001_0200_0000_0004),
    ("ACT AB[1], AB[2], SWISH", 0x4001_0200_0000_0005),
    ("ACT AB[1], AB[2], GELU", 0x4001_0200_0000_0006),
    ("LOAD WB, 0, 0", 0x5000_0000_0000_0000),
    ("LOAD AB, 0xFFFF0000, 0xFFFFFF", 0x5001_FFFF_00FF_FFFF),
    ("LOAD WB[0], 0x80000000, 4", 0x5000_8000_0000_0004),
    ("LOAD AB[0], 0x80000000, 4", 0x5001_8000_0000_0004),
    ("LOAD WB, 0x12340000, 4, 2D", 0x5100_1234_0000_0004),
    ("LOAD WB, 0x12340000, 4, ASYNC", 0x5200_1234_0000_0004),
    ("LOAD WB, 0x12340000, 4, ASYNC | 2D", 0x5300_1234_0000_0004),
    ("STORE 0x12340000, AB[7], 4", 0x6007_1234_0000_0004),
    ("SYNC", 0x7000_0000_0000_0000),
    ("SYNC WAIT_DMA", 0x7100_0000_0000_0000),
    ("SYNC WAIT_COMPUTE", 0x7200_0000_0000_0000),
    ("SYNC IRQ", 0x7400_0000_0000_0000),
    ("SYNC IRQ | WAIT_DMA | WAIT_COMPUTE", 0x7700_0000_0000_0000),
    ("SYNC 3", 0x7000_0000_0000_0003),
    ("SYNC IRQ, 3", 0x7400_0000_0000_0003),
    ("SYNC 3, IRQ", 0x7400_0000_0000_0003),
    ("ADD AB[1], AB[2], AB[3]", 0x8001_0203_0000_0000),
    ("MUL AB[1], AB[2], AB[3]", 0x9001_0203_0000_0000),
    ("CONCAT AB[1], AB[2], AB[3]", 0xA001_0203_0000_0000),
    ("CONCAT AB[1], AB[2], AB[3], 3", 0xA001_0203_0000_0003),
    ("CONCAT AB[1], AB[2], AB[3], axis=3", 0xA001_0203_0000_0003),
    ("CONCAT AB[1], AB[2], AB[3], axis=1, sizes=16383x65535", 0xA001_0203_FFFF_FFFD),
    ("CONCAT AB[1], AB[2], AB[3], sizes=1x2", 0xA001_0203_0002_0004),
    ("SPLIT AB[1], AB[3], AB[2]", 0xB001_0203_0000_0000),
    ("SPLIT AB[1], AB[3], AB[2], 2", 0xB001_0203_0000_0002),
    ("SPLIT AB[1], AB[3], AB[2], axis=2", 0xB001_0203_0000_0002),
]


def check_words(text: str, *words: int) -> None:
    """The text is these words and has no error, and the analyzer says the same."""
    analysis = Analyzer(load_isa("edgenpu")).analyze(text)
    assert [f for f in analysis.diagnostics if f.severity is Severity.ERROR] == []
    assert assemble(text, "edgenpu") == list(words)
    assert encode(analysis.program) == list(words)


def test_the_program_of_the_reference_assembles() -> None:
    check_words(
        PROGRAM,
        0x5000_8000_0001_0000,
        0x7100_0000_0000_0000,
        0x5001_8001_0000_4000,
        0x7100_0000_0000_0000,
        0x1101_0000_0000_0000,
        0x7200_0000_0000_0000,
        0x6001_8002_0000_4000,
        0x7500_0000_0000_0000,
        0x0000_0000_0000_0000,
    )


def test_the_second_encoding_example_is_exact() -> None:
    check_words("LOAD WB, 0x80000000, 16384", 0x5000_8000_0000_4000)


def test_the_first_encoding_example_follows_the_field_table_not_the_published_digits() -> None:
    check_words("CONV AB[0], AB[1], WB[0], RELU, desc=0x1000", DESCRIBED_CONVOLUTION)
    check_words("CONV AB[0], AB[0], WB[1], RELU, desc=0x1000", PUBLISHED_CONVOLUTION)


@pytest.mark.parametrize(("text", "word"), FORMS)
def test_every_form_of_every_instruction_has_its_word(text: str, word: int) -> None:
    check_words(text, word)


def test_every_mnemonic_has_a_form_above() -> None:
    assert {text.split()[0] for text, _ in FORMS} == set(INSTRUCTION_SPEC["main"])


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("conv ab[1], Ab[0], wb[0], relu | Bias, DESC=0x10", 0x1301_0000_0000_0010),
        ("Load wb, 0X80000000, 0b100, 2d | async", 0x5300_8000_0000_0004),
        ("pool AB[1], AB[0], avg, Kernel=1X2", 0x3001_0000_0000_0085),
        ("act AB[1], AB[0], gelu", 0x4001_0000_0000_0006),
    ],
)
def test_only_labels_are_case_sensitive(text: str, word: int) -> None:
    check_words(text, word)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("ADD AB[1],AB[2],AB[3]", 0x8001_0203_0000_0000),
        ("\tADD\tAB [ 1 ] , AB[ 2],AB[3 ] ; comment, with: marks = | [", 0x8001_0203_0000_0000),
        ("ADD AB[0x1], AB[0b10], AB[0o3]", 0x8001_0203_0000_0000),
        ("SYNC WAIT_DMA|IRQ", 0x7500_0000_0000_0000),
        ("POOL AB[1], AB[0], kernel = 1x2", 0x3001_0000_0000_0084),
        ("NOP 1_000", 0x0000_0000_0000_03E8),
        ("SYNC IRQ | IRQ", 0x7400_0000_0000_0000),
        ("SYNC 0", 0x7000_0000_0000_0000),
        ("\ufeffNOP 7", 0x0000_0000_0000_0007),
    ],
)
def test_blanks_and_notations_make_no_difference(text: str, word: int) -> None:
    check_words(text, word)


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_every_line_break_of_the_editor_ends_an_instruction(line_break: str) -> None:
    lines = ["NOP 1", "", "; nothing", "NOP 2 ; two", "", "NOP 3"]
    check_words(line_break.join(lines), 1, 2, 3)
    check_words(line_break.join([*lines, ""]), 1, 2, 3)


def test_a_label_alone_on_its_line_names_the_next_instruction() -> None:
    check_words("NOP 5\n\nhere:\n\n ; comment\nthere: NOP here\nNOP there\n", 5, 1, 1)


def test_a_label_may_stand_for_the_end_of_the_program() -> None:
    check_words("NOP end\nNOP\nend:", 2, 0)


def test_a_label_can_be_a_descriptor_with_and_without_its_keyword() -> None:
    conv = "CONV AB[1], AB[0], WB[0]"
    check_words(f"{conv}, desc=params\nparams: NOP", 0x1001_0000_0000_0001, 0)
    check_words(f"{conv}, RELU, params\nparams: NOP", 0x1101_0000_0000_0001, 0)


def test_labels_that_nothing_refers_to_are_no_finding() -> None:
    check_words("start:\nlater: NOP", 0)


def test_instruction_memory_holds_2048_instructions() -> None:
    check_words("NOP\n" * 2048, *[0] * 2048)
