"""Every feature at every offset of whole, broken and hostile programs, and while they are typed."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.analysis import Analysis, Analyzer, analyze
from ipu_asm.ide.code_actions import code_actions
from ipu_asm.ide.completion import completions, resolve
from ipu_asm.ide.definition import definition
from ipu_asm.ide.hover import hover
from ipu_asm.ide.symbols import Symbol, symbols
from ipu_asm.isa import load_isa
from ipu_asm.text import Span

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.s"))
TEXTS = [path.read_text(encoding="utf-8") for path in EXAMPLES]
SNIPPETS = st.sampled_from([
    ";", ";;", ":", "\n", "#", "//", ",", "?", "\r\n", "\r", "\f", "\0", "\ufeff", "\ud800",
    "\U0001f600",
    "acc", "incr", "lr0", "lr99", "0x", "+1", "-", "5", "x", "x:", "b",
])  # fmt: skip


def check_everywhere(analysis: Analysis, offsets: range) -> int:
    """Nothing raises, all spans are inside the text, and they are where the cursor is.

    The answer is how many things the features had to say.
    """
    answers = 0
    for offset in offsets:
        for span in _spans_at(analysis, offset):
            assert 0 <= span.start <= span.end <= len(analysis.text)
            assert span.touches(max(offset, analysis.program.starts[0]))
            answers += 1
    for action in code_actions(analysis, Span(offsets.start, offsets.stop)):
        for edit in action.edits:
            assert 0 <= edit.span.start <= edit.span.end <= len(analysis.text)
    _check_outline(symbols(analysis), len(analysis.text))
    return answers


def _spans_at(analysis: Analysis, offset: int) -> Iterator[Span]:
    if (shown := hover(analysis, offset)) is not None:
        assert shown.markdown
        assert shown.markdown.count("```") % 2 == 0
        yield shown.span
    if (way := definition(analysis, offset)) is not None:
        assert way.whole.start <= way.name.start < way.name.end <= way.whole.end
        assert way.whole.end <= len(analysis.text)
        yield way.origin
    for item in completions(analysis, offset):
        yield item.span


def _check_outline(found: list[Symbol], length: int) -> None:
    end = 0
    for symbol in found:
        assert end <= symbol.span.start == symbol.name_span.start
        assert symbol.name_span.end <= symbol.span.end <= length
        end = symbol.span.end


@pytest.mark.parametrize("text", TEXTS, ids=[path.stem for path in EXAMPLES])
def test_every_offset_of_every_example(text: str) -> None:
    assert check_everywhere(analyze(text), range(len(text) + 1)) > len(text.split())


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A stretch of an example's code, with some pieces cut out and others put in."""
    text = draw(st.sampled_from(TEXTS))
    code = text[text.index("\n\n") :]
    start = draw(st.integers(0, len(code) - 1))
    stretch = code[start : start + draw(st.integers(1, 300))]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(stretch)))
        cut = draw(st.integers(0, 30))
        stretch = stretch[:at] + draw(SNIPPETS) + stretch[at + cut :]
    return stretch


@settings(max_examples=150, deadline=None)
@given(damaged())
def test_every_offset_of_damaged_programs(text: str) -> None:
    check_everywhere(analyze(text), range(len(text) + 1))


@settings(max_examples=150, deadline=None)
@given(st.lists(SNIPPETS | st.sampled_from(" \n"), max_size=40).map("".join))
def test_every_offset_of_hostile_texts(text: str) -> None:
    check_everywhere(analyze(text), range(len(text) + 1))


def test_every_offset_of_a_program_of_another_instruction_set() -> None:
    text = (
        "; load, convolve, store\n"
        "start: LOAD WB, 0x80000000, 64, ASYNC | 2D ; go on\r\n"
        "SYNC WAIT_DMA\n\n  CONV AB[1], AB[0], WB[0], RELU, desc=start\n"
        "POOL AB[ 2 ], AB[1], AVG, kernel=2x2, , stride=\nNOP AB[\n:,|=[]\nx:"
    )
    assert check_everywhere(analyze(text, "edgenpu"), range(len(text) + 1)) > len(text)


def test_offsets_outside_the_text_are_its_ends() -> None:
    analysis = analyze("again: incr lr0 1; b again;;")
    for outside, inside in ((-1, 0), (999, len(analysis.text))):
        assert list(_spans_at(analysis, outside)) == list(_spans_at(analysis, inside)) != []


def test_every_prefix_of_a_kernel_while_it_is_typed() -> None:
    text = TEXTS[[path.stem for path in EXAMPLES].index("fully_connected")]
    analyzer = Analyzer(load_isa("ipu"))
    analysis = analyzer.analyze("")
    offered = 0
    for end in range(1, len(text) + 1):
        analysis = analyzer.analyze(text[:end], before=analysis)
        check_everywhere(analysis, range(end, end + 1))
        for item in completions(analysis, end)[:2]:
            resolve(analysis, item.label, item.kind)
            offered += 1
    assert offered > 100
