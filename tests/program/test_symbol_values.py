"""Symbols with one constant value are range-checked as literals are."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.text import Span
from tests.marked import unmarked

NOPS = "ret lr\n" + "nop\n" * 5


def check(marked: str, isa: str) -> None:
    """The only findings are E106, at the marked places."""
    text, spans = unmarked(marked)
    found = [(each.code, each.span) for each in analyze(text, isa).diagnostics]
    assert found == [("E106", span) for span in spans]


@pytest.mark.parametrize(
    "definition", [".set N, 5000", ".equ N, 5000", ".equiv N, 5000", "N = 5000", ".eqv N, 5000"]
)
def test_every_assignment_gives_a_value(definition: str) -> None:
    check(f"{definition}\nld32 $m0, $m1, $m2, ⟦N⟧\n.byte ⟦N⟧\n.short N\n", "colossus")
    check(f"{definition}\nmova r0, ⟦#N⟧\n.byte ⟦N⟧\n{NOPS}", "xdna1")


@pytest.mark.parametrize(
    "text",
    [
        ".set FAR, 524288\nbri ⟦FAR⟧\nsetzi $m0, FAR\n",
        ".set N, 5000\n.set M, N * 2\n{ ld32 $m0, $m1, $m2, ⟦M + 1⟧ ; fnop }\nadd $m0, $m1, M\n",
        "ld32 $m0, $m1, $m2, ⟦N⟧\n.set N, 5000\n",
        "$n = -1\nld32 $m0, $m1, $m2, ⟦$n⟧\n",
        ".set N, 12\n.align ⟦N⟧\n.space ⟦-N⟧\n.p2align N\n",
        ".set N, 5000\n.macro m x\nld32 $m0, $m1, $m2, \\x\n.endm\nm ⟦N⟧\nm 1\n",
    ],
)
def test_operands_and_arguments_out_of_range_are_told_at_the_symbol(text: str) -> None:
    check(text, "colossus")


def test_a_missing_header_does_not_hide_a_symbol_of_the_text() -> None:
    text = '.set N, 5000\n#include "missing.h"\nld32 $m0, $m1, $m2, N\n'
    assert [each.code for each in analyze(text, "colossus").diagnostics] == ["E106"]


@pytest.mark.parametrize(
    "text",
    [
        ".set N, 33\nvlda wl0, [p0, ⟦#N⟧]\nvlda wl0, [p0, #N - 1]\n",
        ".set N, 33\nvlda wl0, [p0], ⟦#N * 2⟧\n",
        "N = 5000\nmova r0, #1; movx r1, ⟦#N⟧\n",
    ],
)
def test_immediates_of_engines_are_told_with_their_mark(text: str) -> None:
    check(text + NOPS, "xdna1")


@pytest.mark.parametrize(
    "text",
    [
        ".set N, 1\n.set N, 5000\nld32 $m0, $m1, $m2, N\n",
        ".set N, f - .\nld32 $m0, $m1, $m2, N\nf: nop\n",
        "f:\n.if . - f\n.set N, 5000\n.endif\nld32 $m0, $m1, $m2, N\n",
        ".set N, 0\n.rept 3\n.set N, N + 5000\n.endr\nld32 $m0, $m1, $m2, N\n",
        ".set N, 5000\nld32 $m0, $m1, $m2, N - 4999\nld32 $m0, $m1, $m2, N / M\n.set M, 5\n",
        ".extern N\nsetzi $m0, N\n",
    ],
)
def test_symbols_with_several_or_unknown_values_are_silent(text: str) -> None:
    assert analyze(text, "colossus").diagnostics == ()


def test_the_message_names_the_symbol_and_its_value() -> None:
    (finding,) = analyze(".set N, 5000\n.byte N\n", "colossus").diagnostics
    assert finding.message == "expected a number from -128 to 255, found `N`, which is 5000"


@pytest.mark.parametrize(
    ("text", "first", "later"),
    [
        ("f:\nnop\n.set f, 3\n", 0, 12),
        (".equiv f, 3\nf:\nnop\n", 7, 12),
        ("f = 3\nnop\nf:\nnop\n", 0, 10),
    ],
)
def test_a_label_that_is_assigned_a_value_is_defined_twice(
    text: str, first: int, later: int
) -> None:
    for isa in ("colossus", "xdna1"):
        (finding,) = analyze(text, isa).diagnostics
        assert (finding.code, finding.span) == ("E302", Span(later, later + 1))
        assert finding.related[0].span == Span(first, first + 1)
    assert analyze(".if . - 4\n.set f, 1\n.else\nf:\n.endif\n", "xdna1").diagnostics == ()
