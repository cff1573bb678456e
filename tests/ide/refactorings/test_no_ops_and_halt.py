"""No-ops spelled out or dropped, and the halt that is missing."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble
from ipu_asm.ide.code_actions import refactorings
from ipu_asm.text import Span, apply_edits
from tests.ide.refactorings.offers import outcome

ALL = "break_nop; xmem_nop; mult_nop; aaq_nop; incr lr0 0; incr lr0 0; b +1"


def check_spelled(text_with_cursor: str, expected: str | None) -> None:
    """What spelling out the no-ops makes; the words stay."""
    found = outcome(text_with_cursor, "Spell out the no-ops")
    assert found == expected
    if expected is not None:
        assert assemble(expected) == assemble(text_with_cursor.replace("$0", ""))


def check_dropped(text_with_cursor: str, expected: str | None) -> None:
    """What dropping the no-ops makes; the words stay."""
    found = outcome(text_with_cursor, "Drop the no-ops")
    assert found == expected
    if expected is not None:
        assert assemble(expected) == assemble(text_with_cursor.replace("$0", ""))


def check_halt(text_with_cursor: str, expected: str | None) -> None:
    """What adding the halt makes of the text."""
    assert outcome(text_with_cursor, "Add `bkpt` after the last bundle") == expected


def test_every_slot_gets_a_name() -> None:
    check_spelled("a$0cc;; bkpt;;", f"acc; {ALL};; bkpt;;")


def test_what_is_spelled_out_is_dropped_again() -> None:
    check_dropped(f"a$0cc; {ALL};; bkpt;;", "acc;; bkpt;;")
    check_spelled(f"a$0cc; {ALL};; bkpt;;", None)


def test_no_ops_are_dropped_wherever_they_stand() -> None:
    check_dropped("xm$0em_nop; acc; mult_nop; aaq; break_nop; b +1;;", "acc; aaq;;")
    check_dropped("xmem_nop; # a\nac$0c; # b\nmult_nop # c\n;;", " # a\nacc # b\n # c\n;;")


def test_a_bundle_keeps_one_instruction() -> None:
    check_dropped("xm$0em_nop; acc_nop;; bkpt;;", "xmem_nop;; bkpt;;")
    check_dropped("xm$0em_nop;; bkpt;;", None)


def test_branches_and_broken_bundles_stay() -> None:
    check_dropped("acc; b $0+0;;", None)
    check_dropped("acc_nop; $0foo;;", None)
    check_spelled("acc; $0foo;;", None)


def test_a_selection_means_all_its_bundles() -> None:
    text = "acc; mult_nop;;\nacc; xmem_nop;;\nacc; aaq_nop;;"
    actions = refactorings(analyze(text), Span(2, 22))
    (drop,) = (action for action in actions if action.title == "Drop the no-ops")
    assert apply_edits(text, drop.edits) == "acc;;\nacc;;\nacc; aaq_nop;;"


def test_the_last_bundle_of_a_full_memory_cannot_go_on() -> None:
    reason = "instruction memory holds 1024 bundles, and it is full"
    assert outcome("acc;;" * 1023 + "acc$0;;", "Spell out the no-ops") == reason
    check_dropped("acc;;" * 1023 + "bkpt; acc_nop$0;;", "acc;;" * 1023 + "bkpt;;")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("acc;;\n  a$0cc;;\n", "acc;;\n  acc;;\n  bkpt;;\n"),
        ("acc;;\r\nx: a$0cc", "acc;;\r\nx: acc;;\r\nbkpt;;"),
        ("a$0cc; # c", "acc;;\nbkpt;; # c"),
        ("x: a$0cc; bne lr0 lr1 x;; # c\n", "x: acc; bne lr0 lr1 x;;\nbkpt;; # c\n"),
    ],
)
def test_the_missing_halt_is_added_behind_the_last_bundle(text: str, expected: str) -> None:
    check_halt(text, expected)
    assert "runs-off-end" not in [f.name for f in analyze(expected).diagnostics]


def test_there_is_no_halt_to_add_where_none_is_missing() -> None:
    check_halt("a$0cc; bkpt;;", None)
    check_halt("x: acc; b $0x;;", None)
    check_halt("a$0cc;; acc;;", None)
    check_halt("$0", None)
