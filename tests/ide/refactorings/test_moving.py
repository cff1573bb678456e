"""Moving an instruction to a neighbour of its bundle."""

from __future__ import annotations

import pytest

from tests.ide.refactorings.offers import offers_at, outcome


def check_move(text_with_cursor: str, where: str, expected: str | None) -> None:
    """What moving the instruction to the next or previous bundle makes, or why it is refused."""
    _, offers = offers_at(text_with_cursor)
    titles = [o.title for o in offers if o.title.startswith("Move") and where in o.title]
    assert (outcome(text_with_cursor, titles[0]) if titles else None) == expected


def test_an_instruction_moves_in_front_of_those_of_the_next_bundle() -> None:
    check_move("set lr0 1; a$0cc;;\nset lr1 1;;", "next", "set lr0 1;;\nacc; set lr1 1;;")
    check_move("$0set lr0 1; acc;;\nset lr1 1;;", "next", "acc;;\nset lr0 1; set lr1 1;;")


def test_an_instruction_moves_behind_those_of_the_previous_bundle() -> None:
    check_move("set lr0 1;;\n$0acc; set lr1 1;;", "previous", "set lr0 1; acc;;\nset lr1 1;;")


def test_it_is_laid_out_as_its_new_neighbours() -> None:
    check_move(
        "    acc;\n    set lr0 1;;\n    set lr1 1;\n    $0mult.ev r0 lr2 lr3 lr4;;",
        "previous",
        "`acc` would see another value of `mult_res`",
    )
    check_move(
        "    agg sum value cr0 aaq0;\n    set lr0 1\n    ;;\n    set lr1 1;\n    $0reset_acc;;",
        "previous",
        "`agg sum value cr0 aaq0` would see another value of `r_acc`",
    )
    check_move(
        "    acc;\n    set lr0 1\n    ;;\n    $0set lr1 1;\n    aaq;;",
        "previous",
        "    acc;\n    set lr0 1;\n    set lr1 1\n    ;;\n    aaq;;",
    )


def test_comments_stay() -> None:
    check_move(
        "acc; # sum\n$0set lr1 1 # one\n;; # end\nacc; # again\nset lr0 0 # zero\n;;",
        "next",
        "acc # sum\n   # one\n;; # end\nset lr1 1; acc; # again\nset lr0 0 # zero\n;;",
    )
    check_move("acc # sum\n;; $0set lr1 1; acc;;", "previous", "set lr1 1; acc # sum\n;; acc;;")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$0acc;; set lr0 1;;", "it is the only instruction of its bundle: join the bundles inst"),
        ("$0acc; set lr0 1;; acc;;", "slot `acc` holds one instruction, and it is taken"),
        ("$0set lr0 1; acc;; set lr1 1; set lr2 1;;", "slot `lr` holds 2 instructions"),
        ("$0set lr0 1; acc;; set lr0 2;;", "two instructions of one bundle would write `lr0`"),
        ("$0set lr0 1; acc;; x: acc; b x;;", "the label `x` stands between the bundles"),
        ("$0set lr0 1; acc;; acc; b +0;;", "a branch targets bundle 1, the second of the two"),
        ("$0set lr0 1; bne lr0 lr1 +2;; acc;; bkpt;;", "`bne lr0 lr1 +2` may leave the first"),
        ("set lr0 1; $0b +1;; acc;;", "a branch takes effect for its whole bundle"),
        ("acc; $0break;; set lr0 1;;", "a debugger would stop somewhere else"),
        ("$0acc; set lr1 1;; break; set lr0 1;;", "a debugger may stop between the bundles"),
        ("$0acc; set lr0 1;; set lr1 1;; br lr1;;", "a branch of this program takes its target"),
        ("$0acc; set lr0 1;; foo;;", "correct the error in bundle 1 first"),
        ("$0acc; set lr70 1;; acc;;", "correct the error in bundle 0 first"),
        ("$0acc; set lr0 1;; str_acc_reg lr0 cr0;;", "`str_acc_reg lr0 cr0` would see another"),
        ("$0set lr1 1; acc;; beq lr1 lr2 -1;;", "`beq lr1 lr2 -1` would see another value of"),
    ],
)
def test_it_is_refused_with_the_reason(text: str, reason: str) -> None:
    _, offers = offers_at(text)
    (offer,) = (o for o in offers if o.title.startswith("Move") and "next" in o.title)
    assert offer.refusal_reason.startswith(reason)
    assert offer.edits == ()


def test_what_is_read_live_may_come_together_with_its_write() -> None:
    check_move(
        "$0set lr0 1; acc;; ldr_mult_reg r0 lr0 cr0;;",
        "next",
        "acc;; set lr0 1; ldr_mult_reg r0 lr0 cr0;;",
    )


def test_there_is_nothing_behind_the_last_bundle_and_before_the_first() -> None:
    check_move("$0acc; bkpt;;\n# end", "next", None)
    check_move("$0acc; bkpt;;\n# end", "previous", None)
    check_move("acc;;\n# $0not here\nbkpt;;", "next", None)
    check_move("$0x: acc; set lr0 1;; bkpt;;", "next", None)


def test_directly_behind_a_bundle_it_is_still_meant() -> None:
    check_move("set lr0 1; acc;;$0\nset lr1 1;;", "next", "set lr0 1;;\nacc; set lr1 1;;")
