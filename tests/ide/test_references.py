"""Every place that names a label or a register, and what it does with it."""

from __future__ import annotations

import pytest

from ipu_asm.ide.navigation import highlights, references
from ipu_asm.ide.symbols import OccurrenceKind
from ipu_asm.isa import load_isa
from tests.ide.cursor import CURSOR, fixture

MARKS = {
    OccurrenceKind.NAMES: "n",
    OccurrenceKind.READS: "r",
    OccurrenceKind.WRITES: "w",
    OccurrenceKind.READS_AND_WRITES: "c",
    OccurrenceKind.DEFINES: "d",
    OccurrenceKind.TARGETS_BY_DISTANCE: "g",
}
IPU = load_isa("ipu")


def check_references(text_with_cursor: str, expected: str | None, isa: str = "ipu") -> None:
    """All that names what is at the cursor, as the text with `⟦name⟧` and a letter after each.

    Without any it is None. References are the same places, with and without definitions.
    """
    analysis, offset = fixture(text_with_cursor, isa)
    found = highlights(analysis, offset)
    marked = analysis.text
    for (start, end), kind in reversed(found):
        marked = f"{marked[:start]}⟦{marked[start:end]}⟧{MARKS[kind]}{marked[end:]}"
    assert (marked if found else None) == expected
    assert references(analysis, offset) == [span for span, _ in found]
    uses = [span for span, kind in found if kind is not OccurrenceKind.DEFINES]
    assert references(analysis, offset, with_definition=False) == uses


def test_a_label_is_defined_once_and_named_by_its_branches() -> None:
    expected = "⟦x⟧d: acc;;\nb ⟦x⟧n;;\ny: bne lr0 lr1 ⟦x⟧n;;\nb y;;"
    check_references("x$0: acc;;\nb x;;\ny: bne lr0 lr1 x;;\nb y;;", expected)
    check_references("x: acc;;\nb x$0;;\ny: bne lr0 lr1 x;;\nb y;;", expected)


def test_branches_that_come_by_their_distance_are_references() -> None:
    expected = "⟦x⟧d: acc;;\nb ⟦-1⟧g;;\nb ⟦x⟧n;;\nb -1;;"
    check_references("$0x: acc;;\nb -1;;\nb x;;\nb -1;;", expected)
    check_references("x: acc;;\nb $0-1;;\nb x;;\nb -1;;", expected)


def test_a_branch_to_another_label_of_the_same_place_is_none() -> None:
    check_references("x$0: ;;\ny: acc;;\nb y;;\nb -2;;", "⟦x⟧d: ;;\ny: acc;;\nb y;;\nb ⟦-2⟧g;;")
    check_references("x: ;;\ny: acc;;\nb -$01;;", "x: ;;\n⟦y⟧d: acc;;\nb ⟦-1⟧g;;")


@pytest.mark.parametrize("text", ["b $0+2;;\nacc;;\nacc;;", "b $0+9;;", "acc;;\nb $0-1;;"])
def test_a_distance_to_no_label_is_nothing(text: str) -> None:
    check_references(text, None)


def test_a_distance_that_leads_nowhere_names_itself() -> None:
    check_references("b $0-5;;\nb -5;;", "b ⟦-5⟧n;;\nb ⟦-5⟧n;;")


def test_an_undefined_label_is_named_by_all_its_branches() -> None:
    check_references("b gon$0e;;\nbeq lr0 lr0 gone;;", "b ⟦gone⟧n;;\nbeq lr0 lr0 ⟦gone⟧n;;")


def test_a_label_defined_twice_is_shown_twice() -> None:
    check_references("x: acc;;\nx: acc;;\nb x$0;;", "⟦x⟧d: acc;;\n⟦x⟧d: acc;;\nb ⟦x⟧n;;")


def test_a_branch_with_a_mistake_in_it_still_names_its_label() -> None:
    expected = "⟦x⟧d: acc;;\nbne lr0 ⟦x⟧n;;\nb ⟦x⟧n ?;;\nb ⟦x⟧n; b ⟦x⟧n;;"
    for text in (
        "$0x: acc;;\nbne lr0 x;;\nb x ?;;\nb x; b x;;",
        "x: acc;;\nbne lr0 $0x;;\nb x ?;;\nb x; b x;;",
        "x: acc;;\nbne lr0 x;;\nb x ?;;\nb x; b $0x;;",
    ):
        check_references(text, expected)


def test_a_label_may_be_called_like_a_register_or_a_number() -> None:
    check_references(
        "lr0: incr lr0 1;;\nbne lr0 lr0 lr$00;;", "⟦lr0⟧d: incr lr0 1;;\nbne lr0 lr0 ⟦lr0⟧n;;"
    )
    check_references(
        "lr0: incr lr$00 1;;\nbne lr0 lr1 lr0;;", "lr0: incr ⟦lr0⟧c 1;;\nbne ⟦lr0⟧r lr1 lr0;;"
    )
    check_references("5: set lr0 5;;\nb $05;;", "⟦5⟧d: set lr0 5;;\nb ⟦5⟧n;;")


def test_a_register_is_written_read_or_changed() -> None:
    check_references(
        "set lr$00 1;;\nincr lr0 1;;\nadd lr2 lr0 lr1;;\nbne lr0 lr1 +1;;",
        "set ⟦lr0⟧w 1;;\nincr ⟦lr0⟧c 1;;\nadd lr2 ⟦lr0⟧r lr1;;\nbne ⟦lr0⟧r lr1 +1;;",
    )


def test_an_operand_that_takes_either_file_is_one_of_both() -> None:
    text = "str_acc_reg lr4 cr5;;\nadd lr4 lr5 cr5;;\nsub lr5 lr4 lr5;;"
    check_references(
        text.replace("cr5", "cr$05", 1),
        "str_acc_reg lr4 ⟦cr5⟧r;;\nadd lr4 lr5 ⟦cr5⟧r;;\nsub lr5 lr4 lr5;;",
    )
    check_references(
        text.replace("lr5", "lr$05", 1),
        "str_acc_reg lr4 cr5;;\nadd lr4 ⟦lr5⟧r cr5;;\nsub ⟦lr5⟧w lr4 ⟦lr5⟧r;;",
    )


def test_loads_write_and_multiplications_read_a_data_register() -> None:
    check_references(
        "ldr_mult_reg $0r0 lr0 cr0; mult.ee r0 lr0 lr0 lr0;;",
        "ldr_mult_reg ⟦r0⟧w lr0 cr0; mult.ee ⟦r0⟧r lr0 lr0 lr0;;",
    )


def test_every_register_operand_reads_or_writes() -> None:
    for spec in IPU.instructions.values():
        for operand in spec.operands:
            register = operand.type.format(0)
            if register in IPU.file_of_register and spec.execute_fn:
                assert operand.read or operand.name in {*spec.reads, *spec.writes}, spec.mnemonic


def test_a_register_in_the_wrong_place_is_named() -> None:
    check_references("set lr0 lr$03;;\nincr lr3 1;;", "set lr0 ⟦lr3⟧n;;\nincr ⟦lr3⟧c 1;;")
    check_references(
        "set cr$00 1;;\nstr_acc_reg lr0 CR0;;", "set ⟦cr0⟧n 1;;\nstr_acc_reg lr0 ⟦CR0⟧r;;"
    )
    check_references("acc lr$03 lr3;;", "acc ⟦lr3⟧n ⟦lr3⟧n;;")
    check_references("frob lr$03;;\nset LR3 0;;", "frob ⟦lr3⟧n;;\nset ⟦LR3⟧w 0;;")


def test_buffers_of_another_instruction_set_are_registers() -> None:
    check_references(
        "ADD AB[2], AB[ 1 ], AB[$01]\nfoo: STORE 0x0, AB[1], 64\nCONV AB[1], AB[0], WB[1]",
        "ADD AB[2], ⟦AB[ 1 ]⟧r, ⟦AB[1]⟧r\nfoo: STORE 0x0, ⟦AB[1]⟧r, 64\n"
        "CONV ⟦AB[1]⟧w, AB[0], WB[1]",
        isa="edgenpu",
    )


@pytest.mark.parametrize(
    "text",
    ["$0", "ac$0c;;", "incr lr0 $01;;", "# x$0\nx: acc;;", "acc;;$0", "set lr0 y$0;;", "x: $0;;"],
)
def test_what_names_nothing_has_no_references(text: str) -> None:
    check_references(text, None)


@pytest.mark.parametrize(
    ("isa", "text"), [("ipu", "x: b x; incr lr0 1;;"), ("edgenpu", "x: ADD AB[0], AB[1], AB[2]")]
)
def test_each_occurrence_of_a_thing_gives_the_same_list(isa: str, text: str) -> None:
    text = f"{text}\n" * 2
    for offset in range(len(text)):
        analysis, _ = fixture(text[:offset] + CURSOR + text[offset:], isa)
        found = highlights(analysis, offset)
        assert all(highlights(analysis, span.start) == found for span, _ in found)


def test_a_number_is_no_label_even_where_one_is_spelt_like_it() -> None:
    check_references("128: acc;;\nincr lr0 1$028;;\nb 128;;", None)
    check_references(
        "128$0: acc;;\nincr lr0 128; ?;;\nb 128;;", "⟦128⟧d: acc;;\nincr lr0 128; ?;;\nb ⟦128⟧n;;"
    )


def test_registers_inside_an_operand_are_found_where_they_stand() -> None:
    check_references(
        "vlda wl0, [p$00, dj0]\n padda [p0], #32 // p0\n mov p1, p0",
        "vlda wl0, [⟦p0⟧r, dj0]\n padda [⟦p0⟧c], #32 // p0\n mov p1, ⟦p0⟧r",
        isa="xdna1",
    )
    check_references("vlda wl0, [p0, $0dj0]", "vlda wl0, [p0, ⟦dj0⟧r]", isa="xdna1")


def test_a_register_keeps_to_its_own_name_though_others_overlap_with_it() -> None:
    check_references("vmov x$00, x2\n vmov wl0, wl2", "vmov ⟦x0⟧w, x2\n vmov wl0, wl2", isa="xdna1")


def test_labels_are_found_in_directives_and_expressions() -> None:
    check_references(
        "\t.globl f\nf$0:\n j #f\n.size f, .-f\n",
        "\t.globl ⟦f⟧n\n⟦f⟧d:\n j #⟦f⟧n\n.size ⟦f⟧n, .-⟦f⟧n\n",
        isa="xdna1",
    )
    check_references(
        "f: setzi $m0, $0f + 4\nbri f\n", "⟦f⟧d: setzi $m0, ⟦f⟧n + 4\nbri ⟦f⟧n\n", isa="colossus"
    )


def test_a_number_as_a_label_is_the_nearest_one() -> None:
    check_references(
        "1: bri 1f\n1$0: bri 1b\n1: bri 1b\n",
        "1: bri ⟦1f⟧n\n⟦1⟧d: bri ⟦1b⟧n\n1: bri 1b\n",
        isa="colossus",
    )


def test_a_macro_is_named_where_it_is_called_and_forgotten() -> None:
    for text in (".macro $0STEP a\n.endm\n STEP 1\n.purgem STEP\nx: STEP 2\n",
                 ".macro STEP a\n.endm\n ST$0EP 1\n.purgem STEP\nx: STEP 2\n"):  # fmt: skip
        expected = ".macro ⟦STEP⟧d a\n.endm\n ⟦STEP⟧n 1\n.purgem ⟦STEP⟧n\nx: ⟦STEP⟧n 2\n"
        check_references(text, expected, "colossus")
    check_references(".macro A\n.endm\n nop; $0A\n", ".macro ⟦A⟧d\n.endm\n nop; ⟦A⟧n\n", "xdna2")


def test_a_value_is_named_wherever_the_preprocessor_replaces_it() -> None:
    check_references(
        "#if A\n#define N 4 // N\n#else\n#define N 5\n#endif\n#define M (N+1)\n"
        ' add $m0, $N, $0N\n .error "N" /* N */\n',
        "#if A\n#define ⟦N⟧d 4 // N\n#else\n#define ⟦N⟧d 5\n#endif\n#define M (⟦N⟧n+1)\n"
        ' add $m0, $⟦N⟧n, ⟦N⟧n\n .error "N" /* N */\n',
        "colossus",
    )


def test_an_argument_is_named_in_its_body_and_nowhere_else() -> None:
    check_references(
        ".macro A x, y\n add \\$0x, \\y, \\x\n.endm\n.macro B x\n mov \\x, \\x\n.endm\n",
        ".macro A ⟦x⟧d, y\n add ⟦\\x⟧n, \\y, ⟦\\x⟧n\n.endm\n.macro B x\n mov \\x, \\x\n.endm\n",
        "colossus",
    )
