"""Formatting a part of a text: the bundles that it touches, as in the whole, and nothing else."""

from __future__ import annotations

from typing import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.completion import INSTRUCTION
from ipu_asm.ide.formatting.formatting import KEEP, formatting
from ipu_asm.ide.formatting.lines import STYLES
from ipu_asm.text import Span, TextEdit, apply_edits
from tests.ide.test_everywhere import TEXTS, damaged
from tests.ide.test_formatting import HOUSE

BEGIN, END = "<<", ">>"


def check_range(text: str, span: Span, style: str = KEEP, isa: str = "ipu") -> list[TextEdit]:
    """The edits of a range are those of the whole text that are there."""
    analysis = analyze(text, isa)
    edits = formatting(analysis, style, span)
    everything = formatting(analysis, style)
    first = everything.index(edits[0]) if edits else 0
    assert everything[first : first + len(edits)] == edits
    for edit in edits:
        assert touches(analysis.program.starts, edit.span, span)
    return edits


def touches(starts: Sequence[int], edited: Span, span: Span) -> bool:
    """Whether there is at most one end mark between two spans: that of the bundle itself."""
    between = sorted((edited.start, edited.end, span.start, span.end))[1:3]
    is_apart = edited.end < span.start or span.end < edited.start
    return not is_apart or sum(between[0] < start < between[1] for start in starts) <= 1


def tidied(marked: str, isa: str = "ipu") -> str:
    """A text of which the part between `<<` and `>>` is tidied."""
    before, rest = marked.split(BEGIN)
    inside, after = rest.split(END)
    house = HOUSE[isa] + "\n"
    text = house + before + inside + after
    start = len(house + before)
    edits = check_range(text, Span(start, start + len(inside)), isa=isa)
    return apply_edits(text, edits).removeprefix(house)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        # A whole line: its bundle and what is after it.
        ("acc ;; # a\n<<aaq ;; #b\n>>acc ;;", f"acc ;; # a\n{'    aaq;;':<52}#b\nacc ;;"),
        # A cursor in a bundle, and in the comment after it.
        ("acc ;;\na<<>>aq ;;#b\nacc ;;", f"acc ;;\n{'    aaq;;':<52}#b\nacc ;;"),
        ("acc ;;\naaq ;;#<<>>b\nacc ;;", f"acc ;;\n{'    aaq;;':<52}#b\nacc ;;"),
        # Lines of two bundles.
        ("acc ;;\na<<aq ;;\nac>>c ;;\naaq ;;", "acc ;;\n    aaq;;\n    acc;;\naaq ;;"),
        # The comment above belongs to the bundle.
        ("acc ;;\n\n\n #<<>> c\n aaq ;;\nacc ;;", "acc ;;\n\n\n    # c\n    aaq;;\nacc ;;"),
        # The file's end.
        ("acc ;;\naaq ;;\n\n\n<<>>", "acc ;;\naaq ;;\n"),
    ],
)
def test_a_range_is_tidied_and_nothing_around_it(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


def test_lines_of_another_instruction_set_are_tidied_alone() -> None:
    after = tidied(" NOP ; a\n<< NOP ;b\n>> NOP ; c\n", "edgenpu")
    assert after == f" NOP ; a\n{'    NOP':<52};b\n NOP ; c\n"


@given(text=damaged(), data=st.data(), style=st.sampled_from(STYLES))
def test_any_range_of_damaged_programs(text: str, data: st.DataObject, style: str) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    check_range(text, Span(start, end), style)
    check_range(text, Span(start, end), style, "edgenpu")


@pytest.mark.parametrize("text", TEXTS[:2])
def test_all_bundles_one_after_the_other_are_the_whole(text: str) -> None:
    untidy = text.replace("    ", " \t")
    analysis = analyze(untidy)
    starts = analysis.program.starts
    edits = {edit for at in starts for edit in check_range(untidy, Span(at, at), INSTRUCTION)}
    assert sorted(edits) == formatting(analysis, INSTRUCTION)


@pytest.mark.parametrize("span", [Span(-5, -1), Span(0, 10**9), Span(9, 2)])
def test_spans_outside_the_text_are_no_trouble(span: Span) -> None:
    assert check_range("", span) == []
    assert check_range("acc ;; aaq;;", span) != []
    assert check_range("NOP  2", span, isa="edgenpu") != []
