"""Any text gives an analysis: never an exception, everything in its place, after any edit the same.

`IPU_FUZZ_CASES` says how many random texts are tried; `python -m tests.fuzz` tries 100,000 and
keeps an eye on the time as well.
"""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import SETS, check_text, giants, run, type_in
from tests.hostile import SPLINTERS
from tests.programs import example_kernels

CASES = int(os.environ.get("IPU_FUZZ_CASES", "2000"))
SHARDS = 4
GIANTS = dict(giants(3_000))


@pytest.mark.parametrize("shard", range(SHARDS))
def test_mutated_programs_are_analysed_soundly_at_once_and_edit_by_edit(shard: int) -> None:
    assert sum(1 for _ in run(CASES // SHARDS, seed=1000 + shard)) >= CASES // SHARDS


@pytest.mark.parametrize("isa", SETS)
@given(st.text(max_size=60))
def test_texts_of_any_characters_are_analysed_soundly(isa: str, text: str) -> None:
    check_text(text, isa)


@pytest.mark.parametrize("isa", SETS)
@given(st.lists(st.lists(st.sampled_from(SPLINTERS), max_size=8).map("".join), max_size=4))
def test_one_text_after_another_is_analysed_as_if_it_were_the_first(
    isa: str, texts: list[str]
) -> None:
    analysis = None
    for text in texts:
        analysis, _ = check_text(text, isa, analysis)


@pytest.mark.parametrize("name", example_kernels())
def test_an_example_is_analysed_while_it_is_typed_in_pieces(name: str) -> None:
    text = example_kernels()[name]
    typed = [outcome.text for outcome in type_in(text, every=97, step=3)]
    assert len(typed) >= len(text) / 3
    assert typed[-1] == text


@pytest.mark.parametrize("name", example_kernels())
def test_an_example_is_analysed_while_it_is_deleted_from_its_start(name: str) -> None:
    text = example_kernels()[name]
    analysis = None
    for start in range(0, len(text), 61):
        analysis, _ = check_text(text[start:], "ipu", analysis)


@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("isa", SETS)
def test_everything_over_and_over_again_is_analysed_soundly(isa: str, part: int) -> None:
    for name, text in list(GIANTS.items())[part::2]:
        place = Random(7).randrange(len(text))
        try:
            analysis, _ = check_text(text, isa)
            check_text(f"{text[:place]};;\n{text[place:]}", isa, analysis)
        except Exception as error:
            raise AssertionError(f"{name!r} over and over again") from error
