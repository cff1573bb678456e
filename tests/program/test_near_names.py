"""Where a header is missing, a name near to a known one is misspelt, any other may be defined."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Applicability
from ipu_asm.isa import load_isa
from ipu_asm.text import apply_edits

ANALYZER = Analyzer(load_isa("colossus"))
HEAD = """\
#include "missing.h"
#define mPointer m3
#define in_0 m4
#define OFFSET_OF_SIZE 4
#define X_SIZE 4
.set VERTEX_SIZE, 8
.equ WORD_COUNT, 3
.macro twice a
add $m1, $m1, \\a
.endm
MainLoop:
"""


def check_findings(text: str) -> list[tuple[str, str]]:
    """The codes of errors with the texts that they are about, in a text with a missing header."""
    whole = HEAD + text
    findings = ANALYZER.analyze(whole, "a.S").diagnostics
    return [
        (finding.code, whole[finding.span.start : finding.span.end])
        for finding in findings
        if finding.code != "H103"
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("adn $m1, $m1, $m2", ("E101", "adn")),
        ("tiwce 1", ("E101", "tiwce")),
        ("add $m1, $mPiointer, 1", ("E104", "$mPiointer")),
        ("add $m1, $mPointers, 1", ("E104", "$mPointers")),
        ("add $m1, $in_i, 1", ("E104", "$in_i")),
        ("add $m1, $m1, OFFSET_FO_SIZE", ("E104", "OFFSET_FO_SIZE")),
        ("ld32 $m1, $m1, $mzero, OFFSET_OF_SIZ/4", ("E104", "OFFSET_OF_SIZ")),
        ("bri MianLoop", ("E301", "MianLoop")),
        ("bri MianLopo", ("E301", "MianLopo")),
        ("add $m1, $mPionterr, 1", ("E104", "$mPionterr")),
        ("add $m1, $m1, OFFSTE_FO_SIZE", ("E104", "OFFSTE_FO_SIZE")),
        ("add $m1, $m1, WORD_CONUTS", ("E104", "WORD_CONUTS")),
        ("setzi $m1, VERTXE_SZIE * 4", ("E104", "VERTXE_SZIE")),
        ("bri MainLoop, MainLoop", ("E103", "MainLoop")),
        ("brnzdec UNKNOWN", ("E102", "brnzdec")),
        (".word 4, VERTEX_SZIE+1", ("E104", "VERTEX_SZIE")),
        (".space WORD_CONUT", ("E104", "WORD_CONUT")),
        (".if VERTXE_SIZE > 4\nnop\n.endif", ("E104", "VERTXE_SIZE")),
    ],
)
def test_a_misspelt_name_is_found(line: str, expected: tuple[str, str]) -> None:
    assert check_findings(line) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        "SAVE_ALL $m1",
        "add $m1, $mBase, 1",
        "add $m1, $m1, SIZE_OF_VERTEX",
        "bri elsewhere",
        "add $m1, $m1, OFFSET_OF_SIZE",
        "add $m1, $m1, OFFSET_OF_SIZE2",
        "add $m1, $mPointer1, 1",
        "add $m1, $m1, OFFSET_OF_SIZES",
        "add $m1, $m1, Y_SIZE",
        "add $m1, $in_1, 1",
        # Two other letters, more than two mistakes, another number.
        "add $m1, $mPainler, 1",
        "add $m1, $m1, OFSTE_FO_SIZE",
        "add $m1, $s_mPointer, 1",
        "add $m1, $m1, OFFSTE_FO_SIZE2",
        # A name that is written twice is no slip.
        "add $m1, $mPoinger, 1\nadd $m1, $mPoinger, 2",
        # Nor is one that differs in whole words that other names have.
        "ld32 $m2, $mzero, $ROW_OFFSET\nadd $m1, $m1, OFFSET_ROW_SIZE\nadd $m1, $m1, OFFSET_OF_ROW",
        "#define dataB1i1 a2\n#define dataB2i2 a4\nzero $data1i1",
    ],
)
def test_a_name_that_the_missing_header_may_define_is_silent(line: str) -> None:
    assert check_findings(line) == []


def test_a_misspelt_name_in_a_macro_is_found_called_or_not() -> None:
    macro = ".macro m\nadd $m1, $mPointre, 1\nadn $m1, $m1, $m2\n.endm\n"
    expected = [("E104", "$mPointre"), ("E101", "adn")]
    assert check_findings(macro) == expected
    assert check_findings(f"{macro}m\nm\n") == expected


@pytest.mark.parametrize(
    "edited",
    [
        "#define mPiointer m4",
        ".extern mPiointer",
        "mPiointer:",
        ".macro adn\nnop\n.endm",
        "add $m1, $mPiointer, 2",
        "#define mPointers m4\nadd $m1, $mPointer, $mPointesr",
        "#define otherNmae m4",
        "nop\nnop",
    ],
)
def test_an_edit_elsewhere_says_which_names_are_misspelt(edited: str) -> None:
    rest = "add $m1, $mPiointer, 1\nadd $m1, $m1, otherName\nadn $m1, $m1, $m2\n"
    texts = [f"{HEAD}{line}\n{rest}" for line in ("", edited)]
    before = ANALYZER.analyze(texts[0], "a.S")
    after = ANALYZER.analyze(texts[1], "a.S", before)
    assert after.diagnostics == Analyzer(ANALYZER.isa).analyze(texts[1], "a.S").diagnostics
    back = ANALYZER.analyze(texts[0], "a.S", after)
    assert back.diagnostics == before.diagnostics != ()


def test_a_call_near_a_macro_of_the_preprocessor_is_misspelt() -> None:
    text = "#define INCREMENT(r) add r, r, 1\nINCREMNT($m3)\nINCREMENT($m3)\nOTHER($m3)\n"
    assert check_findings(text) == [("E101", "INCREMNT")]


@pytest.mark.parametrize(
    ("line", "replaced"),
    [
        ("add $m1, $mPiointer, 1", "add $m1, $mPointer, 1"),
        ("add $m1, $m1, OFFSTE_FO_SIZE", "add $m1, $m1, OFFSET_OF_SIZE"),
        ("setzi $m1, (VERTXE_SIZE * 4)", "setzi $m1, (VERTEX_SIZE * 4)"),
        ("bri MianLopo", "bri MainLoop"),
        ("tiwce 1", "twice 1"),
    ],
)
def test_the_name_that_is_meant_is_offered(line: str, replaced: str) -> None:
    text = HEAD + line
    (finding,) = [f for f in ANALYZER.analyze(text, "a.S").diagnostics if f.code != "H103"]
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.DISPLAY
    assert apply_edits(text, finding.fix.edits) == HEAD + replaced


def test_of_two_names_that_may_be_meant_both_are_named_and_none_is_offered() -> None:
    text = HEAD + "#define TABLE_HIGH 1\n#define TABLE_NIGH 2\nadd $m1, $m1, TABLE_BIGH"
    (finding,) = [f for f in ANALYZER.analyze(text, "a.S").diagnostics if f.code != "H103"]
    assert finding.message.endswith("did you mean `TABLE_HIGH` or `TABLE_NIGH`?")
    assert finding.fix is None


def test_of_two_names_at_two_letters_none_is_meant() -> None:
    two = "#define TABLE_STRAT 1\n#define TABLE_STRAP 2\nadd $m1, $m1, TABEL_STRAR"
    assert check_findings(two) == []
    assert check_findings(two.replace("STRAP", "OTHER")) == [("E104", "TABEL_STRAR")]
