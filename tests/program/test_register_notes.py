"""What authors call their registers, and what only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.program.register_notes import notes_at, register_notes

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.s"))


def check_notes(text: str, bundle: int, isa: str = "ipu", **expected: str) -> None:
    """At a bundle, the registers are called exactly this."""
    assert notes_at(analyze(text, isa).program, bundle) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# lr5 = row offset", {"lr5": "row offset"}),
        ("// lr5: row offset", {"lr5": "row offset"}),
        ("#   cr0  = INPUT_BASE (channel 0)", {"cr0": "INPUT_BASE (channel 0)"}),
        ("# lr0, lr1 = from and to", {"lr0": "from and to", "lr1": "from and to"}),
        ("# lr7-lr9: spare", {"lr7": "spare", "lr8": "spare", "lr9": "spare"}),
        ("# LR5 = row", {"lr5": "row"}),
        ("# cr4 = LAST_ROW ((H + 1) * 128)", {"cr4": "LAST_ROW ((H + 1) * 128)"}),
        ("# r0 = set of rows", {"r0": "set of rows"}),
        ("# r0 = the sample; r1 = none", {"r0": "the sample", "r1": "none"}),
        (
            "# aaq0 = maximum, aaq1, aaq2 = sum, twice",
            {"aaq0": "maximum", "aaq1": "sum, twice", "aaq2": "sum, twice"},
        ),
        ("# r0 = the sample; the rest: none", {"r0": "the sample; the rest: none"}),
    ],
)
def test_authors_write_names_in_these_ways(line: str, expected: dict[str, str]) -> None:
    check_notes(f"{line}\nacc;;", 0, **expected)
    check_notes(f"acc;;\nacc;;\n{line}\nacc;;", 2, **expected)


@pytest.mark.parametrize(
    "line",
    [
        "# lr5 = lr4 + 1",
        "# lr5 = lr4+1 ; the next",
        "# lr5 = lr4",
        "# lr5 = (lr4 - 0x10) * lr3",
        "# lr5 = lr4 << SHIFT",
        "# aaq0 = cr4, aaq1 = cr5: the maximum of 128 ones",
        "# lr5 += 128",
        "# lr5 -= 128",
        "# lr5 == 3 in the end",
        "# lr5 := lr6",
        "# set lr5 3",
        "# set lr5 3;;",
        "# lr5: set lr5 3;;",
        "# lr5: incr lr5 1",
        "# again: incr lr5 1;;",
        "# lr5 counts: up",
        "# the row is in lr5: see there",
        "# lr99 = nothing",
        "# lr5 =",
        "# = lr5",
        "# lr5",
        "lr5 = row",
    ],
)
def test_code_and_prose_are_no_names(line: str) -> None:
    check_notes(f"{line}\nacc;;", 0)
    check_notes(f"acc;;\n{line}\nacc;;", 1)


def test_a_number_is_a_name_at_the_head_of_a_file_alone() -> None:
    check_notes("# cr4 = 0x80\nacc;;", 0, cr4="0x80")
    check_notes("acc;;\n# cr4 = 0x80\nacc;;", 1)


def test_a_later_definition_nearer_to_the_use_wins() -> None:
    text = "# lr5 = row\nacc;;\n# lr5 = column\n# lr6: end\nacc;;\nacc;;\n# lr5: byte\nacc;;"
    check_notes(text, 0, lr5="row")
    check_notes(text, 1, lr5="column", lr6="end")
    check_notes(text, 2, lr5="column", lr6="end")
    check_notes(text, 3, lr5="byte", lr6="end")
    assert register_notes(analyze(text).program) == {"lr5": "row"}


def test_a_note_behind_a_bundle_holds_for_that_bundle() -> None:
    text = "acc;;\nset lr5 3;;  # lr5 = rows left\nacc;;"
    check_notes(text, 0)
    check_notes(text, 1, lr5="rows left")
    check_notes(text, 2, lr5="rows left")


def test_a_note_inside_a_bundle_holds_for_that_bundle() -> None:
    text = "acc;;\n  set lr5 3;  # lr5 = rows left\n  acc;;\nacc;;"
    check_notes(text, 0)
    check_notes(text, 1, lr5="rows left")
    check_notes("  set lr5 3;  # lr5 = rows left\n  acc;;", 0, lr5="rows left")


def test_notes_of_another_instruction_set_follow_its_comments() -> None:
    text = "; AB[0] = the image\nSYNC WAIT_DMA\n; AB[0] = the result\nSYNC WAIT_DMA\n"
    program = analyze(text, "edgenpu").program
    last = len(program.bundles) - 1
    assert notes_at(program, 0) == {"AB[0]": "the image"}
    assert notes_at(program, last) == {"AB[0]": "the result"}


def test_notes_follow_edits() -> None:
    check_notes("acc;;\n# lr5 = row\nacc;;", 1, lr5="row")
    check_notes("acc;;\n# lr5 = column\nacc;;", 1, lr5="column")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_name_their_registers_at_the_head_and_nowhere_else(path: Path) -> None:
    program = analyze(path.read_text(encoding="utf-8")).program
    assert register_notes(program)
    for bundle in range(len(program.bundles)):
        assert notes_at(program, bundle) == register_notes(program)


PIECES = ["#", "//", "lr5", "lr0-lr3", "=", ":", " ", "\n", "\r", ";;", ";", "acc", "row", "3", ","]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_at_any_bundle_has_notes_of_registers(text: str) -> None:
    program = analyze(text).program
    for bundle in range(-1, len(program.bundles) + 2):
        assert set(notes_at(program, bundle)) <= set(program.isa.file_of_register)
