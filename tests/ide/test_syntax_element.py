"""What stands at the cursor."""

from __future__ import annotations

import pytest

from ipu_asm import analyze
from ipu_asm.ide.syntax_element import element_at, instruction_at
from tests.ide.cursor import fixture


def check_place(
    text_with_cursor: str,
    kind: str,
    text: str,
    *numbers: int | str,
    off_by: int = 0,
    isa: str = "ipu",
) -> None:
    """The place is of that kind and covers that text; `numbers` are its further fields."""
    analysis, offset = fixture(text_with_cursor, isa)
    place = element_at(analysis.program, offset + off_by)
    found = analysis.text[place.span.start : place.span.end]
    assert (type(place).__name__, found, *place[2:]) == (kind, text, *numbers)


@pytest.mark.parametrize("text", ["$0incr lr0 1;;", "in$0cr lr0 1;;", "incr$0 lr0 1;;"])
def test_a_mnemonic_reaches_from_its_first_letter_to_behind_its_last(text: str) -> None:
    check_place(text, "Mnemonic", "incr", 0)


def test_instructions_and_operands_are_numbered_within_the_bundle() -> None:
    check_place("acc; incr lr0 $01;;", "OperandAt", "1", 1, 1)
    check_place("acc; in$0cr lr0 1;;", "Mnemonic", "incr", 1)


def test_a_name_wins_over_the_sign_beside_it() -> None:
    check_place("acc$0;;", "Mnemonic", "acc", 0)
    check_place("acc;$0bkpt;;", "Mnemonic", "bkpt", 1)
    check_place("acc;;$0bkpt;;", "Mnemonic", "bkpt", 0)
    check_place("again$0: acc;;", "LabelDefinition", "again", "again")


def test_a_label_is_its_name_without_the_colon() -> None:
    check_place("ag$0ain : acc;;", "LabelDefinition", "again", "again")
    check_place("again :$0 acc;;", "Blank", ":")


def test_the_end_of_a_bundle_is_one_mark() -> None:
    check_place("acc;$0;", "BundleEnd", ";;")
    check_place("acc;;$0", "BundleEnd", ";;")
    check_place("acc $0;;", "BundleEnd", ";;")


def test_a_comment_begins_behind_its_mark_and_ends_with_its_line() -> None:
    check_place("acc; #$0 one\nbkpt;;", "Comment", "# one")
    check_place("acc; # one$0\nbkpt;;", "Comment", "# one")
    check_place("acc; /$0/ # two\r\nbkpt;;", "Comment", "// # two")
    check_place("acc;  $0# one", "Blank", "")
    check_place("# one\n$0\nacc;;", "Blank", "")


def test_a_comment_behind_the_last_mark_of_a_line_belongs_to_the_next_bundle() -> None:
    check_place("acc;; # o$0ne\nbkpt;;", "Comment", "# one")


def test_blanks_are_nothing() -> None:
    check_place("incr  $0  lr0 1;;", "Blank", "")
    check_place("$0", "Blank", "")


def test_what_is_around_a_stray_sign_keeps_its_meaning() -> None:
    check_place("incr lr0, $01; acc;;", "OperandAt", "1", 0, 1)
    check_place("incr lr0 ,$0 1; acc;;", "Blank", ",")
    check_place("incr lr0 ?? ; a$0cc;;", "Mnemonic", "acc", 1)


def test_a_label_in_the_middle_of_a_bundle_is_still_a_label() -> None:
    check_place("acc; ag$0ain: bkpt;;", "LabelDefinition", "again", "again")
    check_place("acc; again: bk$0pt;;", "Mnemonic", "bkpt", 1)


def test_only_the_bundle_at_the_cursor_is_taken_apart() -> None:
    text = "".join(f"incr lr0 {number};;\n" for number in range(100))
    analysis, _ = fixture(text + "bkpt;;$0")
    assert analysis.diagnostics == ()
    element_at(analysis.program, text.index("50"))
    bundles = analysis.program.bundles
    taken_apart = [number for number, b in enumerate(bundles) if b.syntax._spans is not None]
    assert taken_apart == [50]


def test_offsets_outside_the_text_count_as_its_ends() -> None:
    check_place("acc;;$0", "BundleEnd", ";;", off_by=99)
    check_place("$0acc;;", "Mnemonic", "acc", 0, off_by=-5)


def test_a_byte_order_mark_is_before_everything() -> None:
    check_place("$0\ufeffacc;;", "Mnemonic", "acc", 0)
    check_place("\ufeffa$0cc;;", "Mnemonic", "acc", 0)


def test_a_comment_with_an_end_of_its_own_ends_there() -> None:
    for text in (
        "nop /*$0 a\n b */ // c\n",
        "nop /* a\n $0b */ // c\n",
        "nop /* a\n b *$0/ // c\n",
    ):
        check_place(text, "Comment", "/* a\n b */", isa="xdna1")
    check_place("nop /* a\n b */$0 // c\n", "Blank", "", isa="xdna1")
    check_place("nop /* a\n b */ // c$0\n", "Comment", "// c", isa="xdna1")


def test_marks_of_comments_inside_strings_and_preprocessor_lines_are_none() -> None:
    check_place('.file "a// $0b"\n', "Blank", '"a// b"', isa="xdna1")
    check_place('.ascii "/* $0", 3\n', "Blank", '"/* "', isa="colossus")
    check_place("#define $0A 1\nbri x\n", "Blank", "#define A 1", isa="colossus")
    check_place("#define A 1\nb$0ri x\n", "Mnemonic", "bri", 0, isa="colossus")


def test_every_label_of_a_line_is_one() -> None:
    check_place("a$0: b: bri a\n", "LabelDefinition", "a", "a", isa="colossus")
    check_place("a: b$0: bri a\n", "LabelDefinition", "b", "b", isa="colossus")


REFERENCE_TEXT = "x: incr lr0 1; foo lr1; acc.first;;  # acc\nb x;;\n"


def check_instruction(fragment: str) -> str | None:
    """The mnemonic of the instruction at the start of a fragment of the text."""
    spec = instruction_at(analyze(REFERENCE_TEXT), REFERENCE_TEXT.index(fragment))
    return spec and spec.mnemonic


@pytest.mark.parametrize("fragment", ["incr", "ncr", "lr0", "1;"])
def test_an_instruction_is_found_at_its_name_and_at_its_operands(fragment: str) -> None:
    assert check_instruction(fragment) == "incr"


def test_the_instruction_under_the_cursor_counts_not_the_first_of_the_bundle() -> None:
    assert check_instruction("acc.first") == "acc.first"


@pytest.mark.parametrize("fragment", ["x:", "foo", "lr1", "# acc", ":"])
def test_labels_comments_and_unknown_names_are_no_instructions(fragment: str) -> None:
    assert check_instruction(fragment) is None
