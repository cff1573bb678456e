"""Twice the text is about twice the work: counted in executed lines, which no load changes."""

from __future__ import annotations

import time

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import gnu_expressions as expressions
from ipu_asm.isa import load_isa
from tests.executed_lines import executed_lines

_LENGTH = 2_000
_SLACK = 1.2
_PIECES = {
    "ipu": ("a:", "a: b: ", "acc;", "x: acc;;\n", "b x;;", "acc.frist;;\n", "set lr0 1;", "(",
            "ldr_mult_reg r0 lr0 cr0; "),
    "ipu templates": (
        "{{ 1 }};;", "{{ n }}", "{% set a = 1 %}", "{% if 1 %}acc;;{% endif %}", "{# a #}acc;;",
        "{% for x in [1] %}foo;;{% endfor %}", "foo;;{{ 1 }}\n", "{{", "{% if 1 %}", "{{- 1 -}} ",
        "{% macro m() %}acc;;{% endmacro %}", "{% set a %}b{% endset %}{{ a }}", "{{ 1/0 }}acc;;\n",
        "{% raw %}{{{% endraw %}", "foo;;\r\n{{ 1 }}", "a: {{ 1 }}",
    ),
    "edgenpu": ("a:", "a: b: ", "x: ", "NOP 1\n", "AB[0], ", "A|", "desc="),
    "xdna1": ("a:", "; ", "nopa;", "mova r0, #28\n", "[p0], ", ".L1:\n", "#1, ",
              "vlda wl0, [p0, #0]; "),
    "xdna2": ("a:", "; ", "mov r1, r2;", "//", "[p0 ", "jnz r0, #a\n", "vlda x0, [p0, #0]; ",
              "st r0, [p0, #0]; "),
    "colossus": (
        "a:", "a: b: ", "1:", "$m0:1", "isa: edgenpu", "rpt 3, 1\n", "rpt $m0, 1f\n",
        "rpt $m0, 1f\n1:\n", "{ rpt 3, 1 ; fnop }\n", ".align 8\n", ".macro x\n", "#if 1\n", "x(",
        "call $m10, f\n", "1f - ", "\\x ", "#define m\n", "#define m\n#undef m\n",
        ".macro m\n.endm\nm\n.purgem m\n", '#include "a.h"\n', "a = 1\n", ".set a, b\n", "(", "{ ",
    ),
}  # fmt: skip


def work(isa: str, text: str) -> int:
    """How many lines of Python an analysis executes."""
    analyzer = Analyzer(load_isa(isa.split()[0]))
    return executed_lines(lambda: analyzer.analyze(text))


@pytest.mark.parametrize(
    ("isa", "piece"), [(i, p) for i, pieces in _PIECES.items() for p in pieces]
)
def test_twice_the_text_is_twice_the_work(isa: str, piece: str) -> None:
    once = piece * (_LENGTH // len(piece))
    Analyzer(load_isa(isa.split()[0])).analyze(piece * 3)  # works out what is kept for all texts
    assert work(isa, 2 * once) <= 2 * _SLACK * work(isa, once) + 1_000


@pytest.mark.parametrize("isa", _PIECES)
def test_a_long_word_is_read_in_an_instant(isa: str) -> None:
    # With a search from each of its letters it takes eight seconds, else a hundredth of one.
    start = time.process_time()
    Analyzer(load_isa(isa.split()[0])).analyze("add " + "f" * 64_000)
    assert time.process_time() - start < 2


def test_a_call_is_found_in_a_word_that_is_searched_once() -> None:
    for text in ("f(", "a.b(", "$f(", "1f(", "1$f(", "x + f(1)", "é.f("):
        assert expressions.read_expression(text).is_opaque, text
    for text in ("(f)", "1(", "$(", "f ("):
        assert not expressions.read_expression(text).is_opaque, text
