"""Splitting and joining bundles."""

from __future__ import annotations

import pytest

from tests.ide.refactorings.offers import outcome


def check_split(text_with_cursor: str, expected: str | None) -> None:
    """What splitting the bundle at the cursor makes, or why it is refused."""
    assert outcome(text_with_cursor, "Split the bundle") == expected


def check_join(text_with_cursor: str, expected: str | None) -> None:
    """What joining the bundle with the next makes, or why it is refused."""
    assert outcome(text_with_cursor, "Join with the next bundle") == expected


def test_a_bundle_is_split_before_the_instruction_at_the_cursor() -> None:
    for text in ("  set lr0 1; a$0cc; aaq;;", "  set lr0 1; $0acc; aaq;;"):
        check_split(text, "  set lr0 1;;\n  acc; aaq;;")
    check_split("  set lr0 1; acc; $0aaq;;", "  set lr0 1; acc;;\n  aaq;;")
    check_split("x: acc;$0\n    aaq\r\n;;", "x: acc;;\n    aaq\r\n;;")
    check_split("x: acc; $0aaq;;\r\n", "x: acc;;\r\n    aaq;;\r\n")


def test_it_is_not_split_before_its_first_instruction() -> None:
    check_split("a$0cc; aaq;;", None)
    check_split("$0x: acc; aaq;; b x;;", None)
    check_split("acc$0;;", None)


def test_comments_stay_where_they_are() -> None:
    check_split("acc; # one\n$0aaq # two\n;;", "acc;; # one\naaq # two\n;;")
    check_join("a$0cc # one\n;; # two\naaq;;", "acc; # one\n # two\naaq;;")
    check_join("a$0cc; # one\n;; # two\naaq;;", "acc; # one\n # two\naaq;;")


def test_a_bundle_is_joined_with_the_next() -> None:
    check_join("a$0cc;;\n  set lr0 1;;", "acc;\n  set lr0 1;;")
    check_join("acc;\n$0;;\n  set lr0 1;;", "acc;\n  set lr0 1;;")
    check_join("acc$0\n;;\n  set lr0 1", "acc;\n  set lr0 1")


def test_distances_that_lead_across_are_written_anew() -> None:
    check_split("b +2;; acc; $0aaq;; bkpt;;", "b +3;; acc;;\n    aaq;; bkpt;;")
    check_split("b +1;; acc; $0b -1;;", "b +1;; acc;;\n    b -2;;")
    check_join("b +3;; a$0cc;; set lr0 1;; b -3;;", "b +2;; acc; set lr0 1;; b -2;;")
    check_join("x: b +3;; a$0cc;; b x;; b +0;;", "x: b +2;; acc; b x;; b +0;;")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("b +1; $0acc;; bkpt;;", "`b +1` would branch away before the rest of the bundle has run"),
        ("acc; $0break;;", "its break instruction would stop a debugger after one half only"),
        ("acc; $0set lr0 1;; br lr0;;", "a branch of this program takes its target from a reg"),
        ("set lr0 1; $0add lr1 lr0 lr0;;", "`add lr1 lr0 lr0` would see another value of `lr0`"),
        ("aaq; $0acc;;", "`aaq` would see another value of `r_acc`"),
        ("acc; $0foo;;", "correct the error in bundle 0 first"),
        ("acc; $0set lr0 1;;" + " aaq;;" * 1023, "instruction memory holds 1024 bundles, and"),
        ("b +1023;; acc; $0aaq;;", "another distance, `+1023`, cannot become `+1024`"),
    ],
)
def test_a_split_is_refused_with_the_reason(text: str, reason: str) -> None:
    assert (outcome(text, "Split the bundle") or "").startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$0acc;; acc;;", "slot `acc` holds one instruction, and it is taken"),
        ("$0set lr0 1;; incr lr0 1;;", "two instructions of one bundle would write `lr0`"),
        ("$0acc;; x: bkpt;;", "the label `x` stands between the bundles"),
        ("b +2;; $0acc;; aaq;; bkpt;;", "a branch targets bundle 2, the second of the two"),
        ("$0bkpt;; acc;;", "`bkpt` may leave the first bundle before the second one runs"),
        ("$0acc;; break.ifeq lr0 1;;", "a debugger may stop between the bundles"),
        ("$0acc;; str_acc_reg lr0 cr0;;", "`str_acc_reg lr0 cr0` would see another value of"),
        ("$0set lr0 1;; bne lr0 lr1 -1;;", "`bne lr0 lr1 -1` would see another value of `lr0`"),
        ("$0set lr0 1;; acc;; br lr0;;", "a branch of this program takes its target from a reg"),
        ("$0acc;; set lr0 x;;", "correct the error in bundle 1 first"),
    ],
)
def test_a_join_is_refused_with_the_reason(text: str, reason: str) -> None:
    assert (outcome(text, "Join with the next bundle") or "").startswith(reason)


def test_there_is_nothing_to_join_behind_the_last_bundle() -> None:
    check_join("acc;; b$0kpt;;\n# end", None)


def test_lines_are_no_bundles() -> None:
    assert outcome("NOP $01\nSYNC", "Join", "edgenpu") is None
    assert outcome("NOP $01\nSYNC", "Move", "edgenpu") is None
