"""Directives and macros of the preprocessor, and where the text that they make was written."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from ipu_asm.source.source_map import MAIN, FrameKind
from ipu_asm.text import Span
from tests.source.preprocessor.expanding import (
    FILE,
    FOLDER,
    check_whole_map,
    expanded,
    settings_of,
    words,
    written_of,
)

ANALYZER = Analyzer(load_isa("colossus"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define A m4\nadd $A, $m1, 1", "add $m4, $m1, 1"),
        ("#define A B\n#define B m4\nadd $A, $m1, 1", "add $m4, $m1, 1"),
        ("#define A A1\nA A", "A1 A1"),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define F(x) (x + 1)\nF(2) F (3) F", "(2 + 1) (3 + 1) F"),
        ("#define F(x, y) x ## y\nF(a, b) F(, b) F(a,)", "ab b a"),
        ("#define A m ## 4 + a##b##c\nA", "m4 + abc"),
        ("#define B 1\n#define A a##B B\n#define F(x) x ## A\nA F(2)", "aB 1 2A"),
        ('#define F(x) #x\nF(a  "b")', '"a \\"b\\""'),
        ("#define F(x, ...) x(__VA_ARGS__)\nF(a, b, c)", "a(b, c)"),
        ("#define F(x...) x\nF(a, b)", "a, b"),
        ("#define F(x, ...) g(x, ## __VA_ARGS__)\nF(a) F(a, b)", "g(a) g(a,b)"),
        ("#define F(x, ...) g(x __VA_OPT__(,) __VA_ARGS__)\nF(1) F(1, 2, 3)", "g(1 ) g(1 , 2, 3)"),
        ("#define F(...) [__VA_OPT__(a ## __VA_ARGS__)]\nF() F(1)", "[] [a1]"),
        ("#define F(x...) x ## __VA_OPT__ (b)\nF(a) F()", "ab"),
        ("#define E\n#define F(...) [__VA_OPT__((1))]\nF(E) F(2)", "[] [(1)]"),
        ("#define F(x) __VA_OPT__(x)\nF(1)", "__VA_OPT__(1)"),
        ("#define F(x) G(x)\n#define G(x) [x]\nF(F(1))", "[[1]]"),
        ("#define F() 1\nF()", "1"),
        ('#define F(x) x\nF((a, b)) F("a, b")', '(a, b) "a, b"'),
        ("#define F(x) x\nF(1\n  + 2) b", "1 + 2 b"),
        ("#define A 1 \\\n  + 2\nA", "1 + 2"),
        ("#define A 1 /* one */ + /* two */ 2 // end\nA", "1 + 2"),
        ("#define A 1\n#undef A\nA", "A"),
        ('#define A 1\n"A" // A\n.4A A1 $A \\A', '"A" // A .4A A1 $1 \\1'),
        ("#define A\n  #  ifdef A\nyes\n# else\nno\n# endif", "yes"),
        ("#define A 1\n# A comment\nb # A", "# A comment b # A"),
        ("a __LINE__\n__LINE__\n#define A", "a 1 2"),
        ("a\nb __LINE__ __ASSEMBLER__", "a b 2 1"),
        ("#define A __LINE__\n\nA __COUNTER__ __COUNTER__", "3 0 1"),
        ("#define F(x) a_ ## x ## _\\\nb\nF(1) on\\\ne", "a_1_b one"),
        ("#define\\\nA 1\nA", "A"),
        ("#define HASH #\n#define F(x) x HASH x\nF(1)", "1 # 1"),
    ],
)
def test_macros_are_replaced_as_in_c(text: str, expected: str) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True),
        ("0", False),
        ("A", False),
        ("defined A || defined(B)", False),
        ("!defined(A) && 1", True),
        ("__IPU__ == 1 && defined __ASSEMBLER__", True),
        ("-1 > 0u", True),
        ("-1 >> 1 == -1", True),
        ("1 - -1 == 2 && - -1 == + +1", True),
        ("0xffffffffffffffff == -1", True),
        ("(1 ? 2 : 3) == 2", True),
        ("0 && 1 / 0", False),
        ("1 || (2", False),
        ("'a' == 97 && '\\n' == 10", True),
        ("'\\x41' == 65 && '\\101' == 65 && '\\0' == 0 && '\\\\' == 92", True),
        ("010 == 8 && 0b11 == 3", True),
        ("7 / -2 == -3 && -7 % 2 == -1", True),
        ("1 << 63 < 0", True),
        ("1 << 3 + 1 == 16", True),
        ("2 | 1 ^ 1 & 0", True),
        ("~0 == -1 && !0", True),
        ('__has_include("a.h")', True),
        ("", False),
    ],
)
def test_conditions_are_those_of_c(condition: str, holds: bool) -> None:
    text = f"#if {condition}\nyes\n#else\nno\n#endif\n"
    assert words(text, {"a.h": ""}) == ("yes" if holds else "no")


def test_marks_of_different_macros_make_no_operator() -> None:
    assert words("#define M -1\n#define L <\n#if -M == 1 && 0 -M == 1 && 1 L=2\nno") == ""
    assert words("#define M -1\n#if -M == 1 && 0 -M == 1\nyes\n#endif") == "yes"


def test_a_further_branch_is_read_only_if_none_before_it_was() -> None:
    branches = "#if A == {0}\n0\n#elif A == 1\n1\n#elif A < 3\n2\n#else\n3\n#endif"
    text = branches.format(0)
    assert [words(f"#define A {value}\n{text}") for value in range(4)] == ["0", "1", "2", "3"]


def test_a_condition_inside_of_one_that_does_not_hold_is_not_read() -> None:
    assert words("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif\nd") == "c d"


def test_line_breaks_of_the_analysed_file_are_kept() -> None:
    text = "#define F(x) x\n#if 0\na\n#endif\nF(1,\n2)\nF(3\n  4) b\nc \\\nd\ne\n"
    expansion = expanded(text)
    assert expansion.text.count("\n") == text.count("\n")
    assert expansion.text.splitlines()[-1] == "e"
    check_whole_map(expansion, text)


def test_a_comment_stays_as_it_is_written() -> None:
    text = "#define A 1\nadd A // A ipu: ignore\n/* A\n A */ A # A\n"
    assert expanded(text).text == "\nadd 1 // A ipu: ignore\n/* A\n A */ 1 # A\n"


def test_a_header_takes_the_place_of_its_include() -> None:
    header = "#define A m4\n.equ B, 1\n"
    text = '#include "a.h"\nadd $A, $m1, B\n'
    expansion = expanded(text, {"a.h": header})
    assert expansion.text == ".equ B, 1\n\nadd $m4, $m1, B\n"
    frame = expansion.source_map.frame_at(0)
    assert frame is not None
    assert (frame.kind, frame.label) == (FrameKind.INCLUDE, "include of `a.h`")
    assert frame.call == (MAIN, Span(9, 14))
    assert written_of(expansion, text, ".equ B") == (f"{FOLDER}/a.h", ".equ B")
    check_whole_map(expansion, text)


def test_a_header_in_angle_brackets_is_read_from_the_include_paths_alone() -> None:
    headers = {"a.h": "here", "include/a.h": "there"}
    assert words('#include "a.h"', headers) == "here"
    assert words("#include <a.h>", headers) == "there"
    assert words("#define NAME <a.h>\n#include NAME", headers) == "there"


def test_nothing_outside_of_the_project_is_read() -> None:
    expansion = expanded('#include "../secret.h"\n', {"../secret.h": "secret"})
    assert expansion.text == '#include "../secret.h"\n'


def test_a_header_that_is_not_found_stays_and_has_a_finding() -> None:
    expansion = expanded('#include "a.h"\n#include "b.h"\n', {"b.h": '#include "c.h"\n'})
    assert [finding.code for finding in expansion.findings] == ["H103"]
    assert expansion.findings[0].span == Span(9, 14)
    assert expansion.text == '#include "a.h"\n#include "c.h"\n\n'


def test_of_a_header_of_c_only_the_definitions_count() -> None:
    header = "#define A m4\nstatic const int a = 1;\n"
    assert words('#include "a.h"\n$A', {"a.h": header}) == "$m4"
    assert words('#include "a.hpp"\n$A', {"a.hpp": "f();\n" + header}) == "$m4"


def test_a_header_is_read_once_with_a_guard_or_a_pragma() -> None:
    guarded = "#ifndef A_H\n#define A_H\na\n#endif\n"
    assert words('#include "a.h"\n#include "a.h"', {"a.h": guarded}) == "a"
    assert words('#include "a.h"\n#include "a.h"', {"a.h": "#pragma once\na\n"}) == "a"


def test_a_name_from_outside_is_replaced_in_a_text_without_directives() -> None:
    assert words("add $m0, A, B", defines={"A": True, "B": "m4"}) == "add $m0, 1, m4"
    settings = settings_of(defines={"A": 1})
    assert ANALYZER.analyze("add $m0, A", FILE, settings=settings).expanded
    assert ANALYZER.analyze("add $m0, C", FILE, settings=settings).expanded == ()


def test_a_value_stands_at_its_use_with_its_definition() -> None:
    text = "#define REG m4 // the register\nadd $REG, $m1, 1\n"
    expansion = expanded(text)
    assert written_of(expansion, text, "m4") == (MAIN, "REG")
    frame = expansion.source_map.frame_at(expansion.text.index("m4"))
    assert frame is not None
    assert (frame.kind, frame.label) == (FrameKind.VALUE, "value of `REG`")
    assert frame.definition == (MAIN, Span(8, 11))
    check_whole_map(expansion, text)


def test_the_body_of_a_call_stands_in_the_definition_and_its_argument_at_the_call() -> None:
    header = "#define SAVE(reg) st32 $reg, $m11, 2\n"
    text = '#include "a.h"\nSAVE(m4)\n'
    expansion = expanded(text, {"a.h": header})
    assert written_of(expansion, text, "st32") == (f"{FOLDER}/a.h", "st32")
    assert written_of(expansion, text, "m4") == (MAIN, "m4")
    frame = expansion.source_map.frame_at(expansion.text.index("st32"))
    assert frame is not None
    assert (frame.kind, frame.label) == (FrameKind.MACRO, "macro `SAVE`")
    assert frame.call == (MAIN, Span(15, 23))
    assert frame.definition == (f"{FOLDER}/a.h", Span(8, 12))
    check_whole_map(expansion, text)


def test_whole_statements_stand_in_the_definition() -> None:
    text = "#define TWICE add $m0, $m1, 1; add $m1, $m2, 2\nTWICE\n"
    expansion = expanded(text)
    assert written_of(expansion, text, "add $m1") == (MAIN, "add $m1")
    frame = expansion.source_map.frame_at(expansion.text.index("add"))
    assert frame is not None
    assert frame.call == (MAIN, Span(47, 52))
    check_whole_map(expansion, text)


def test_nested_calls_give_nested_frames() -> None:
    text = "#define IN(x) add $x, $m0, 1\n#define OUT(y) IN(y)\nOUT(m3)\n"
    expansion = expanded(text)
    frame = expansion.source_map.frame_at(expansion.text.index("add"))
    assert frame is not None
    assert [level.label for level in frame.stack()] == ["macro `IN`", "macro `OUT`"]
    assert frame.call == (MAIN, Span(44, 49))
    assert written_of(expansion, text, "m3") == (MAIN, "m3")
    check_whole_map(expansion, text)


def test_parts_of_a_pasted_word_stand_where_they_are_written() -> None:
    text = "#define NAME(x) __run_ ## x\nNAME(half):\n"
    expansion = expanded(text)
    assert written_of(expansion, text, "__run_") == (MAIN, "__run_")
    assert written_of(expansion, text, "half") == (MAIN, "half")
    check_whole_map(expansion, text)
