"""Numbers in other bases, and branch targets written the other way."""

from __future__ import annotations

import pytest

from tests.ide.refactorings.offers import offers_at, outcome


def check_bases(text_with_cursor: str, *expected: str, isa: str = "ipu") -> None:
    """The number at the cursor can be written in these ways."""
    _, offers = offers_at(text_with_cursor, isa)
    found = [o.edits[0].new_text for o in offers if o.title.startswith("Convert")]
    assert found == list(expected)


def check_target(text_with_cursor: str, expected: str | None) -> None:
    """What writing the branch target the other way makes, or why it is refused."""
    assert outcome(text_with_cursor, "Write") == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("16", ("0x10", "0b10000")),
        ("0X_1F", ("31", "0b11111")),
        ("0b101", ("5", "0x5")),
        ("0o17", ("15", "0xf", "0b1111")),
        ("-16", ("-0x10", "-0b10000")),
        ("+1_0", ("+0xa", "+0b1010")),
        ("-0", ("0x0", "0b0")),
        ("70000", ()),
        ("lr1", ()),
    ],
)
def test_a_number_keeps_its_value_in_every_base(number: str, expected: tuple[str, ...]) -> None:
    check_bases(f"set lr0 $0{number};;", *expected)


def test_keywords_and_distances_that_look_like_numbers_stay() -> None:
    check_bases("acc.stride $08 off off lr0;;")
    check_bases("b $0+1;; bkpt;;")


def test_numbers_of_other_sets_are_converted_where_they_have_the_same_bases() -> None:
    check_bases("NOP $016", "0x10", "0b10000", isa="edgenpu")
    check_bases("LOAD WB, 0x80000000, $064", "0x40", "0b1000000", isa="edgenpu")
    check_bases("CONV AB[$01], AB[0], WB[0]", isa="edgenpu")


def test_a_label_becomes_a_distance_and_back() -> None:
    for label, distance in (
        ("x: acc;; b $0x;;", "x: acc;; b -1;;"),
        ("b $0x;; acc;; x: bkpt;;", "b +2;; acc;; x: bkpt;;"),
        ("x: b $0x;;", "x: b +0;;"),
    ):
        check_target(label, distance)
        cursor = label.index("$0")
        check_target(f"{distance[:cursor]}$0{distance[cursor:]}", label.replace("$0", ""))


def test_it_is_refused_where_no_label_stands() -> None:
    check_target("b $0+1;; bkpt;;", "there is no label at bundle 1")
    check_target("b $0+9;; bkpt;;", "there is no label at bundle 9")


def test_it_is_refused_where_the_distance_is_the_name_of_a_label() -> None:
    check_target("x: acc;; -1: b $0x;; b -1;;", "`-1` has another target here")


def test_a_target_that_is_nowhere_is_left_alone() -> None:
    check_target("b $0x;;", None)
    check_target("b $0-1;;", None)
