"""Mistakes in macros, arguments and loops are found where the author wrote them."""

from __future__ import annotations

import pytest

from ipu_asm import AssemblyError, assemble
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa import load_isa

ANALYZER = Analyzer(load_isa("colossus"))
SAVE = """\
.macro save reg, off=4, who:req // stores a register
    st32 $\\reg, $m0, $mzero, \\off
    .ifc \\who, me
    add $m1, $m1, \\off
    .endif
.endm
"""


def said(finding: Diagnostic, text: str) -> tuple[str, str]:
    return finding.code, text[finding.span.start : finding.span.end]


def check_findings(text: str) -> list[tuple[str, str]]:
    """The codes of all findings with the written texts that they are about."""
    return [said(finding, text) for finding in ANALYZER.analyze(text, "a.S").diagnostics]


def related(text: str) -> list[tuple[str, str]]:
    """The related places of the only finding, as messages with texts."""
    (finding,) = ANALYZER.analyze(text, "a.S").diagnostics
    return [(message, text[span.start : span.end]) for span, message, _ in finding.related]


def test_correct_calls_have_no_finding() -> None:
    assert check_findings(f"{SAVE}save m4, who=me\nsave m5 8 you\nsave reg=m1, who=me") == []


def test_a_wrong_argument_is_found_at_the_call_with_the_way_there() -> None:
    text = f"{SAVE}save m4, who=me\nsave q9, who=me"
    assert check_findings(text) == [("E104", "q9")]
    assert related(text) == [
        ("value of `reg` is defined here", "reg"),
        ("in value of `reg`", "\\reg"),
        ("macro `save` is defined here", "save"),
        ("in macro `save`", "save q9, who=me"),
    ]


def test_a_mistake_in_a_macro_is_found_once_at_its_line() -> None:
    text = ".macro m a\nadd $m1, $m1, bogus\n.endm\nm 1\nm 2\n"
    assert check_findings(text) == [("E104", "bogus")]


def test_a_wrong_default_is_found_in_the_definition() -> None:
    assert check_findings(".macro m r=q7\nmov $m0, $\\r\n.endm\nm\nm m1") == [("E104", "q7")]


def test_a_mistake_in_one_iteration_is_found_at_its_value() -> None:
    text = ".irp r, m1, m2, q3\nmov $m0, $\\r\n.endr"
    assert check_findings(text) == [("E104", "q3")]
    assert related(text)[-1] == ("in for r = q3", ".irp r, m1, m2, q3")


def test_a_mistake_in_a_repetition_is_found_once() -> None:
    assert check_findings(".set N, 2\n.rept N + 1\nbogus $m0\n.endr") == [("E101", "bogus")]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("save m1", ("E102", "save")),
        ("save m1, m2, m3, m4", ("E103", "m4")),
        ("save m1, whom=me", ("E105", "whom")),
    ],
)
def test_a_call_that_does_not_fit_the_parameters_is_found(
    call: str, expected: tuple[str, str]
) -> None:
    assert check_findings(f"{SAVE}{call}") == [expected]


def test_a_mistake_in_a_macro_that_is_never_called_is_found() -> None:
    assert check_findings(".macro m a\nadd $m1, $m99, 1\nadd $m1\n.endm") == [
        ("E104", "$m99"),
        ("E102", "add"),
    ]


def test_a_mistake_in_a_branch_that_is_never_taken_is_found() -> None:
    text = ".macro m a\n.if \\a\nadd $m1, $m99, 1\n.else\nnop\n.endif\n.endm\nm 0"
    assert check_findings(text) == [("E104", "$m99")]


def test_a_second_macro_of_a_name_is_found_with_the_first_one() -> None:
    text = ".macro STEP\nnop\n.endm\n.macro STEP x\nfnop\n.endm\nSTEP\n"
    assert ("E001", "STEP") in check_findings(text)
    finding = ANALYZER.analyze(text, "a.S").diagnostics[0]
    assert finding.span.start == text.rindex("STEP x")
    assert [(place.span.start, place.message) for place in finding.related] == [
        (text.index("STEP"), "`STEP` is defined here first")
    ]


@pytest.mark.parametrize(
    "text",
    [
        ".macro m\nnop\n.endm\n.purgem m\n.macro m\nfnop\n.endm\nm\n",
        ".macro m\nnop\n.endm\n.macro M\nfnop\n.endm\nm\nM\n",
        ".if 1\n.macro m\nnop\n.endm\n.else\n.macro m\nfnop\n.endm\n.endif\nm\n",
        "a:\n.if a - f\n.macro m\nnop\n.endm\n.else\n.macro m\nfnop\n.endm\n.endif\nm\nf:\n",
        "#ifdef A\n.macro m\nnop\n.endm\n#else\n.macro m\nfnop\n.endm\n#endif\nm\n",
    ],
)
def test_a_macro_that_may_be_the_only_one_of_its_name_is_silent(text: str) -> None:
    assert check_findings(text) == []


def test_both_branches_of_an_unknown_condition_are_read_silently() -> None:
    assert check_findings(".if . - 4\nx: nop\n.else\nx: nop\n.endif") == []


def test_a_macro_of_a_branch_that_may_not_be_assembled_is_opaque() -> None:
    text = ".if . - 4\n.macro m\nnop\n.endm\n.else\n.macro m a\nnop\n.endm\n.endif\nm 1, 2, 3"
    assert check_findings(text) == []


def test_a_call_of_an_unknown_macro_is_silent_where_a_header_is_missing() -> None:
    text = '#include "a.h"\nSAVE_ALL $m0, x\nnop'
    assert check_findings(text) == [("H103", '"a.h"')]


@pytest.mark.parametrize(
    "bomb",
    [
        ".rept 1000000000\nnop\n.endr",
        ".rept 100000\n.rept 100000\nnop\n.endr\n.endr",
        ".macro down\ndown\n.endm\ndown",
        ".macro twice\ntwice\ntwice\n.endm\ntwice",
        ".macro grow a\ngrow \\a\\a\\a\\a\\a\\a\\a\\a\n.endm\ngrow abcdefgh",
        ".macro a\nb\nb\nb\nb\nb\nb\nb\nb\n.endm\n.macro b\nc\nc\nc\nc\nc\nc\nc\n.endm\n.macro c\n"
        "d\nd\nd\nd\nd\nd\nd\nd\n.endm\n.macro d\n.rept 1000\nnop\n.endr\n.endm\na",
    ],
)
def test_an_expansion_without_end_is_one_finding(bomb: str) -> None:
    assert [code for code, _ in check_findings(f"{bomb}\nnop\n")] == ["E403"]


def test_a_finding_about_the_layout_is_dropped_where_another_assumption_lays_it_out() -> None:
    head = '#include "missing.h"\n#ifdef WIDE\n#define PAD nop\n#else\n#define PAD\n#endif\n'
    body = ".align 8\nPAD\n{ rpt 10, 0 ; fnop }\n{ add $m1, $m0, 5 ; fnop }\n"
    assert "C104" not in [code for code, _ in check_findings(head + body)]
    assert "C104" in [code for code, _ in check_findings(head + body.replace("PAD", "nop"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".macro a\nnop\n", ".macro"),
        ("nop\n.endm\nnop", ".endm"),
        (".rept 3\nnop\n", ".rept"),
        (".irp a, 1, 2\nnop\n", ".irp"),
        ("nop\n.endr\nnop", ".endr"),
        (".if 1\nnop\n", ".if"),
        (".if 0\n.ifdef A\nnop\n.endif\n", ".if"),
        (".if . - 4\nnop\n", ".if"),
        ("nop\n.else\nnop", ".else"),
        ("nop\n.else\nnop\n.endif\nnop", ".else"),
        ("nop\n.endif", ".endif"),
        (".macro\nnop\n.endm\nnop", ".macro"),
        (".macro a\nnop\n.endif\n.endm\na\na", ".endif"),
        (".macro a x\n.if \\x\nnop\n.endm\na 1\na 0", ".if"),
        (".rept 2\n.if 1\nnop\n.endr", ".if"),
    ],
)
def test_an_unpaired_directive_is_found_once(text: str, expected: str) -> None:
    assert check_findings(text) == [("E001", expected)]


@pytest.mark.parametrize(
    "text",
    [
        ".macro a\n.macro b\nnop\n.endm\n.endm\na\nb",
        ".macro a\nnop\n.endmacro\na",
        ".irep r, 1, 2\n.irepc d, 12\nnop\n.endr\n.endr",
        ".if . - 4\nnop\n.elseif 1\nnop\n.else\nnop\n.endif",
        ".if 0\n.endm\n.macro a\n.endif\nnop",
        ".macro a x\n.if \\x\n.exitm\n.endif\nnop\n.endm\na 1\na 0",
    ],
)
def test_paired_directives_are_silent(text: str) -> None:
    assert check_findings(text) == []


def test_typing_a_macro_has_at_most_one_finding() -> None:
    typed = ".macro m a\n.if \\a\nadd $m1, $m1, \\a\n.else\nnop\n.endif\n.endm\n"
    starts = [at for at, letter in enumerate(typed, 1) if letter == "\n"]
    for start in starts[:-1]:
        assert check_findings(f"{typed[:start]}add $m1, $m1, 1\nnop\n") == [("E001", ".macro")]
    assert check_findings(f"{typed}m 1\n") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#error no\nnop", ["#error"]),
        ("#if __IPU_ARCH_VERSION__ < 100\n#error\n#endif", ["#error"]),
        ("#ifndef SIZE\n#error define SIZE\n#endif", ["#error"]),
        ("#if __IPU_ARCH_VERSION__ == 21\n#error\n#endif", []),
        ("#ifndef __GNUC__\n#error\n#endif", []),
        ("#if 0\n#error\n#endif", []),
        ('.if 1\n.error "no"\n.endif', [".error"]),
        (".err\nnop", [".err"]),
        (".macro m a\n.if \\a\n.err\n.endif\n.endm\nm 1\nm 1\nm 0", [".err"]),
        (".if . - 4\n.err\n.endif\nnop", []),
    ],
)
def test_an_error_directive_that_is_reached_is_a_hint(text: str, expected: list[str]) -> None:
    assert check_findings(text) == [("H107", word) for word in expected]


def test_a_label_that_a_missing_header_may_name_anew_in_each_call_is_no_duplicate() -> None:
    text = (
        ".macro m\nNAME: exitz $mzero\n.endm\n#define KIND 1\nm\n#undef KIND\n#define KIND 2\nm\n"
    )
    assert check_findings(f'#include "a.h"\n{text}') == [("H103", '"a.h"')]
    assert check_findings(text) == [("E302", "NAME")]
    local = text.replace("NAME", ".Lname")
    assert check_findings(f'#include "a.h"\n{local}') == [("H103", '"a.h"'), ("E302", ".Lname")]


def test_an_error_directive_is_silent_where_a_missing_header_may_decide() -> None:
    errors = "#ifndef SIZE\n#error no\n#endif\n.ifc KIND, float\nnop\n.else\n.err\n.endif"
    assert check_findings(f'#include "a.h"\n{errors}') == [("H103", '"a.h"')]


def test_alternate_macro_syntax_is_a_hint() -> None:
    text = ".altmacro\n.macro m a\nLOCAL b\nadd $m1, $m1, a\n.endm\nm %(1 + 2)\n.noaltmacro\nnop"
    assert check_findings(text) == [("H108", ".altmacro")]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (".macro m a, a\nnop\n.endm\n", "a"),
        (".macro m a:reg\nnop\n.endm\n", "a"),
        (".macro m a:vararg, b\nnop\n.endm\n", "a"),
        (".macro m\nnop\n.endm\n.purgem bogus\n", "bogus"),
        (".if 0\n.else\n.elseif 1\n.endif\n", ".elseif"),
        (".if 1\n.else\n.else\n.endif\n", ".else"),
        (".equiv A, 1\n.equiv A, 2\n", "A"),
        (".set A, 1\nnop\n.equiv A, 2\n", "A"),
        ("nop\n.exitm\n", ".exitm"),
        (".macro m\nnop\n.endm\n.purgem m\n.purgem m\n", "m"),
        ("nop\n.purgem\n", ".purgem"),
        (".irp\nnop\n.endr\n", ".irp"),
        (".irp x\nnop\n.endr\n", ".irp"),
        (".irpc\nnop\n.endr\n", ".irpc"),
        (".ifdef\nnop\n.endif\n", ".ifdef"),
        (".ifndef 5\nnop\n.endif\n", ".ifndef"),
        (".ifdef a b\nnop\n.endif\n", ".ifdef"),
        (".if\nnop\n.endif\n", ".if"),
        (".if 1 2\nnop\n.endif\n", "1 2"),
        (".if N ==\nnop\n.endif\n", "N =="),
        (".if 0\n.elseif\n.endif\n", ".elseif"),
        (".ifc a\nnop\n.endif\n", "a"),
        ('.ifeqs "a"\nnop\n.endif\n', '"a"'),
        (".macro m a\n.if \\a == 1\nnop\n.endif\n.endm\nm\n", "== 1"),
    ],
)
def test_what_an_assembler_refuses_about_macros_is_one_finding(text: str, place: str) -> None:
    assert check_findings(text) == [("E001", place)]


@pytest.mark.parametrize(
    "text",
    [
        ".macro m a:req, b=5, c:vararg\nnop\n.endm\n",
        ".macro m\nnop\n.endm\n.purgem m\n",
        ".macro m\nnop\n.endm\n.purgem m\n.macro m\nnop\n.endm\n.purgem m\n",
        ".macro m\nnop\n.endm\n.purgem m\n.if . - 4\n.macro m\n.endm\n.endif\n.purgem m\n",
        ".set A, 1\n.set A, 2\n.equiv B, 1\n",
        ".irp x,\nnop\n.endr\n.rept 0\nnop\n.endr\n",
        ".macro m a:vararg\n.irp x \\a\nnop\n.endr\n.exitm\n.endm\nm\nm 1\n",
        '.include "missing.inc"\n.purgem far\n',
        '.include "missing.inc"\n.if COUNT 2\n.endif\n.ifc PAIR\n.endif\n',
        ".if 'a' == 97\n.endif\n.if f@abs + 1 > 4\n.endif\n.ifdef \"a b\"\n.endif\n",
        ".if (1f - 0b) / 4 > 2\n.endif\n.if . - f\n.endif\n.ifc ,\n.endif\n.ifb\n.endif\n",
        ".if 1\n.elseif 1\n.else\n.if 0\n.else\n.endif\n.endif\n",
    ],
)
def test_what_an_assembler_takes_about_macros_is_no_syntax_error(text: str) -> None:
    assert "E001" not in [code for code, _ in check_findings(text)]


@pytest.mark.parametrize(
    ("text", "found"), [("-1", "-1"), ("2 3", "2 3"), ("", ".rept"), ("1 - 2", "1 - 2")]
)
def test_a_number_of_repetitions_is_a_number(text: str, found: str) -> None:
    assert check_findings(f".rept {text}\nnop\n.endr\n") == [("E104", found)]


def test_a_number_of_repetitions_may_be_unknown_or_zero() -> None:
    assert check_findings(".rept N + 1\nnop\n.endr\n.rept 0\nnop\n.endr\n") == []


@pytest.mark.parametrize(
    ("text", "surplus"),
    [
        (".macro m p\nnop\n.endm m\nm 1\n", ["m"]),
        (".rept 2\nnop\n.endr 4\n", ["4"]),
        (".if 1\nnop\n.else if\nnop\n.endif x\n", ["if", "x"]),
        (".if 0\n.if 1\n.endif x\n.else y\n.endif z\nnop\n", ["y", "z"]),
        (".if unknown\nnop\n.else x\n.endif\n", ["x"]),
        (".macro m a\n.rept 2\nnop\n.endr \\a\n.endm // end\nm 1\n", ["1"]),
        (".macro m a\n.rept 2\nnop\n.endr \\a\n.endm // end\nm\n", []),
    ],
)
def test_the_assembler_refuses_an_argument_of_an_end_as_the_linter_does(
    text: str, surplus: list[str]
) -> None:
    assert check_findings(text) == [("E103", each) for each in surplus]
    if surplus:
        with pytest.raises(AssemblyError, match="takes no arguments"):
            assemble(text, isa="colossus")
    else:
        assert assemble(text, isa="colossus")
