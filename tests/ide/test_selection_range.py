"""What a selection grows to."""

from __future__ import annotations

from ipu_asm.ide.folding import selection_ranges
from tests.ide.cursor import fixture


def check_selection(text_with_cursor: str, *expected: str, isa: str = "ipu") -> None:
    """The texts around the cursor from the inside out; the last is the file and goes unsaid."""
    analysis, offset = fixture(text_with_cursor, isa)
    found = [analysis.text[start:end] for start, end in selection_ranges(analysis, offset)]
    assert found == [*expected, analysis.text]


def test_an_operand_grows_to_instruction_bundle_label_and_file() -> None:
    check_selection(
        "acc;;\nx: incr lr$00 1; acc;;\n bkpt;;\n",
        *["lr0", "incr lr0 1", "x: incr lr0 1; acc;;", "x: incr lr0 1; acc;;\n bkpt;;"],
    )


def test_a_mnemonic_grows_to_its_instruction() -> None:
    check_selection("in$0cr lr0 1; acc;;\n", "incr", "incr lr0 1", "incr lr0 1; acc;;")
    check_selection("a$0cc; bkpt;;\n", "acc", "acc; bkpt;;")


def test_a_label_grows_to_what_it_heads() -> None:
    check_selection("$0x: acc;;\nbkpt;;\n", "x", "x: acc;;", "x: acc;;\nbkpt;;")


def test_loops_are_around_what_is_in_them() -> None:
    inner = "b: acc;;\n b b;;"
    check_selection(
        "a: acc;;\nb: acc;;\n b b$0;;\n b a;;\n",
        "b",
        "b b",
        "b b;;",
        inner,
        f"a: acc;;\n{inner}\n b a;;",
    )


def test_a_comment_grows_to_what_it_stands_in() -> None:
    check_selection("# no$0te\nacc;;", "# note")
    check_selection("acc; # no$0te\nbkpt;;\n", "# note", "acc; # note\nbkpt;;")


def test_blanks_are_nothing_and_grow_to_what_is_around() -> None:
    check_selection("acc; $0 bkpt;;\n\n", "", "acc;  bkpt;;")
    check_selection("acc;;\n$0\nbkpt;;", "")
    check_selection("$0")


def test_a_byte_order_mark_belongs_to_the_file() -> None:
    check_selection("$0\ufeffacc;;")
    check_selection("\ufeffacc$0;;", "acc", "acc;;")


def test_where_lines_are_instructions_bundle_and_instruction_are_one() -> None:
    check_selection(
        "x: ADD AB[$01], AB[2], AB[3] ; note\n\n",
        "AB[1]",
        "ADD AB[1], AB[2], AB[3]",
        "x: ADD AB[1], AB[2], AB[3] ; note",
        isa="edgenpu",
    )
