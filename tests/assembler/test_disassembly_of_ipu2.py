"""Random programs of IPU 2: their text assembles back, and formatting keeps their words."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble, disassemble
from ipu_asm.config import FORMAT_STYLES, MNEMONIC_CASES
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.text import apply_edits
from tests.targets.ipu2.machine.random_states import random_word

pytestmark = pytest.mark.usefixtures("short_control_runs")
EVERY_CASE = pytest.mark.parametrize("case", MNEMONIC_CASES)


def program(rng: Random) -> list[int]:
    """Some random words, without those that no source has."""
    return [word for word in (random_word(rng) for _ in range(12)) if has_source(word)]


def has_source(word: int) -> bool:
    """Whether all fields have a meaning and no register is written twice."""
    text = disassemble([word], "ipu2")
    codes = {finding.code for finding in analyze(text, "ipu2").diagnostics}
    return "<invalid>" not in text and "E202" not in codes


@given(st.randoms(use_true_random=True))
def test_words_become_text_that_assembles_to_them(rng: Random) -> None:
    words = program(rng)
    assert assemble(disassemble(words, "ipu2"), "ipu2") == words


@EVERY_CASE
@given(st.randoms(use_true_random=True), st.sampled_from(FORMAT_STYLES))
def test_formatting_keeps_words_and_changes_nothing_twice(
    case: str, rng: Random, style: str
) -> None:
    words = program(rng)
    text = "".join(
        rng.choice((each, each * 2)) if each == " " else each for each in disassemble(words, "ipu2")
    )
    once = apply_edits(text, formatting(analyze(text, "ipu2"), style, case=case))
    assert assemble(once, "ipu2") == words
    assert formatting(analyze(once, "ipu2"), style, case=case) == []
