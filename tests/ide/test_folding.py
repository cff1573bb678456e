"""What can be folded away."""

from __future__ import annotations

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.folding import folding


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
