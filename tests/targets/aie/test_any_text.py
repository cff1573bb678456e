"""Whatever stands in a file for an AI Engine, it is read, and an edit is read like the whole."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from tests.fuzz import check_text
from tests.hostile import mutated, noise
from tests.targets.aie.cases import NAMES, specs_of, written
from tests.targets.aie.test_surface import PRINTED

WORDS = (
    "nop",
    "lda",
    "r0",
    "r17:r16",
    "[p0, #32]",
    "[sp, #-32]",
    "#.La",
    "#(1<<3)|2",
    "scd[r31++]",
)
MARKS = (",", ";", ";\n", ":", "#", "[", "]", "=", "(", ")", "<<", "//", "/*", "*/", '"', "\\", "'")
BLANKS = (" ", " ", "\n", "\n", "\r", "\r\n", "\t", "\f", "\0", "\ufeff", "\ud800", "\u2028")
LINES = ("\t.p2align 4\n", ".La:\n", "a: nop\n", "// c;\n", '.ascii "// b;"\n', ".macro m\n")
PIECES = st.one_of(st.sampled_from((*WORDS, *MARKS, *BLANKS, *LINES)), st.text(max_size=3))
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def check_edits(isa: str, text: str, edits: list[tuple[float, float, str]]) -> Analysis:
    """A text and its edits are sound, and each state is read as it would be afresh."""
    analysis, _ = check_text(text, isa)
    for where, length, new in edits:
        start = int(where * len(text))
        text = text[:start] + new + text[start + int(length * len(text)) :]
        analysis, _ = check_text(text, isa, analysis)
    return analysis


@given(TEXTS, st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.2), TEXTS), max_size=4))
@settings(max_examples=300)
def test_any_text_is_read(text: str, edits: list[tuple[float, float, str]]) -> None:
    check_edits("xdna1", text, edits)


@pytest.mark.parametrize("isa", NAMES)
def test_damaged_programs_are_read(isa: str) -> None:
    random = Random(5)
    lines = [f"\t{written(spec, random.randrange(9))}\n" for spec in specs_of(isa)]
    seeds = [PRINTED, *("".join(random.sample(lines, 12)) for _ in range(10))]
    for _ in range(60):
        text = random.choice(seeds) if random.random() < 0.8 else noise(random)
        analysis = None
        for _edit in range(3):
            text = mutated(random, text, seeds)
            analysis, _ = check_text(text, isa, analysis)


def test_lines_without_end_are_read() -> None:
    check_edits("xdna1", "nop " + "a, " * 30_000 + "\n" + "a: " * 20_000, [])
    check_edits("xdna1", "nopa; " * 20_000 + "\n" + "#" * 20_000, [])
    check_edits("xdna1", "mova r0, #" + "(" * 20_000 + "\n" + '"' * 20_001, [])
