"""What can be folded away."""

from __future__ import annotations

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.folding import folding, selection_ranges
from tests.ide.cursor import fixture


def check_folding(text: str, *expected: str, isa: str = "ipu") -> None:
    """The folds: first and last line, counted from 1, and the kind, such as `2-4 comment`."""
    found = [
        f"{fold.first + 1}-{fold.last + 1} {fold.kind}" for fold in folding(analyze(text, isa))
    ]
    assert found == list(expected)


def test_what_is_on_one_line_does_not_fold() -> None:
    check_folding("")
    check_folding("# one\nx: acc; bkpt;;\n\n# two\n")


def test_a_bundle_folds_from_its_first_mnemonic_to_its_end() -> None:
    check_folding("acc;\n\nincr lr0 1\n;;\nbkpt;;", "1-4 region")
    check_folding("# note\n\n  acc;\n  bkpt;;", "3-4 region")


def test_a_label_folds_what_it_heads() -> None:
    check_folding("x: acc;;\nacc;;\n\n# next\ny:\n  acc;;\n", "1-2 region", "5-6 region")


def test_a_label_and_its_only_bundle_are_one_fold() -> None:
    check_folding("x: acc;\n bkpt;;", "1-2 region")
    check_folding("x:\n acc;;", "1-2 region")


def test_loops_fold_around_what_is_in_them() -> None:
    text = "outer:\n acc;;\ninner:\n acc;;\n b inner;;\n b outer;;\nend:\n bkpt;;"
    check_folding(text, "1-6 region", "3-5 region", "7-8 region")


def test_comments_fold_where_they_fill_several_lines() -> None:
    comments = ("1-2 comment", "3-6 region", "4-5 comment", "7-8 comment")
    check_folding("# 1\n  // 2\nacc; # 3\n# 4\n# 5\nbkpt;;\n# 7\n# 8", *comments)
    check_folding("# 1\n\n# 3\n# 4\n", "3-4 comment")
    check_folding("\ufeff# 1\r\n# 2\r\n", "1-2 comment")


def test_of_folds_that_begin_together_the_longest_comes_first() -> None:
    check_folding("x: acc;\n acc;;\n bkpt;;\n", "1-3 region", "1-2 region")


def test_another_instruction_set_has_its_own_comments() -> None:
    check_folding("; 1\n; 2\nx:\n  NOP\n  NOP\n", "1-2 comment", "3-5 region", isa="edgenpu")


def test_conditions_and_macros_fold_up_to_what_closes_them() -> None:
    text = "#if A\n.macro x\n nop\n nop\n.endm\n#else\n nop\n#endif\n"
    check_folding(text, "1-5 region", "2-4 region", "6-7 region", isa="colossus")


def test_a_comment_over_several_lines_folds() -> None:
    check_folding("/* a\n * b\n */\nnop\n", "1-3 comment", isa="xdna1")


def test_preprocessor_lines_are_no_comments() -> None:
    check_folding("#define A 1\n#define B 2\n// c\n// d\n", "3-4 comment", isa="colossus")


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
