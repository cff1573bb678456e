"""Whatever stands in an EdgeNPU file, it is read, and an edit is read like the whole."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa

ISA = load_isa("edgenpu")
OPERANDS = ("AB", "WB", "AB[1]", "WB[0]", "2D", "IRQ", "WAIT_DMA", "RELU", "MAX", "kernel=3x3")
NUMBERS = ("0x80000000", "0x10000", "4", "-1", "1e9", "5:")
NAMES = ("start", "start:", "end", "end:", "desc=", "axis=")
MARKS = (",", ",", ", ", "|", "=", ":", ";", "[", "]", ".", "+", "-", "; ipu: ignore[E001]")
BLANKS = (" ", " ", "\n", "\n", "\r", "\r\n", "\t", "\f", "\0", "\ufeff", "\ud800", "\u2028")
PIECES = st.one_of(
    st.sampled_from((*ISA.instructions, *OPERANDS, *NUMBERS, *NAMES, *MARKS, *BLANKS)),
    st.text(max_size=3),
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def check_analysis(text: str, before: Analysis | None = None) -> Analysis:
    """The analysis says the same with `before` as without; slices and ranges are the text's."""
    analysis = Analyzer(ISA).analyze(text, before=before)
    program = analysis.program
    starts = program.starts
    mark = text[: starts[0]]
    slices = [text[start:end] for start, end in pairwise(starts)]
    assert mark in ("", "\ufeff")
    assert mark + "".join(slices) == text
    assert [bundle.syntax.text for bundle in program.bundles] == slices
    for finding in analysis.diagnostics:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        for edit in finding.fix.edits if finding.fix else ():
            assert 0 <= edit.span.start <= edit.span.end <= len(text)
    fresh = Analyzer(ISA).analyze(text)
    assert analysis.diagnostics == fresh.diagnostics
    assert program.label_addresses == fresh.program.label_addresses
    assert [bundle.word for bundle in program.bundles] == [b.word for b in fresh.program.bundles]
    return analysis


@given(TEXTS)
@settings(max_examples=400)
def test_any_text_is_read(text: str) -> None:
    check_analysis(text)


@given(TEXTS, st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.2), TEXTS), max_size=6))
@settings(max_examples=200)
def test_edits_are_read_like_the_whole(text: str, edits: list[tuple[float, float, str]]) -> None:
    analysis = check_analysis(text)
    for where, length, new in edits:
        start = int(where * len(text))
        text = text[:start] + new + text[start + int(length * len(text)) :]
        analysis = check_analysis(text, analysis)


def test_a_line_break_that_grows_or_shrinks_is_read_anew() -> None:
    states = ["NOP 1\rNOP 2", "NOP 1\r\nNOP 2", "NOP 1\nNOP 2", "NOP 1NOP 2", "NOP 1\r\r\nNOP 2"]
    analysis = None
    for text in [*states, *reversed(states)]:
        analysis = check_analysis(text, analysis)


def test_blank_lines_comments_and_labels_take_no_address() -> None:
    analysis = check_analysis("\n; c\r\n \t \na:\n\nNOP\nb: ; c\n\nc: NOP\nd:")
    assert analysis.diagnostics == ()
    assert analysis.program.label_addresses == {"a": 0, "b": 1, "c": 1, "d": 2}
    assert analysis.program.size == 2


def test_lines_without_end_are_read() -> None:
    check_analysis(";" * 500_000 + "\n" + "x" * 500_000)
    check_analysis("NOP " + "," * 100_000 + "\n" + "a: " * 40_000)
    check_analysis("SYNC " + "IRQ | " * 40_000 + "IRQ\n" + "ADD " + "AB[1], " * 10_000)
