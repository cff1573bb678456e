"""Lines above labels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.hints import code_lenses
from ipu_asm.ide.kinds import LENS_FAMILIES, LOOPS, REFERENCES
from tests.ide.test_everywhere import TEXTS, damaged

LOOP = "b last;;\nagain: incr lr0 1; acc;;\nbne lr0 lr1 again;;\nb again;;\nlast: bkpt;;\n"


def check_lenses(
    text: str, families: tuple[str, ...], *expected: tuple[str, str], isa: str = "ipu"
) -> None:
    """The labels have exactly these lines above them."""
    found = code_lenses(analyze(text, isa), families)
    assert [(text[lens.span.start : lens.span.end], lens.text) for lens in found] == list(expected)


def test_without_a_family_there_are_none() -> None:
    check_lenses(LOOP, ())


def test_a_label_tells_how_many_branches_come_to_it() -> None:
    check_lenses(
        LOOP, (REFERENCES,), ("again", "2 branches come here"), ("last", "1 branch comes here")
    )
    check_lenses("x: acc;;", (REFERENCES,), ("x", "0 branches come here"))
    check_lenses("b +1;; x: acc;;", (REFERENCES,), ("x", "1 branch comes here"))


def test_a_loop_tells_its_bundles_and_how_full_they_are() -> None:
    text = "never runs; 3 bundles an iteration, 4 of 21 slots used (19 %)"
    check_lenses(LOOP, (LOOPS,), ("again", text))
    text = "never ends; 1 bundle an iteration, 2 of 7 slots used (29 %); bound by lr"
    check_lenses("x: incr lr0 1; incr lr1 0; b x;;", (LOOPS,), ("x", text))


def test_a_branch_ahead_makes_no_loop() -> None:
    check_lenses("b x;; acc;; x: bkpt;;", (LOOPS,))


def test_both_families_stand_above_one_label() -> None:
    found = code_lenses(analyze("x: b x;;"), LENS_FAMILIES)
    assert [lens.family for lens in found] == [REFERENCES, LOOPS]


def test_labels_that_stand_for_nothing_have_none() -> None:
    check_lenses("acc;; x:", LENS_FAMILIES)


def check_any(text: str, isa: str = "ipu") -> int:
    """All lines are above labels of the text, in their order; the answer is how many."""
    analysis = analyze(text, isa)
    found = code_lenses(analysis, LENS_FAMILIES)
    labels = {bundle.label for bundle in analysis.program.bundles}
    assert [lens.span for lens in found] == sorted(lens.span for lens in found)
    assert {text[lens.span.start : lens.span.end] for lens in found} <= labels
    return len(found)


@pytest.mark.parametrize("text", TEXTS)
def test_every_example_has_some(text: str) -> None:
    assert check_any(text) > 1


@settings(max_examples=30)
@given(damaged(), st.sampled_from(["ipu", "edgenpu"]))
def test_damaged_programs_have_theirs_above_labels(text: str, isa: str) -> None:
    check_any(text, isa)


def test_of_labels_that_other_files_may_name_only_what_is_known_is_told() -> None:
    check_lenses(
        "f:\n nop\n.LBB0:\n jnz r0, #.LBB0\n nop\n nop\n nop\n mov r1, r2\n nop\n nop\n",
        LENS_FAMILIES,
        (".LBB0", "1 branch comes here"),
        (".LBB0", "6 bundles an iteration, 3 of 36 slots used (8 %)"),
        isa="xdna1",
    )
