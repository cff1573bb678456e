"""Which findings a selection keeps."""

from __future__ import annotations

import os
from typing import Mapping, Sequence

import pytest

from ipu_asm.lint.rules import all_rules
from ipu_asm.lint.selection import Selection

RULES = {rule.id.code: rule.id for rule in all_rules()}


def check_kept(
    expected: str,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    of: str = "E001 E101 W001 W103 W102 H101",
) -> None:
    """Of some codes, the selection keeps exactly the expected ones."""
    selection = Selection(select, ignore, extend_select)
    assert [code for code in of.split() if selection.keeps(RULES[code])] == expected.split()
    assert selection.unknown_selectors() == []


def check_in_file(
    path: str, patterns: Mapping[str, Sequence[str]], *, kept: bool, folder: str = ""
) -> None:
    """Whether W103 is kept in a file."""
    selection = Selection(per_file_ignores=patterns, folder=folder)
    assert selection.keeps(RULES["W103"], path) is kept
    assert selection.keeps(RULES["W103"])


def test_everything_is_kept_by_default() -> None:
    selection = Selection()
    assert all(selection.keeps(rule) for rule in RULES.values())
    assert all(selection.keeps(rule, "a.s") for rule in RULES.values())


def test_codes_names_beginnings_and_all_select() -> None:
    check_kept("W103", ["W103"])
    check_kept("W103", ["runs-off-end"])
    check_kept("W103 W102", ["W1"])
    check_kept("W001 W103 W102", ["W"])
    check_kept("E001 E101 W001 W103 W102 H101", ["ALL"])
    check_kept("E001 E101 W103", ["E", "runs-off-end"])


def test_selectors_may_be_written_in_any_case() -> None:
    check_kept("E001 E101 W103", ["e", "Runs-Off-End"])
    check_kept("H101", ["h101"])
    check_kept("E001", ["all"], ["ALL"], ["e0"])


def test_an_empty_selection_keeps_nothing() -> None:
    check_kept("", [])
    check_kept("H101", [], extend_select=["H"])


def test_ignored_kinds_are_left_out() -> None:
    check_kept("E001 E101 W001 H101", ignore=["W1"])
    check_kept("", ignore=["ALL"])


def test_the_more_specific_selector_wins_wherever_it_stands() -> None:
    check_kept("W103", ["W103"], ["W"])
    check_kept("W103", ["W103"], ["W1"])
    check_kept("W103", ["runs-off-end"], ["W1"])
    check_kept("W001 W102", ["W"], ["W103"])
    check_kept("W001", ["W"], ["W1"])
    check_kept("W103 W102", ["W1"], ["W"])
    check_kept("E001 E101 W103 H101", ["ALL"], ["W"], ["W103"])


def test_of_two_alike_ignore_wins() -> None:
    check_kept("", ["W103"], ["runs-off-end"])
    check_kept("", ["W"], ["W"])
    check_kept("", ["ALL"], ["ALL"])


def test_extending_adds_to_what_is_selected() -> None:
    check_kept("W103 H101", ["W103"], extend_select=["H"])
    check_kept("E001 E101 W001 W103 W102 H101", extend_select=["H"])


def test_a_part_of_a_name_is_no_selector() -> None:
    selection = Selection(["unused"], ["1", "W1031", ""], ["label"])
    assert not any(selection.keeps(rule) for rule in RULES.values())


def test_unknown_selectors_are_told_once_and_in_their_order() -> None:
    selection = Selection(["W9", "E"], ["unused-lable", "W9"], ["W1031"], {"*.s": ["all", "Y", ""]})
    assert selection.unknown_selectors() == ["W9", "W1031", "unused-lable", "Y", ""]


@pytest.mark.parametrize(
    ("path", "pattern", "kept"),
    [
        ("a.s", "a.s", False),
        ("a.s", "*.s", False),
        ("./a.s", "./a.s", False),
        ("b.s", "a.s", True),
        ("old/a.s", "a.s", False),
        ("old/deep/a.s", "old/**", False),
        ("old/deep/a.s", "old", False),
        ("new/a.s", "old/**", True),
        ("new/a.s", "!old/**", False),
        ("old/a.s", "!old/**", True),
    ],
)
def test_patterns_of_paths_ignore_what_they_list(path: str, pattern: str, kept: bool) -> None:
    check_in_file(path, {pattern: ["W1"]}, kept=kept)
    check_in_file(path, {pattern: ["E", "runs-off-end"]}, kept=kept)
    check_in_file(path, {pattern: ["E", "H"]}, kept=True)


def test_patterns_are_relative_to_their_folder() -> None:
    folder = os.path.join(os.getcwd(), "kernels")
    check_in_file("kernels/old/a.s", {"old/*.s": ["ALL"]}, kept=False, folder=folder)
    check_in_file("kernels/old/a.s", {"kernels/old/*.s": ["ALL"]}, kept=True, folder=folder)


def test_a_file_ignores_even_what_is_selected_by_its_code() -> None:
    selection = Selection(["W103"], per_file_ignores={"*.s": ["ALL"]})
    assert not selection.keeps(RULES["W103"], "a.s")
    assert selection.keeps(RULES["W103"], "a.ipu")
