"""Refactorings of damaged texts: nothing raises, nothing is lost, nothing gets worse."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.diagnostics import Severity
from ipu_asm.ide.code_actions import code_actions
from ipu_asm.program.build import read_program
from ipu_asm.syntax.bundle import comments_in
from ipu_asm.text import Span, apply_edits
from tests.hostile import SPLINTERS
from tests.programs import example_kernels

TEXTS = list(example_kernels().values())
REFACTORINGS = ("refactor.move", "refactor.rewrite")


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A stretch of an example's code, with some pieces cut out and others put in."""
    text = draw(st.sampled_from(TEXTS))
    start = draw(st.integers(0, len(text) - 1))
    stretch = text[start : start + draw(st.integers(1, 400))]
    for _ in range(draw(st.integers(0, 3))):
        at, cut = draw(st.integers(0, len(stretch))), draw(st.integers(0, 20))
        stretch = stretch[:at] + draw(st.sampled_from(SPLINTERS)) + stretch[at + cut :]
    return stretch


def check_actions(text: str, isa: str, offsets: list[int]) -> int:
    """All edits lie apart in the text; refactorings keep the comments and bring in no errors."""
    analysis = analyze(text, isa)
    count = 0
    for offset in offsets:
        for action in code_actions(analysis, Span(offset, min(offset + 7, len(text)))):
            spans = [edit.span for edit in action.edits]
            assert all(0 <= span.start <= span.end <= len(text) for span in spans)
            assert bool(spans) != bool(action.refusal_reason), action
            count += 1
            if action.kind in REFACTORINGS and spans:
                assert all(a.end <= b.start for a, b in pairwise(spans)), action
                after = apply_edits(text, action.edits)
                assert _comments(after, isa) == _comments(text, isa), (action.title, text)
                assert _errors(after, isa) <= _errors(text, isa), (action.title, text)
    return count


def _comments(text: str, isa: str) -> list[str]:
    program = read_program(analyze("", isa).isa, text)
    return [
        bundle.syntax.text[span.start : span.end].rstrip()
        for bundle in program.bundles
        for span in comments_in(bundle.syntax)
    ]


def _errors(text: str, isa: str) -> int:
    return sum(finding.severity is Severity.ERROR for finding in analyze(text, isa).diagnostics)


@given(damaged(), st.lists(st.integers(0, 400), min_size=1, max_size=6))
def test_damaged_programs(text: str, places: list[int]) -> None:
    check_actions(text, "ipu", [min(place, len(text)) for place in places])


@given(st.lists(st.sampled_from([*SPLINTERS, " ", "\n"]), max_size=25).map("".join))
def test_hostile_texts(text: str) -> None:
    for isa in ("ipu", "edgenpu"):
        check_actions(text, isa, list(range(0, len(text) + 1, 5)))


def test_every_example_as_it_is() -> None:
    for text in TEXTS:
        assert check_actions(text, "ipu", list(range(0, len(text), 97))) > 5


def test_an_example_while_it_is_typed() -> None:
    text = min(TEXTS, key=len)
    for end in range(0, len(text), 11):
        check_actions(text[:end], "ipu", [end, end // 2])
