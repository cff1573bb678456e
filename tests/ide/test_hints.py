"""Small remarks between the words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide import (
    ADDRESSES,
    HINT_FAMILIES,
    IMMEDIATES,
    LENS_FAMILIES,
    LOOPS,
    REFERENCES,
    TIME,
)
from ipu_asm.ide.hints import code_lenses, inlay_hints
from ipu_asm.text import Span
from tests.ide.test_everywhere import TEXTS, damaged
from tests.programs import ROOT

LOOP = "set lr0 0;;\nagain: incr lr0 1;;\nbne lr0 lr1 again;;\nb +1;;\nlast:\nbkpt;;\n"


def check_hints(text: str, marked: str, *families: str, isa: str = "ipu") -> list[str]:
    """With its remarks written in angle brackets, the text is this; the answer is the tooltips."""
    analysis = analyze(text, isa)
    found = inlay_hints(analysis, Span(0, len(text)), families)
    for hint in reversed(found):
        text = f"{text[: hint.offset]}<{hint.text}>{text[hint.offset :]}"
    assert text == marked
    assert {hint.family for hint in found} <= set(families)
    return [hint.tooltip for hint in found]


def test_without_a_family_there_are_none() -> None:
    check_hints("x: set lr0 0x10; b x;;", "x: set lr0 0x10; b x;;")


def test_labels_and_branches_show_addresses() -> None:
    tooltips = check_hints(
        LOOP,
        "set lr0 0;;\nagain< 1>: incr lr0 1;;\nbne lr0 lr1 again< → 1>;;\nb +1< → 4>;;\n"
        "last< 4>:\nbkpt;;\n",
        ADDRESSES,
    )
    assert tooltips[:2] == ["the label is at bundle 1", "the target is bundle 1"]


def test_labels_that_stand_for_nothing_and_branches_into_the_void_show_none() -> None:
    check_hints("b nowhere;; x:", "b nowhere;; x:", ADDRESSES)


@pytest.mark.parametrize(
    ("number", "marked"),
    [
        ("5", "5"),
        ("-5", "-5"),
        ("0x10", "0x10< = 16>"),
        ("0b11", "0b11< = 3>"),
        ("1_000", "1_000< = 1000>"),
        ("+5", "+5< = 5>"),
        ("65535", "65535< = -1>"),
        ("0xffff", "0xffff< = -1>"),
        ("99999", "99999"),
        ("x", "x"),
    ],
)
def test_a_number_shows_what_it_becomes(number: str, marked: str) -> None:
    check_hints(f"set lr0 {number};;", f"set lr0 {marked};;", IMMEDIATES)


def test_the_tooltip_of_a_number_has_it_in_hexadecimal() -> None:
    assert check_hints("set lr0 0b11;;", "set lr0 0b11< = 3>;;", IMMEDIATES) == [
        "operand `value` is 3 (0x3)"
    ]


def test_an_operand_tells_whether_it_sees_what_its_bundle_changes() -> None:
    tooltips = check_hints(
        "incr lr4 1; str_acc_reg lr4 cr0; acc; bne lr4 lr5 +1;;",
        "incr lr4 1; str_acc_reg lr4<: new> cr0< r_acc: old>; acc; bne lr4<: old> lr5 +1;;",
        TIME,
    )
    assert tooltips == [
        "sees the new value of `lr4`, which this bundle changes",
        "sees the old value of `r_acc`, which this bundle changes",
        "sees the old value of `lr4`, which this bundle changes",
    ]


def test_time_does_not_matter_where_nothing_is_shared() -> None:
    check_hints("incr lr4 1; bne lr3 lr5 +1;;", "incr lr4 1; bne lr3 lr5 +1;;", TIME)
    check_hints("incr lr4 0; bne lr4 lr5 +1;;", "incr lr4 0; bne lr4 lr5 +1;;", TIME)


def test_another_instruction_set_has_numbers_and_no_time() -> None:
    text = "LOAD WB, 0x80000000, 64, ASYNC\nNOP\n"
    check_hints(
        text, "LOAD WB, 0x80000000< = 2147483648>, 64, ASYNC\nNOP\n", *HINT_FAMILIES, isa="edgenpu"
    )


def test_only_what_is_asked_for_is_answered() -> None:
    analysis = analyze(LOOP)
    everything = inlay_hints(analysis, Span(0, len(LOOP)), HINT_FAMILIES)
    for start in range(len(LOOP)):
        span = Span(start, min(start + 15, len(LOOP)))
        expected = [hint for hint in everything if span.touches(hint.offset)]
        assert inlay_hints(analysis, span, HINT_FAMILIES) == expected


def check_places(text: str, isa: str = "ipu") -> None:
    """All remarks are inside the text, in their order, after a word."""
    found = inlay_hints(analyze(text, isa), Span(0, len(text)), HINT_FAMILIES)
    assert [hint.offset for hint in found] == sorted(hint.offset for hint in found)
    assert all(0 < h.offset <= len(text) and not text[h.offset - 1].isspace() for h in found)


@pytest.mark.parametrize("text", TEXTS)
def test_every_example_has_its_remarks_in_place(text: str) -> None:
    check_places(text)


def test_characters_that_no_instruction_has_get_no_hint() -> None:
    for text in ("\f\n", "\f", "x;;\n\f\n"):
        check_places(text)


@given(damaged(), st.sampled_from(["ipu", "edgenpu"]))
def test_damaged_programs_have_theirs_in_place(text: str, isa: str) -> None:
    check_places(text, isa)


def test_in_the_body_of_a_macro_nothing_is_said_of_addresses_and_arguments() -> None:
    for isa, text in (
        ("xdna1", ".macro M d, n\nx:\n vlda \\d, [p0, #0]\n vlda wl0, [\\d], #32\n j #x\n.endm\n"),
        ("colossus", ".macro M d, n\n1: add \\d, $m0, \\n\n brnz \\d, 1b\n{ nop ; \\d }\n.endm\n"),
    ):
        check_hints(text, text, *HINT_FAMILIES, isa=isa)


def test_an_alignment_shows_the_no_ops_that_are_inserted_where_they_are_known() -> None:
    single, pair = "add $m0, $m0, 1\n", "{ add $m0, $m0, 1 ; fnop }\n"
    tooltips = check_hints(
        f"{single}.align 8\n{single}.align 8 // loop\n{single}{pair}.p2align 3\n{pair}.align 8\n"
        f"{single}CALL\n.align 8\n{single}.align 16\n",
        f"{single}.align 8< +1 nop>\n{single}.align 8< +1 nop> // loop\n{single}{pair}"
        ".p2align 3< +1 nop>\n"
        f"{pair}.align 8\n{single}CALL\n.align 8\n{single}.align 16\n",
        ADDRESSES,
        isa="colossus",
    )
    assert tooltips == ["the assembler inserts a nop of 4 bytes here"] * 3


def test_larger_alignments_count_from_one_that_is_as_large() -> None:
    single, pair = "add $m0, $m0, 1\n", "{ add $m0, $m0, 1 ; fnop }\n"
    check_hints(
        f".align 32\n{single}.align 16\n{pair}.p2align 5\n{single}.align 8\n{single}.align 16\n",
        f".align 32\n{single}.align 16< +3 nop>\n{pair}.p2align 5< +2 nop>\n{single}"
        f".align 8< +1 nop>\n{single}.align 16< +1 nop>\n",
        ADDRESSES,
        isa="colossus",
    )


def test_a_loop_with_inserted_no_ops_is_named() -> None:
    tooltips = check_hints(
        ".align 8\n1:\nadd $m0, $m0, 1\n.align 8\n{ rpt $m1, 0 ; fnop }\n{ nop ; fnop }\n"
        "brnz $m0, 1b\n.align 8\nnop\n",
        ".align 8\n1:\nadd $m0, $m0, 1\n.align 8< +1 nop>\n{ rpt $m1, 0 ; fnop }\n{ nop ; fnop }\n"
        "brnz $m0, 1b< → 0>\n.align 8< +1 nop>\nnop\n",
        ADDRESSES,
        isa="colossus",
    )
    said = "the assembler inserts a nop of 4 bytes here"
    inserted = [tooltip for tooltip in tooltips if tooltip.startswith(said)]
    assert inserted == [f"{said}, executed in each iteration of the loop (line 3)", said]


def test_constants_of_more_than_20_bits_take_two_words() -> None:
    for number, hint in (("0xfffff", "< +1 nop>"), ("0x100000", ""), ("-1", "")):
        text = f".align 8\nldconst $m0, {number}\n.align 8"
        check_hints(f"{text}\n", f"{text}{hint}\n", ADDRESSES, isa="colossus")


def test_a_hint_of_the_last_operand_stands_before_that_of_its_instruction() -> None:
    check_hints(
        "incr lr2 1; ldr_cyclic_mult_reg lr1 cr1 lr6; mult.ve r0 lr6 lr6 lr6 lr2;;",
        "incr lr2 1; ldr_cyclic_mult_reg lr1 cr1 lr6; "
        "mult.ve r0 lr6 lr6 lr6 lr2<: new>< r_cyclic: new>;;",
        TIME,
    )


LENS_LOOP = "b last;;\nagain: incr lr0 1; acc;;\nbne lr0 lr1 again;;\nb again;;\nlast: bkpt;;\n"


def check_lenses(
    text: str, families: tuple[str, ...], *expected: tuple[str, str], isa: str = "ipu"
) -> None:
    """The labels have exactly these lines above them."""
    found = code_lenses(analyze(text, isa), families)
    assert [(text[lens.span.start : lens.span.end], lens.text) for lens in found] == list(expected)


def test_without_a_family_there_are_no_lenses() -> None:
    check_lenses(LENS_LOOP, ())


def test_a_hardware_loop_has_its_count_and_its_bound() -> None:
    text = (ROOT / "examples" / "xdna1" / "add_int16.aie2").read_text()
    bound = "bound by lda, ldb, st (2 of 12 bundles)"
    used = "7 of 72 slots used (10 %)"
    check_lenses(
        text,
        (LOOPS,),
        (".Lbody", f"r0 trips; 12 bundles an iteration, {used}; {bound}"),
        isa="xdna1",
    )
    text = text.replace("add.nc lc, r0, #0", "movx lc, #16")
    cost = "16 trips x 12 bundles = 192 cycles of 206"
    check_lenses(text, (LOOPS,), (".Lbody", f"{cost}; {bound}; {used}"), isa="xdna1")


def test_a_label_tells_how_many_branches_come_to_it() -> None:
    check_lenses(
        LENS_LOOP, (REFERENCES,), ("again", "2 branches come here"), ("last", "1 branch comes here")
    )
    check_lenses("x: acc;;", (REFERENCES,), ("x", "0 branches come here"))
    check_lenses("b +1;; x: acc;;", (REFERENCES,), ("x", "1 branch comes here"))


def test_a_loop_tells_its_bundles_and_how_full_they_are() -> None:
    text = "never runs; 3 bundles an iteration, 4 of 21 slots used (19 %)"
    check_lenses(LENS_LOOP, (LOOPS,), ("again", text))
    text = "never ends; 1 bundle an iteration, 2 of 7 slots used (29 %); bound by cond, lr"
    check_lenses("x: incr lr0 1; incr lr1 0; b x;;", (LOOPS,), ("x", text))


def test_a_branch_ahead_makes_no_loop() -> None:
    check_lenses("b x;; acc;; x: bkpt;;", (LOOPS,))


def test_both_families_stand_above_one_label() -> None:
    found = code_lenses(analyze("x: b x;;"), LENS_FAMILIES)
    assert [lens.family for lens in found] == [REFERENCES, LOOPS]


def test_labels_that_stand_for_nothing_have_none() -> None:
    check_lenses("acc;; x:", LENS_FAMILIES)


def check_any(text: str, isa: str = "ipu") -> int:
    """All lines are above labels of the text, in their order; the answer is how many."""
    analysis = analyze(text, isa)
    found = code_lenses(analysis, LENS_FAMILIES)
    labels = {bundle.label for bundle in analysis.program.bundles}
    assert [lens.span for lens in found] == sorted(lens.span for lens in found)
    assert {text[lens.span.start : lens.span.end] for lens in found} <= labels
    return len(found)


@pytest.mark.parametrize("text", TEXTS)
def test_every_example_has_some(text: str) -> None:
    assert check_any(text) > 1


@given(damaged(), st.sampled_from(["ipu", "edgenpu"]))
def test_damaged_programs_have_theirs_above_labels(text: str, isa: str) -> None:
    check_any(text, isa)


def test_of_labels_that_other_files_may_name_only_what_is_known_is_told() -> None:
    branch = "bound by its branch with delay slots"
    check_lenses(
        "f:\n nop\n.LBB0:\n jnz r0, #.LBB0\n nop\n nop\n nop\n mov r1, r2\n nop\n nop\n",
        LENS_FAMILIES,
        (".LBB0", "1 branch comes here"),
        (".LBB0", f"6 bundles an iteration, 3 of 36 slots used (8 %); {branch}"),
        isa="xdna1",
    )


@pytest.mark.parametrize("twice", ["acc; acc", "incr lr0 1; incr lr0 2", "set lr0 1; set lr0 2"])
def test_a_loop_with_a_mistake_tells_no_bound(twice: str) -> None:
    found = code_lenses(analyze(f"x: {twice}; bne lr0 lr1 x;;\nbkpt;;"), {LOOPS})
    assert len(found) == 1
    assert "bound" not in found[0].text
