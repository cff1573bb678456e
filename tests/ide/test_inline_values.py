"""Which registers are worth showing while a program stands still."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.hints import inline_values
from ipu_asm.text import Span
from tests.ide.cursor import fixture
from tests.ide.test_everywhere import damaged

NESTED = """\
set lr9 1;;
outer: set lr1 0;;
inner: incr lr1 1; ldr_mult_reg r0 lr1 cr0;;
    mult.ee r0 lr2 lr2 lr2; blt lr1 lr3 inner;;
    blt lr4 lr5 outer;;
after: agg sum value_cr cr7 aaq2;;
bkpt;;
"""


def check_values(text_with_cursor: str, *expected: str, within: Span | None = None) -> None:
    """For a machine that stands at the cursor, these are the lines that tell something."""
    analysis, stopped = fixture(text_with_cursor)
    found = inline_values(analysis, within or Span(0, len(analysis.text)), stopped)
    lines: dict[int, list[str]] = {}
    for span, expression in found:
        assert analysis.text[span.start : span.end] == expression.partition("@")[0]
        lines.setdefault(analysis.text.count("\n", 0, span.start), []).append(expression)
    assert [f"{line}: {' '.join(names)}" for line, names in lines.items()] == list(expected)


def standing(words: str) -> str:
    """`NESTED` with the machine in front of the bundle that begins with these words."""
    return NESTED.replace(words, f"$0{words}", 1)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("set lr9 1;;", ["0: lr9@set"]),
        ("outer: set", ["1: lr1@set"]),
        ("inner: incr", ["2: lr1@incr lr1@ldr_mult_reg cr0"]),
        ("mult.ee", ["2: lr1 cr0", "3: lr2 lr1 lr3"]),
        ("blt lr4", ["1: lr1", "2: lr1 cr0", "3: lr2 lr1 lr3", "4: lr4 lr5"]),
        ("after: agg", ["5: cr7 aaq2@agg"]),
        ("bkpt;;", ["5: cr7 aaq2"]),
    ],
)
def test_values_reach_from_the_loop_or_the_last_label_to_where_the_machine_stands(
    words: str, expected: list[str]
) -> None:
    check_values(standing(words), *expected)


def test_a_line_tells_a_register_once() -> None:
    check_values("incr lr1 1;;\nadd lr1 lr1 lr1;; $0add lr2 lr1 lr1;;", "0: lr1", "1: lr1 lr2@add")


def test_vectors_are_too_long_for_a_line() -> None:
    check_values("$0ldr_mult_reg r1 lr0 cr0; mult.ee r1 lr2 lr2 lr2;;", "0: lr0 cr0 lr2")


def test_only_the_part_asked_for_is_answered() -> None:
    third = NESTED.index("inner: ")
    within = Span(third, NESTED.index("\n", third))
    check_values(standing("blt lr4"), "2: lr1 cr0", within=within)


def test_what_is_wrong_in_a_bundle_tells_nothing() -> None:
    check_values("incr lr99 1; foo lr1; set lr2 0x10000;;\n$0bkpt;;", "0: lr2")


@pytest.mark.parametrize("text", ["$0", "# nothing\n$0", "bkpt;;\n$0"])
def test_a_place_without_a_bundle_has_no_values(text: str) -> None:
    check_values(text)


@given(damaged(), st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
def test_any_text_has_an_answer(text: str, first: int, last: int, stopped: int) -> None:
    within = Span(min(first, last, len(text)), min(max(first, last), len(text)))
    for span, expression in inline_values(analyze(text), within, min(stopped, len(text))):
        assert 0 <= span.start < span.end <= len(text)
        assert (
            text[span.start : span.end].rpartition("=")[2].lower() == expression.partition("@")[0]
        )
