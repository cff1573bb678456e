"""What may be written at the cursor, while the bundle around it is still coming into being."""

from __future__ import annotations

import pytest

from ipu_asm.ide.completion.context import completion_context_at
from tests.ide.cursor import fixture


def check_expectation(
    text_with_cursor: str,
    mnemonic: str | None = "",
    *written: str,
    typed: str = "",
    replaced: str | None = None,
    before: str = "",
    after: str = "",
    address: int = 0,
    isa: str = "ipu",
) -> None:
    """The cursor is at an operand of `mnemonic` after those `written`, or at a mnemonic.

    `replaced` is the whole word at the cursor, `before` and `after` the mnemonics of the
    instructions that are surely in the same bundle; without a mnemonic, not even an empty one,
    there is no context.
    """
    analysis, offset = fixture(text_with_cursor, isa)
    context = completion_context_at(analysis.program, offset)
    if mnemonic is None:
        assert context is None
        return
    assert context is not None
    assert (context.mnemonic, context.typed) == (mnemonic, typed)
    assert context.complete_operands == written
    span = context.span
    assert analysis.text[span.start : span.end] == (typed if replaced is None else replaced)
    assert [other.mnemonic for other in context.before] == before.split()
    surely = context.beside[len(context.before) :]
    assert [other.mnemonic for other in surely] == after.split()
    assert context.address_in(analysis.program) == address


@pytest.mark.parametrize(
    "text", ["# only a comm$0ent", "acc; # com$0ment\nbkpt;;", "lo$0op: acc;;", "loop$0 :"]
)
def test_nothing_is_expected_in_comments_and_names_of_labels(text: str) -> None:
    check_expectation(text, None)


@pytest.mark.parametrize("text", ["$0", "loop:$0", "loop: $0 ;;", "  $0", "# one\n$0", ";$0"])
def test_an_instruction_begins_after_a_label_and_at_the_start(text: str) -> None:
    check_expectation(text)


@pytest.mark.parametrize("text", ["acc;;$0", "acc;;\n$0", "acc;; $0", "acc;; $0 # two"])
def test_an_instruction_begins_after_a_bundle(text: str) -> None:
    check_expectation(text, address=1)


def test_a_begun_mnemonic_is_replaced_as_a_whole() -> None:
    check_expectation("mu$0lt.ee", typed="mu", replaced="mult.ee")
    check_expectation("mult.ee$0", typed="mult.ee")
    check_expectation("mult.$0", typed="mult.")


def test_before_a_word_something_new_begins() -> None:
    check_expectation("$0acc;;")
    check_expectation("incr $0lr0 1;;", "incr")


def test_operands_are_counted_by_what_stands_before_the_cursor() -> None:
    check_expectation("incr $0", "incr")
    check_expectation("incr lr$0", "incr", typed="lr")
    check_expectation("incr lr0 $0", "incr", "lr0")
    check_expectation("incr lr0 -$0", "incr", "lr0", typed="-")
    check_expectation("incr lr0 1$0;;", "incr", "lr0", typed="1")
    check_expectation("incr lr0 1 $0;;", "incr", "lr0", "1")


def test_operands_may_stand_on_lines_of_their_own() -> None:
    check_expectation("incr # which\n  lr0 # how much\n  $0", "incr", "lr0")


def test_the_other_instructions_of_the_bundle_are_known() -> None:
    check_expectation("acc; $0; bkpt;;", before="acc", after="bkpt")
    check_expectation(
        "acc; in$0cr lr0 1; bkpt;;", typed="in", replaced="incr", before="acc", after="bkpt"
    )
    check_expectation("acc; incr $0lr0 1; bkpt;;", "incr", before="acc", after="bkpt")


def test_what_no_separator_joins_to_the_cursor_may_be_another_bundle() -> None:
    check_expectation("acc;\n mu$0\n incr lr0 1;;", typed="mu", before="acc")
    check_expectation("acc;\n mult.ee r0 $0\n bkpt;;", "mult.ee", "r0", before="acc")
    check_expectation("{ nop\n $0\n fnop }", before="nop", after="fnop", isa="colossus")


def test_a_label_ends_the_bundle() -> None:
    check_expectation("b$0\nloop:\nacc; bkpt;;", typed="b")
    check_expectation("acc;\n$0;\nloop: bkpt;;", before="acc")
    check_expectation("bkpt;\nloop:\nacc; $0; aaq;;", before="acc", after="aaq")


def test_a_new_bundle_has_no_other_instructions() -> None:
    check_expectation("acc; bkpt;;$0", address=1)
    check_expectation("acc;;\n$0\nbkpt;;", address=1)


def test_signs_that_fit_nothing_are_passed_over() -> None:
    check_expectation("mult.ee r0, $0", "mult.ee", "r0")
    check_expectation("mult.ee r0,$0", "mult.ee", "r0")
    check_expectation("? mult.ee r0 $0", "mult.ee", "r0")


def test_the_address_is_that_of_the_bundle_that_is_being_written() -> None:
    check_expectation("acc;; b $0", "b", address=1)
    check_expectation("x: $0 b +1;;", address=0)
    check_expectation("# nothing yet\n$0 # nor here\nacc;;", address=0)


def test_commas_in_brackets_part_no_operands() -> None:
    check_expectation(
        "vlda wl0, [p0, dj$00], #32", "vlda", "wl0", typed="dj", replaced="dj0", isa="xdna1"
    )
    check_expectation("vlda wl0, [p0, dj0], $0", "vlda", "wl0", "[p0,dj0]", isa="xdna1")


def test_a_mark_before_a_word_is_not_part_of_it() -> None:
    check_expectation(
        "mov r0, #1; j #.L$0BB", "j", typed=".L", replaced=".LBB", before="mov", isa="xdna1"
    )


def test_a_colon_inside_an_operand_begins_no_instruction() -> None:
    check_expectation("mov r0, r17:r$0", "mov", "r0", typed="r", replaced="r", isa="xdna1")
    check_expectation("x: mov r$0", "mov", typed="r", replaced="r", isa="xdna1")
    check_expectation("x$0: mov r0", None, isa="xdna1")


def test_inside_braces_a_line_is_another_instruction_of_the_same_bundle() -> None:
    check_expectation("{ nop\n  $0 }", "", before="nop", isa="colossus")
    check_expectation("{ nop ; f$0 }", "", typed="f", replaced="f", before="nop", isa="colossus")
    check_expectation("{ nop ; fnop }\n$0", "", address=1, isa="colossus")


@pytest.mark.parametrize("text", ["#def$0ine A 1\n", ".globl $0x\n", ".sect$0", "x: .glo$0bl x\n"])
def test_in_directives_nothing_is_expected(text: str) -> None:
    check_expectation(text, None, isa="colossus")
