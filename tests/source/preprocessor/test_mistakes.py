"""Malformed directives and calls of macros: one finding each, at the part that is wrong."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from tests.source.preprocessor.expanding import FILE, settings_of

ANALYZER = Analyzer(load_isa("colossus"))
ADD = "#define ADD(x, y) add $m1, x, y\n#define SUM(x, y) (x + y)\n"


def check_findings(text: str, header: str = "") -> list[tuple[str, str]]:
    """The codes of all findings in a text, or in its header, with what they are about."""
    findings = ANALYZER.analyze(text, FILE, settings=settings_of({"a.h": header})).diagnostics
    texts = [header if finding.path else text for finding in findings]
    return [
        (finding.code, text[finding.span.start : finding.span.end])
        for finding, text in zip(findings, texts, strict=True)
    ]


def message(text: str) -> str:
    """The message of the only finding."""
    (finding,) = ANALYZER.analyze(text, FILE, settings=settings_of()).diagnostics
    return finding.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nop\n#endif\nnop", "#endif"),
        ("#if 1\n#endif\n  # endif // A\n", "# endif"),
        ("nop\n#else\nnop", "#else"),
        ("nop\n#elif A\nnop", "#elif"),
        ("nop\n#else\nnop\n#if 1\n#endif\n#endif\nnop", "#else"),
        ("#if 1\nnop\n", "#if"),
        ("#ifndef A\n#define A\n#ifdef A\nnop\n#endif\n", "#ifndef"),
        ("#if 0\n#if 1\n#endif\nnop", "#if"),
        ("#if 1\n#else\nnop\n#else\nnop\n#endif", "#else"),
        ("#if 1\n#else\nnop\n#elif 1\nnop\n#endif", "#elif"),
        ("#if 1 +\n#endif", "1 +"),
        ("#if --1\n#endif", "--1"),
        ("#if 1--1\n#endif", "1--1"),
        ("#if ++1\n#endif", "++1"),
        ("#if\n#endif", "#if"),
        ("#if 0\n#elif (1\n#endif", "(1"),
        ("#if A(1)\n#endif", "A(1)"),
        ("#ifdef\n#endif", "#ifdef"),
        ("#ifndef 1\n#endif", "1"),
        ("#define\nnop", "#define"),
        ("#define 3A 1\nnop", "3A"),
        ("#define F(a\nnop", "("),
        ("#define F(a, a) nop\nnop", "a"),
        ("#define F(a b) nop\nnop", "b"),
        ("#define F(a,) nop\nnop", ","),
        ("#define F(1) nop\nnop", "1"),
        ("#define F(..., a) nop\nnop", "."),
        ("#define F(__VA_ARGS__) nop\nnop", "__VA_ARGS__"),
        ("#define A ## b\nnop", "##"),
        ("#define F(a) a ## // end\nnop", "##"),
        ("#define defined 1\nnop", "defined"),
        ("#define __LINE__ 5\nnop", "__LINE__"),
        ("#define __has_include(a) 1\nnop", "__has_include"),
        ("#undef __FILE__\nnop", "__FILE__"),
        ("#ifdef defined\n#endif\nnop", "defined"),
        ("#if 1/0\n#endif\nnop", "1/0"),
        ("#if 08 == 8\n#endif\nnop", "08 == 8"),
        ("#if defined\n#endif\nnop", "defined"),
        ("#if !defined(3)\n#endif\nnop", "!defined(3)"),
        ("#if 1 && 5 % 0\n#endif\nnop", "1 && 5 % 0"),
        ("#undef\nnop", "#undef"),
        ("#include\nnop", "#include"),
        ("#include 'a.h'\nnop", "'a.h'"),
    ],
)
def test_a_malformed_directive_is_found_at_the_part_that_is_wrong(text: str, expected: str) -> None:
    found = check_findings(text)
    assert [code for code, _ in found] == ["E001"]
    assert expected.startswith(found[0][1])


@pytest.mark.parametrize(
    "text",
    [
        "nop\n# else it is odd\nnop",
        "#if 1\nnop\n#else\n#endif",
        "#if 1\n#elif 1 +\n#endif",
        "#if 0\n#if 1 +\n#endif\n#define\n#include\n#endif",
        "#if defined(__has_builtin) && __has_builtin(__builtin_a)\n#endif",
        "#define F(x, y...) x\nadd $m1, $m1, F(1)",
        "#define F() 1\nadd $m1, $m1, F()\nadd $m1, $m1, F( )",
        "#define F(x) 1\nadd $m1, $m1, F()",
        "#define F(/* x */ x, ...) x\nadd $m1, $m1, F(1, 2)",
        "#ifdef __LINE__\n#endif\n#if defined(__FILE__)\n#endif",
        "#pragma\n#line\n#ident\nnop",
        "#if 1 || 1/0 || (1 ? 0 : 1 % 0) || (0 ? 1 / 0 : 0)\n#endif\n#if 0 && 1/0\n#endif\nnop",
    ],
)
def test_a_directive_that_the_preprocessor_accepts_is_silent(text: str) -> None:
    assert check_findings(text) == []


def test_a_condition_is_not_malformed_if_a_missing_header_may_define_its_names() -> None:
    text = '#include "missing.h"\n#if IS_AT(2) least 4\nnop\n#endif\n'
    assert check_findings(text) == [("H103", '"missing.h"')]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("ADD($m1)", ("E102", "ADD")),
        ("ADD($m1, $m2, $m3, $m4)", ("E103", "$m3")),
        ("ADD($m1, $m2,\n  $m3 + 1)\nnop", ("E103", "$m3 + 1")),
        ("ADD($m1, $m2\nnop\nnop", ("E001", "(")),
        ("add $m1, $m1, SUM(1\nnop", ("E001", "(")),
        ("add $m1, $m1, SUM(1)\nnop", ("E102", "SUM")),
        ("add $m1, $m1, SUM(1, 2,\n3, 4)\nnop", ("E103", "3")),
        ("ADD($m1, SUM(1))", ("E102", "SUM")),
        ("#define TWICE(x) ADD(x)\nTWICE($m1)", ("E102", "TWICE($m1)")),
        ("#define TWICE(x) ADD(x, x, x)\nTWICE($m1)", ("E103", "TWICE($m1)")),
    ],
)
def test_a_call_that_does_not_fit_its_macro_is_one_finding(
    call: str, expected: tuple[str, str]
) -> None:
    assert check_findings(ADD + call) == [expected]


def test_a_wrong_number_of_arguments_says_both_numbers() -> None:
    assert message(f"{ADD}ADD($m1)") == "macro `ADD` takes 2 arguments, found 1"
    variable = "#define F(x, y, z...) x\nF(1)"
    assert message(variable) == "macro `F` takes at least 2 arguments, found 1"


def test_a_mistake_in_one_branch_says_what_is_assumed() -> None:
    text = f"{ADD}#if __IPU_ARCH_VERSION__ == 21\nADD($m1)\n#endif\n"
    assert message(text).startswith("if `__IPU_ARCH_VERSION__` is 21: macro")


def test_a_mistake_in_a_header_is_found_there_once() -> None:
    text = '#include "a.h"\n#include "a.h"\nnop'
    assert check_findings(text, "#if 1\nnop\n") == [("E001", "#if")]
    assert check_findings(text, "#if 1\ntypedef int T;\n") == []


def test_typing_below_an_open_conditional_adds_no_findings() -> None:
    typed = f"{ADD}#ifdef DEBUG\nADD($m1, 1)\nadd $m1, $m1, 1\nnop\n#else\nnop\n#endif\n"
    start, end = typed.index("ADD($m1"), typed.index("#else")
    analysis = ANALYZER.analyze(typed[:start], FILE)
    for length in range(start, end):
        if typed[length - 1] == "\n":
            analysis = ANALYZER.analyze(typed[:length], FILE, analysis)
            assert [finding.code for finding in analysis.diagnostics] == ["E001"]
    assert check_findings(typed) == []


@pytest.mark.parametrize("length", range(len(ADD), len(ADD) + 20))
def test_typing_a_call_has_at_most_one_finding(length: int) -> None:
    typed = f"{ADD}ADD($m1, ADD2(1, 2))"[:length]
    assert len(check_findings(f"{typed}\nadd $m1, $m1, 1\nnop\n")) <= 1


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        ("F(1\nnop\nnop\n", "nop\nnop", "nop)\nnop"),
        ("F(1\n,2)\nnop\n", ",2)", ")"),
        ("F\nnop\nnop\n", "nop\nnop", "(1)\nnop"),
    ],
)
def test_an_edit_below_a_call_that_does_not_fit_can_complete_it(
    before: str, old: str, new: str
) -> None:
    head = "#define F(x) add $m1, $m1, x\nnop\n"
    after = before.replace(old, new)
    earlier = ANALYZER.analyze(head + before, FILE)
    edited = ANALYZER.analyze(head + after, FILE, earlier)
    fresh = Analyzer(ANALYZER.isa).analyze(head + after, FILE)
    assert edited.diagnostics == fresh.diagnostics
    assert edited.expanded[0].expansion.text == fresh.expanded[0].expansion.text
    assert "add $m1, $m1, 1" in fresh.expanded[0].expansion.text


def test_a_header_with_pragma_once_is_read_once() -> None:
    settings = settings_of({"a.h": "#pragma once\n.word 1\n"})
    text = '#include "a.h"\n#include "a.h"\n'
    (expanded,) = ANALYZER.analyze(text, FILE, settings=settings).expanded
    assert expanded.expansion.text.split() == [".word", "1"]


def test_a_division_by_what_a_missing_header_may_define_is_no_mistake() -> None:
    text = '#include "missing.h"\n#if 1 / SIZE\n#endif\nnop'
    assert check_findings(text) == [("H103", '"missing.h"')]
