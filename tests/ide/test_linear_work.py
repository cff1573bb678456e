"""Twice the text is about twice the work for every feature of an editor, whatever the text is."""

from __future__ import annotations

import time
from typing import Callable

import pytest

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide import HINT_FAMILIES, LENS_FAMILIES
from ipu_asm.ide.code_actions import code_actions
from ipu_asm.ide.completion.completion import completions
from ipu_asm.ide.folding import folding, selection_ranges
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.ide.hints import code_lenses, inlay_hints
from ipu_asm.ide.hover import hover
from ipu_asm.ide.listing import listed_program, listing, slot_grid
from ipu_asm.ide.navigation import highlights
from ipu_asm.ide.outline import symbols
from ipu_asm.ide.signature_help import signatures
from ipu_asm.text import Span
from tests.executed_lines import executed_lines

LENGTH = 1_500
SLACK = 1.25
FEATURES: dict[str, Callable[[Analysis, int], object]] = {
    "hover": hover,
    "completion": completions,
    "signature help": signatures,
    "highlights": highlights,
    "selection": selection_ranges,
    "slot grid": slot_grid,
    "code actions": lambda a, at: code_actions(a, Span(at, at)),
    "folding": lambda a, _: folding(a),
    "formatting": lambda a, _: formatting(a),
    "symbols": lambda a, _: symbols(a),
    "lenses": lambda a, _: list(code_lenses(a, LENS_FAMILIES)),
    "hints": lambda a, _: list(inlay_hints(a, Span(0, len(a.text)), HINT_FAMILIES)),
    "listing": lambda a, _: listing(a, [None] * listed_program(a).size),
}
PIECES = {
    "ipu": (
        "a:", "# a b c\n", "acc;", "x: b x;;\n", "set lr0 1;\n", ",", ";",
        "set lr0 1;; # lr0 = a\n",
        "{% set a = 1 %}\n", "set lr0 {{ 1 }};;\n", "{% for x in [1] %}\nacc;;\n{% endfor %}\n",
        "{% macro m() %}acc;;{% endmacro %}\n", "{# a #}\n", "{{ a", "{% if 1 %}\nacc  ;;\n",
    ),
    "xdna2": ("a:", "mova r0, #1; ", "lda r0, [", "lda r0, p0]", "// a\n", "jnz r0, #a\n"),
    "colossus": (
        "a:", "1:\n bri 1b\n", "/* a */", "/* ", "add $m0, (", "add $m0, 1+", "{", "\\x ",
        ".macro A x\n", ".macro A x\n add \\x, \\x\n.endm\n", "#if A\n", "#define M 4\n",
        "rpt 3, 1\n",
    ),
}  # fmt: skip


def work(feature: Callable[[Analysis, int], object], isa: str, piece: str, times: int) -> int:
    """How many lines of Python a feature executes in the middle piece of a text."""
    analysis = analyze(piece * times, isa)
    return executed_lines(lambda: feature(analysis, times // 2 * len(piece) + 1))


@pytest.mark.parametrize(("isa", "piece"), [(isa, p) for isa in PIECES for p in PIECES[isa]])
def test_twice_the_text_is_twice_the_work(isa: str, piece: str) -> None:
    times = LENGTH // len(piece)
    for name, feature in FEATURES.items():
        feature(analyze(piece * 3, isa), len(piece) + 1)  # works out what is kept for all texts
        limit = 2 * SLACK * work(feature, isa, piece, times) + 2_000
        assert work(feature, isa, piece, 2 * times) <= limit, name


def test_thousands_of_comments_are_laid_out_in_an_instant() -> None:
    # A hundredth of what it takes to look back to the first of them from each.
    analysis = analyze("# a b c\n" * 25_000 + "bkpt;;\n", "ipu")
    start = time.process_time()
    formatting(analysis)
    assert time.process_time() - start < 5


def test_errors_far_right_in_a_line_are_listed_by_their_column() -> None:
    analysis = analyze(";" * 3_000, "ipu")
    text = listing(analysis, [None] * analysis.program.size).text
    assert "column 2999: E001" in text
    assert len(text) < 400_000
