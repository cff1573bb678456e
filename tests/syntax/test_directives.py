"""Directives of GNU syntax: unknown names, and arguments of a wrong number, kind or width."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.isa import load_isa
from ipu_asm.isa.surface import ARGUMENTS, OTHERS
from tests.marked import unmarked

SETS = ["colossus", "xdna1", "xdna2"]


def found(text: str, isa: str) -> list[tuple[str, int, int]]:
    return [(each.code, *each.span) for each in analyze(text, isa).diagnostics]


def check(marked: str, code: str, isa: str) -> None:
    """The only findings about a text have a code and stand at the marked places."""
    text, spans = unmarked(marked)
    assert found(text, isa) == [(code, start, end) for start, end in spans]


@pytest.mark.parametrize("isa", SETS)
@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        (".aling 8", ".align"),
        (".gobl f", ".globl"),
        (".wrod 1", ".word"),
        (".setcion .text", ".section"),
        (".asicz 1", ".asciz"),
        (".cfi_startprc", ".cfi_startproc"),
        (".p2algin 4", ".p2align"),
    ],
)
def test_a_misspelt_directive_names_the_one_that_is_meant(isa: str, wrong: str, meant: str) -> None:
    (finding,) = analyze(f"{wrong}\nnop\n", isa).diagnostics
    assert finding.code == "E107"
    assert finding.message.endswith(f"did you mean `{meant}`?")


def test_many_misspelt_directives_are_all_told() -> None:
    words = [".aling", ".gobl", ".woker", ".suprevisor", ".wrod", ".foobar", ".blign", ".txet"]
    text = "".join(f"{word}\n" for word in words)
    assert [each.code for each in analyze(text, "colossus").diagnostics] == ["E107"] * len(words)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (".worker\n.suprevisor\nsync 0\n", ["E107", "C105"]),
        (".supervisor\n.woker\nsync 0\n", ["E107"]),
        (".allow_invalid_operand\nshl $m0, $m1, 5000\n", ["E107", "E106"]),
        (".allow_invalid_operands\n.eror_on_invalid_operands\nshl $m0, $m1, 5000\n", ["E107"]),
    ],
)
def test_a_misspelt_directive_changes_nothing(text: str, codes: list[str]) -> None:
    assert [each.code for each in analyze(text, "colossus").diagnostics] == codes


@pytest.mark.parametrize("isa", SETS)
def test_real_directives_are_known_in_any_case(isa: str) -> None:
    directives = {*load_isa(isa).surface.directives, *OTHERS, *ARGUMENTS}
    text = "".join(f"{each}\n{each.upper()} 1, 2\n" for each in sorted(directives))
    codes = [each.code for each in analyze(text, isa).diagnostics]
    assert "E107" not in codes


@pytest.mark.parametrize(
    "text",
    [
        ".macro .mine x\nnop\n.endm\n.mine 1\n",
        ".here = 4\nnop\n",
        '#include "missing.h"\n.unheard_of 1\n',
        ".macro m\n.\\@x 1\n.endm\n",
    ],
)
def test_macros_and_assignments_with_a_dot_are_no_directives(text: str) -> None:
    assert "E107" not in [each.code for each in analyze(text, "colossus").diagnostics]


@pytest.mark.parametrize("isa", SETS)
@pytest.mark.parametrize(
    ("code", "marked"),
    [
        ("E106", ".byte 255, -128, ⟦256⟧, ⟦-129⟧, 'a', ';'"),
        ("E106", ".short 65535, ⟦65536⟧"),
        ("E106", ".2byte ⟦1 << 16⟧"),
        ("E106", ".word 4294967295, ⟦4294967296⟧"),
        ("E106", ".quad ⟦18446744073709551616⟧"),
        ("E106", ".space ⟦-4⟧"),
        ("E106", ".skip 4, ⟦300⟧"),
        ("E106", ".fill 4, ⟦9⟧, 1"),
        ("E106", ".p2align ⟦33⟧"),
        ("E106", ".balign ⟦12⟧"),
        ("E106", ".align ⟦12⟧"),
        ("E104", ".byte ⟦1.5⟧"),
        ("E104", ".long ⟦1e3⟧"),
        ("E104", ".zero ⟦1.5⟧"),
        ("E104", '.quad ⟦"a"⟧'),
        ("E104", '.float 1.5, 1e3, 2, ⟦"x"⟧'),
        ("E104", ".byte 1,⟦⟧,2"),
        ("E104", ".byte ⟦1 2⟧"),
        ("E104", '.ascii "x", ⟦5⟧'),
        ("E104", ".globl ⟦5⟧"),
        ("E104", ".globl ⟦f g⟧"),
        ("E104", ".section .text.f, ⟦ax⟧, @progbits"),
        ("E105", '.section .data, "aw", ⟦@progbts⟧'),
        ("E105", ".type f, ⟦@functoin⟧"),
        ("E102", "⟦.type⟧ f"),
        ("E102", "⟦.byte⟧"),
        ("E102", "⟦.string⟧"),
        ("E102", "⟦.globl⟧"),
        ("E102", "⟦.section⟧"),
        ("E102", "⟦.align⟧"),
        ("E103", ".skip 4, 0, ⟦4⟧"),
        ("E104", ".byte ⟦08⟧, 07, 0, ⟦0xg⟧, ⟦0b2⟧, ⟦1x⟧, 10ul"),
        ("E104", ".byte⟦⟧ ,,"),
        ("E001", '.string ⟦"⟧abc\n.long 1'),
        ("E001", '.ascii "a", ⟦"⟧b'),
        ("E001", '.section ⟦"⟧.text'),
        ("E001", ".ascii ⟦“⟧abc”"),
        ("E001", ".string ⟦‘⟧a b’, 5"),
        ("E001", '.string a⟦"⟧'),
        ("E001", ".set A, ⟦1.5⟧"),
        ("E001", ".set ⟦A⟧"),
        ("E001", ".equ B ⟦5⟧"),
        ("E001", '.ascii ⟦"a\\q"⟧, "\\b\\f\\n\\r\\t\\\\\\"\\0\\377\\x41\\X4a42"'),
        ("E001", '.asciz ⟦"\\400"⟧, ⟦"\\x"⟧, ⟦"\\xg"⟧, ⟦"\\8"⟧'),
        ("E104", ".long ⟦7/0⟧, ⟦7%(2-2)⟧, ⟦f/0⟧, ⟦1<<99⟧, ⟦1>>-1⟧, 0x7fffffff/1"),
        ("E001", ".set A, ⟦7⟧/0\n.equ B, ⟦(⟧08)"),
        ("E001", "A = 1⟦+⟧\nB=⟦7⟧/0\nC = (⟦3⟧\nD ⟦=⟧\nE = ⟦1.5⟧\nF = 3 ⟦4⟧\nG = -(f - 1f) * 'a'"),
        ("E103", ".if 0\n.else ⟦3⟧\n.endif"),
        ("E103", ".if 1\n.endif ⟦DEBUG⟧"),
        ("E103", ".macro m\nnop\n.endm ⟦m⟧"),
        ("E103", ".rept 2\nnop\n.endr ⟦2⟧"),
        ("E103", ".previous ⟦.text⟧, 4"),
    ],
)
def test_arguments_of_a_wrong_number_kind_or_width_are_told(
    isa: str, code: str, marked: str
) -> None:
    check(f"{marked}\n", code, isa)


@pytest.mark.parametrize(
    ("code", "marked"),
    [
        ("E104", ".half ⟦1.5⟧, 1.5h, ⟦2.0f⟧"),
        ("E106", ".half ⟦70000.0h⟧"),
        ("E104", ".half ⟦$a0⟧\n.long ⟦$mzero⟧\n.float ⟦$a0:1⟧"),
        ("E106", ".align ⟦3⟧"),
    ],
)
def test_data_of_colossus_are_halves_with_a_suffix_and_no_registers(code: str, marked: str) -> None:
    check(f"{marked}\n", code, "colossus")


def test_switches_of_colossus_take_no_arguments() -> None:
    check(
        ".worker ⟦3⟧\n.supervisor ⟦foo⟧\n.worker⟦⟧,\n.allow_optimizations ⟦2⟧\n", "E103", "colossus"
    )
    assert found(".worker // one\n.supervisor /* two */ ; nop\n.text 5\n", "colossus") == []


@pytest.mark.parametrize("isa", SETS)
@pytest.mark.parametrize(
    "text",
    [
        ".long f - g + 4, (1 << 31), -(1), 0x10, 'a', f@rel",
        ".byte . - f, SIZE, %lo(f)",
        ".float 1.5, -2, inf, 1.5f, 0f1.5, f",
        '.asciz "a" "b", "c;d" // e',
        '.section .text.f,"ax",@progbits',
        '.section .note.GNU-stack,"",@progbits',
        '.section ".linker-options","e",@llvm_linker_options',
        '.section .foo, "axG", @progbits, group, comdat',
        ".section .text, 1",
        ".type f,@function\n.type g, %object\n.type h, STT_FUNC\n.type i @function",
        ".p2align 4,,15\n.p2align 4, 0\n.balign 16,,8\n.fill 4, 8, 0xffffffff",
        '.globl f, g\n.weak "a b"',
        '.file 1 "a.c"\n.loc 1 2 3\n.cfi_def_cfa_offset 16\n.ident "x"',
    ],
)
def test_arguments_that_assemblers_take_are_right(isa: str, text: str) -> None:
    assert found(f"{text}\n", isa) == []
