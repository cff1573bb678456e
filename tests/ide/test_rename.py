"""A label's new name: where it is written, and when it is refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble, encode
from ipu_asm.ide.navigation import prepare_rename, rename
from ipu_asm.ide.symbols import RenameError
from ipu_asm.text import apply_edits
from tests.ide.cursor import fixture
from tests.programs import example_kernels

KERNELS = list(example_kernels().values())
LABEL = re.compile(r"^(\w+):", re.MULTILINE)


def check_rename(text_with_cursor: str, new_name: str, expected: str, isa: str = "ipu") -> None:
    """The text after the label at the cursor is called `new_name`."""
    analysis, offset = fixture(text_with_cursor, isa)
    found = prepare_rename(analysis, offset)
    assert analysis.text[found.span.start : found.span.end] == found.name
    assert found.span.touches(offset)
    assert apply_edits(analysis.text, rename(analysis, offset, new_name)) == expected


def check_refused(text_with_cursor: str, new_name: str, reason: str, isa: str = "ipu") -> None:
    """It is refused with that reason."""
    analysis, offset = fixture(text_with_cursor, isa)
    with pytest.raises(RenameError) as refusal:
        rename(analysis, offset, new_name)
    assert str(refusal.value) == reason


def test_a_label_is_renamed_where_it_is_defined_and_where_it_is_named() -> None:
    for text in (
        "$0x: acc;;\nb x;;\nbne lr0 lr1 x; incr lr0 1;;",
        "x: acc;;\nb x$0;;\nbne lr0 lr1 x; incr lr0 1;;",
    ):
        check_rename(text, "again", "again: acc;;\nb again;;\nbne lr0 lr1 again; incr lr0 1;;")


def test_distances_and_comments_stay_as_they_are() -> None:
    check_rename("x$0: acc;; # x\nb -1;;\nb x;;", "y", "y: acc;; # x\nb -1;;\nb y;;")


def test_a_broken_branch_is_renamed_too() -> None:
    check_rename("x$0: acc;;\nbne lr0 x;;", "y", "y: acc;;\nbne lr0 y;;")


def test_a_label_may_get_its_own_name() -> None:
    check_rename("x$0: b x;;", "x", "x: b x;;")


def test_a_label_may_be_called_like_a_register_or_a_mnemonic() -> None:
    check_rename("x$0: b x; incr lr0 1;;", "lr0", "lr0: b lr0; incr lr0 1;;")
    check_rename("x$0: b x; acc;;", "acc", "acc: b acc; acc;;")


def test_a_label_of_another_instruction_set_is_renamed() -> None:
    check_rename("x$0: SYNC\nNOP", "start", "start: SYNC\nNOP", isa="edgenpu")
    check_refused(
        "x$0: SYNC", "a b", "a label cannot be called `a b`: it is not a valid name", "edgenpu"
    )


@pytest.mark.parametrize(
    "text", ["ac$0c;;", "$0", "# x$0\nx: acc;;", "set lr0 $05;;", "x: acc$0;;"]
)
def test_nothing_else_can_be_renamed(text: str) -> None:
    check_refused(text, "y", "only labels can be renamed")


RANGES = """\
# k
#   lr1 = row
#   lr2 = last
    set lr1 0; set lr2 5;;
loop:
    incr lr1 1; ldr_mult_reg r0 lr1 cr0;;
    bne lr1 lr2 loop;;
    set lr1 9;;
    str_acc_reg lr1 cr1; incr lr3 1;;
    set lr4 3;;
    bne lr4 lr2 end;;
end: bkpt;;
"""


@pytest.mark.parametrize(
    ("place", "new", "changed"),
    [
        ("lr1 lr2 loop", "lr5", "4: set 6: incr 6: ldr 7: bne"),
        ("lr1 9", "lr5", "8: set 9: str"),
        ("lr4 lr2 end", "lr1", "10: set 11: bne"),
        ("lr2 end", "lr7", "3: # 4: set 7: bne 11: bne"),
        ("lr2 end", "lr4", "`lr4` is in use there: line 11 would see another value"),
        ("lr1 9", "lr3", "`lr3` is in use there: line 9 would see another value"),
        ("lr2 5", "lr1", "`lr1` is written in the same bundle"),
        ("lr1 9", "cr2", "a register is one of lr0 to lr15, found `cr2`"),
        ("lr3 1", "lr5", "`lr3` may have its value from before the program"),
        ("cr1", "cr2", "only labels and registers that instructions set can be renamed"),
    ],
)
def test_a_register_is_renamed_within_its_live_range(place: str, new: str, changed: str) -> None:
    """With the note of the head comment if that is about nothing else."""
    text = RANGES.replace(place, f"$0{place}", 1)
    if not changed[0].isdigit():
        check_refused(text, new, changed)
        return
    analysis, offset = fixture(text)
    edits = rename(analysis, offset, new)
    assert {edit.new_text for edit in edits} == {new}
    assert {RANGES[edit.span.start : edit.span.end] for edit in edits} == {place[:3]}
    lines = [analysis.source.lines.position(edit.span.start).line for edit in edits]
    assert [line + 1 for line in lines] == [int(n) for n in re.findall(r"(\d+):", changed)]


def test_an_undefined_label_cannot_be_renamed() -> None:
    check_refused("b gone$0;;", "y", "no label is called `gone`, so it cannot be renamed")


def test_a_distance_is_no_name() -> None:
    check_refused(
        "x: acc;;\nb -$01;;",
        "y",
        "a distance cannot be renamed: rename `x` where its name is written",
    )


def test_a_label_that_is_defined_twice_must_be_mended_first() -> None:
    reason = "`x` is defined more than once: correct that first"
    check_refused("x: acc;;\nx: b x$0;;", "y", reason)


def test_two_labels_cannot_have_the_same_name() -> None:
    reason = "a label `y` is already defined on line 2"
    check_refused("x$0: acc;;\ny: b x;;", "y", reason)


def test_a_branch_to_nowhere_is_not_caught_by_a_new_name() -> None:
    check_refused(
        "x$0: acc;;\n\nb y;;", "y", "line 3 has a branch to `y`, which would lead here then"
    )


@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "a;", "a;;", "a:", "a\n", "x y: acc;; x", "#", "a#b", "a//b", "?", "+", "a,b"],
)
def test_a_label_is_one_word(name: str) -> None:
    analysis, offset = fixture("x$0: acc;;\nb x;;")
    with pytest.raises(RenameError, match="a label cannot be called") as refusal:
        rename(analysis, offset, name)
    assert "\n" not in str(refusal.value).replace(name, "")


def test_a_label_is_no_distance() -> None:
    for name in ("+1", "-1", "+0x10"):
        analysis, offset = fixture("x$0: acc;;\nb x;;\nb -1;;")
        with pytest.raises(RenameError):
            rename(analysis, offset, name)


def words_of(text: str) -> list[list[int]]:
    """The words of a kernel, in each context of a template."""
    expanded = analyze(text).expanded
    return [encode(each.analysis.program) for each in expanded] or [assemble(text)]


@given(
    st.sampled_from(KERNELS),
    st.text("ab_.09+-;:# \n/xlr", max_size=5) | st.sampled_from(["lr0", "acc", "5", "-1"]),
    st.data(),
)
def test_a_renamed_program_means_the_same(text: str, name: str, data: st.DataObject) -> None:
    places = [match.start(1) for match in LABEL.finditer(text)]
    analysis = analyze(text)
    try:
        edits = rename(analysis, data.draw(st.sampled_from(places)), name)
    except RenameError:
        return
    assert len(edits) > 1
    renamed = apply_edits(text, edits)
    assert words_of(renamed) == words_of(text)
    found = [f.code for f in analyze(renamed).diagnostics if f.name != "ambiguous-label"]
    assert found == [f.code for f in analysis.diagnostics]


def test_a_number_that_a_label_is_spelt_like_stays_a_number() -> None:
    check_rename("12$08: incr lr0 128;;\nb 128;;", "x", "x: incr lr0 128;;\nb x;;")
    check_refused("128: incr lr0 12$08;;", "x", "only labels can be renamed")


def test_a_label_behind_a_mark_is_renamed_without_it_and_in_directives() -> None:
    check_rename(
        "\t.globl f\n$0f:\n j #f\n.Lend:\n.size f, .Lend-f\n",
        "main",
        "\t.globl main\nmain:\n j #main\n.Lend:\n.size main, .Lend-main\n",
        isa="xdna1",
    )
    check_rename(
        "f: brz $m0, $0f\nsetzi $m0, f + 4\n",
        "g",
        "g: brz $m0, g\nsetzi $m0, g + 4\n",
        isa="colossus",
    )


def test_numbers_as_labels_and_what_the_preprocessor_reads_stay() -> None:
    check_refused(
        "$01: bri 1b",
        "again",
        "a numeric label cannot be renamed: replace it with a named label",
        isa="colossus",
    )
    check_refused(
        "#define GO bri f\n$0f: bri f\n",
        "g",
        "line 1 is a preprocessor line and contains `f`",
        isa="colossus",
    )


def check_colossus(text_with_cursor: str, new_name: str, expected: str) -> None:
    """The macro at the cursor is renamed so; or it is refused with a reason that has no line."""
    if "\n" in expected:
        check_rename(text_with_cursor, new_name, expected, "colossus")
    else:
        check_refused(text_with_cursor, new_name, expected, "colossus")


def test_a_macro_is_renamed_where_every_place_is_certain() -> None:
    check_colossus(
        ".macro $0STEP a\n mov \\a, $m0\n.endm\n STEP $m1\n.purgem STEP\n",
        "STEP2",
        ".macro STEP2 a\n mov \\a, $m0\n.endm\n STEP2 $m1\n.purgem STEP2\n",
    )
    check_colossus(
        '#define BASE m3 // BASE\n add $m0, $B$0ASE, 1\n .error "BASE"\n',
        "START",
        '#define START m3 // BASE\n add $m0, $START, 1\n .error "BASE"\n',
    )
    check_colossus(
        ".macro B\n A\n.endm\n.macro $0A\n.endm\n B\n",
        "C",
        ".macro B\n C\n.endm\n.macro C\n.endm\n B\n",
    )
    check_colossus(
        "#define f _f\n.globl f\n$0f: bri f\n", "g", "#define g _f\n.globl g\ng: bri g\n"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (".macro $0A\n.endm\n A\n B A\n", "it is uncertain whether line 4 means `A`"),
        (".macro $0A\n.endm\n A\n#define B A\n", "it is uncertain whether line 4 means `A`"),
        (".macro $0A\n.endm\n A\n a\n", "it is uncertain whether line 4 means `A`"),
        ("#define $0a 1\n.macro M a\n .long \\a\n.endm\n",
         "it is uncertain whether line 3 means `a`"),
        ("#define $0A 1\n .long A\n#define B(A) A\n", "it is uncertain whether line 3 means `A`"),
        ("#define $0A 1\n .long A\n#define B A ## 1\n",
         "it is uncertain whether line 3 means `A`"),
        ("#define $0A_B 1\n .long A_B\n#define C(X) A_ ## X\n",
         "line 3 composes names, one of which may be `A_B`"),
        (".macro $0ADD_f\n.endm\n ADD_f\n.macro X t\n ADD_\\t\n.endm\n",
         "line 5 composes names, one of which may be `ADD_f`"),
        ("#define $0A 1\n .long A\n#include \"b.h\"\n",
         "line 3 includes another file, which may use `A`"),
        ("#ifndef A\n#define $0A 1\n#endif\n .long A\n",
         "line 1 tests whether `A` is defined, and another file may define it"),
        (" .long A\n#define $0A 1\n .long A\n", "it is uncertain whether line 1 means `A`"),
        ("#define $0A 1\n .long A\n#undef A\n .long A\n",
         "it is uncertain whether line 4 means `A`"),
        (".macro $0add\n.endm\n add\n",
         "`add` is also an instruction: it is uncertain which of them is meant"),
        ("#define $0A 1\n", "this file does not use `A`: files that include it may"),
        ("#define $0A 1\n.macro A\n.endm\n",
         "`A` is both a `#define` and a `.macro`: it is uncertain which is meant"),
    ],
)  # fmt: skip
def test_a_macro_keeps_its_name_where_a_place_is_not_certain(text: str, reason: str) -> None:
    check_colossus(text, "fresh", reason)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a b", "a macro cannot be called `a b`: it is not a valid name"),
        (".x", "a macro cannot be called `.x`: it is not a valid name"),
        ("1", "a macro cannot be called `1`: it is not a valid name"),
        ("add", "a macro cannot be called `add`: an instruction has that name"),
        ("m0", "a macro cannot be called `m0`: a register has that name"),
        (
            "defined",
            "a macro cannot be called `defined`: the preprocessor keeps that name for itself",
        ),
        ("OTHER", "line 3 already has the word `OTHER`"),
        ("FLOAT_OP", "line 4 composes names, one of which may be `FLOAT_OP`"),
    ],
)
def test_a_macro_is_called_like_nothing_else(name: str, reason: str) -> None:
    text = "#define $0BASE 4\n .long BASE\n .long OTHER\n#define OP(T) T ## _OP\n"
    check_colossus(text, name, reason)


def test_a_macro_of_a_set_with_macros_of_the_assembler_alone_is_renamed() -> None:
    check_rename(".macro A\n.endm\n nop; $0A\n", "B", ".macro B\n.endm\n nop; B\n", "xdna1")
    check_refused(" no$0p\n", "x", "only labels and macros can be renamed", "xdna1")


def test_a_macro_keeps_its_name_where_a_preprocessor_may_have_run_on_the_file() -> None:
    unsure = "it is uncertain whether line 1 means `A`"
    check_refused("#define B A\n.macro $0A\n.endm\n A\n B\n", "C", unsure, "xdna1")
    check_refused("#if A\n.macro $0A\n.endm\n A\n", "C", unsure, "xdna1")
    text = '.macro $0A\n.endm\n A // A\n#include "a.h"\n'
    check_refused(text, "C", "line 4 includes another file, which may use `A`", "xdna1")
