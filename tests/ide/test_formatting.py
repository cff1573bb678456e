"""Formatting: what a text looks like afterwards, and what never changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.formatting.bundle_layout import BUNDLE, INSTRUCTION
from ipu_asm.ide.formatting.formatting import KEEP, STYLES, formatting
from ipu_asm.syntax.comments import comments_in
from ipu_asm.text import apply_edits
from tests.form_programs import PROGRAMS
from tests.ide.test_everywhere import EXAMPLES, SNIPPETS, TEXTS, damaged, damaged_forms
from tests.vectors import Record, records


def check_formatting(before: str, style: str = KEEP, isa: str = "ipu") -> str:
    """A text tidied: the same words, findings and comments, and tidy; what it looks like."""
    analysis = analyze(before, isa)
    after = apply_edits(before, formatting(analysis, style))
    assert facts(after, isa) == facts(before, isa)
    assert formatting(analyze(after, isa), style) == []
    return after


def facts(text: str, isa: str) -> tuple[list[int], list[str], list[str]]:
    """The words of a text, its comments in their order and the codes of its findings."""
    analysis = analyze(text, isa)
    program = analysis.program
    words = [bundle.word for bundle in program.bundles if bundle.size]
    return words, comments(analysis), sorted(finding.code for finding in analysis.diagnostics)


def comments(analysis: Analysis) -> list[str]:
    """All comments in their order."""
    bundles = analysis.program.bundles
    return [
        bundle.syntax.text[start:end].rstrip()
        for bundle in bundles
        for start, end in comments_in(bundle.syntax)
    ]


UNTIDY = """\
# title


# lr0 = count
loop:   acc;  incr lr0   1 ;; # tail
   next: incr lr1 1;
b loop;;


bkpt;;
"""
TIDY = {
    KEEP: """\
# title

# lr0 = count
loop: acc; incr lr0 1;;                             # tail
next:
    incr                  lr1 1;
    b                     loop;;

    bkpt;;
""",
    INSTRUCTION: """\
# title

# lr0 = count
loop:
    acc;
    incr                  lr0 1;;                   # tail
next:
    incr                  lr1 1;
    b                     loop;;

    bkpt;;
""",
    BUNDLE: """\
# title

# lr0 = count
loop: acc; incr lr0 1;;                             # tail
next: incr lr1 1; b loop;;

    bkpt;;
""",
}


@pytest.mark.parametrize("style", STYLES)
def test_each_style_has_its_lines(style: str) -> None:
    assert check_formatting(UNTIDY, style) == TIDY[style]


def test_a_bundle_that_begins_below_its_label_stays_there() -> None:
    assert check_formatting("x:\nacc; aaq;;") == "x:\n    acc; aaq;;\n"


COMMENTS = """\
x: # behind the label
# at the margin
  acc; # behind an instruction

     # on its own line
  incr lr0 1 # before the mark
  ;; # behind the mark

# above a bundle
  aaq # before it
;; # behind it
# at the end"""
COMMENTED = """\
x:                                                  # behind the label
# at the margin
    acc;                                            # behind an instruction

    # on its own line
    incr                  lr0 1;;                   # before the mark
    # behind the mark

# above a bundle
    aaq;;                                           # before it
    # behind it
# at the end
"""


@pytest.mark.parametrize("style", STYLES)
def test_comments_stay_with_what_they_are_about(style: str) -> None:
    assert check_formatting(COMMENTS, style) == COMMENTED


def test_a_comment_inside_an_instruction_leaves_its_bundle_alone() -> None:
    text = "  bne lr0 # this\n lr1 +1;  acc;;\n"
    assert check_formatting(text) == text


def test_a_comment_behind_long_code_keeps_a_distance() -> None:
    text = "a_label_with_a_very_long_name_indeed_yes: incr lr0 1; acc;;# x\n"
    assert check_formatting(text) == text.replace(";;#", ";;  #")


def test_the_other_comment_mark_counts_too() -> None:
    assert check_formatting("// a\nacc;;// b") == f"// a\n{'    acc;;':<52}// b\n"


SILENCED = [
    # On the line of all that is silenced, which is not cut.
    "    nope; acc;;                                     # ipu: ignore[E101]\n",
    # Above it.
    "    # ipu: ignore[E101]\n    nope; acc;;\n",
    "# ipu: ignore[E101]\n\nx: nope; acc;;\n",
    # Two bundles on the line.
    "  nope;;nope;;                                      # ipu: ignore[E101]\n",
    # On one line of several, which are not joined.
    "    nope;                                           # ipu: ignore[E101]\n    acc;;\n",
    "    acc;\n    nope;;                                          # ipu: ignore[E101]\n",
    "    # ipu: ignore[E101]\n    nope;\n    acc;;\n",
]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("text", SILENCED)
def test_lines_on_which_the_linter_is_silenced_are_neither_cut_nor_joined(
    text: str, style: str
) -> None:
    after = check_formatting(text, style)
    assert [line.split() for line in after.splitlines()] == [s.split() for s in text.splitlines()]


@pytest.mark.parametrize("style", STYLES)
def test_two_bundles_on_a_line_with_a_comment_for_the_linter_stay_there(style: str) -> None:
    text = "    nope;;nope;;  # ipu: ignore[E101]\n    acc;;\n"
    assert check_formatting(text, style) == text


def test_other_bundles_of_a_file_with_silenced_lines_are_laid_out_as_wanted() -> None:
    text = "acc; aaq;;\nnope; acc;; # ipu: ignore[E101]\nacc; aaq;;\n"
    after = check_formatting(text, INSTRUCTION)
    mended = "    nope; acc;;".ljust(52) + "# ipu: ignore[E101]"
    assert after == f"    acc;\n    aaq;;\n{mended}\n    acc;\n    aaq;;\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("\n \n\t\n", ""),
        ("# only", "# only\n"),
        ("\n\n  # a\n  # b\n", "    # a\n    # b\n"),
        ("\ufeff acc;;", "\ufeff    acc;;\n"),
        ("\ufeff", "\ufeff"),
        ("acc", "    acc\n"),
        ("acc;", "    acc;\n"),
        ("acc;;\n\n\n\naaq;;\n\n\n", "    acc;;\n\n    aaq;;\n"),
        ("acc;;aaq;;", "    acc;;\n    aaq;;\n"),
        ("acc;\n;;", "    acc;;\n"),
        ("\tincr\tlr0\t1\t;;\t\n", "    incr                  lr0 1;;\n"),
        ("\u3000acc;;", "\u3000acc;;\n"),
        ("x:", "x:\n"),
    ],
)
def test_odd_texts_are_tidied_too(before: str, after: str) -> None:
    assert check_formatting(before) == after


@pytest.mark.parametrize("style", STYLES)
def test_a_file_keeps_its_line_breaks(style: str) -> None:
    before = UNTIDY.replace("\n", "\r\n")
    assert check_formatting(before, style) == TIDY[style].replace("\n", "\r\n")


@pytest.mark.parametrize(
    "broken",
    [
        "  zzz  ??  qq ;;",
        "x:  y: acc;;",
        "bne lr0   ,lr1;;",
        "  @ ; acc;;",
        "acc \r ;;",
        "acc;\faaq  ;;",
        "incr lr0 1 : ;\n  aaq;;",
    ],
)
def test_a_bundle_that_cannot_be_read_stays_as_it_is(broken: str) -> None:
    assert broken in check_formatting(f"acc;;\n{broken}\n aaq;;\n")


def test_an_unknown_instruction_is_laid_out_like_any_other() -> None:
    assert check_formatting("nope   lr0;;") == "    nope                  lr0;;\n"


def test_very_long_lines_are_no_trouble() -> None:
    assert len(check_formatting("acc; " * 3000 + "# " + "x" * 9000)) > 20_000


def test_another_instruction_set_has_a_bundle_a_line() -> None:
    before = (
        "; load\nstart:LOAD   WB , 0x80000000,64,ASYNC|2D;go\r\n"
        "  SYNC  WAIT_DMA\n\n\nNOP AB[\n   ; own\n;margin\nx:\n"
    )
    after = (
        "; load\nstart: LOAD   WB, 0x80000000, 64, ASYNC|2D          ;go\r\n"
        "    SYNC   WAIT_DMA\n\n\nNOP AB[\n    ; own\n;margin\nx:\n"
    )
    assert check_formatting(before, isa="edgenpu") == after


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("text", TEXTS, ids=[path.stem for path in EXAMPLES])
def test_examples_keep_their_meaning(text: str, style: str) -> None:
    assert check_formatting(text, style).split()


@pytest.mark.parametrize("text", TEXTS, ids=[path.stem for path in EXAMPLES])
def test_a_tidy_example_that_lost_its_columns_gets_them_back(text: str) -> None:
    tidy = check_formatting(text)
    code = tidy.index("\n\n") + 1
    squeezed = "\n".join(" ".join(line.split()) for line in tidy[code:].split("\n"))
    assert without_margin(check_formatting(tidy[:code] + squeezed)) == without_margin(tidy)


def without_margin(text: str) -> list[str]:
    """The lines of a text; where a comment of its own line begins is its author's choice."""
    return [line.strip() if line.strip().startswith("#") else line for line in text.split("\n")]


def sample() -> list[Record]:
    """Every fifteenth of the recorded programs that assemble, do not, or run."""
    return [record for kind in ("encode", "exec", "reject") for record in records(kind)[::15]]


@pytest.mark.parametrize("style", STYLES)
def test_recorded_programs_keep_their_meaning(style: str) -> None:
    texts = [record["asm"] for record in sample()]
    tidied = [check_formatting(text, style) for text in texts]
    assert len(tidied) >= 150
    assert tidied != texts


@pytest.mark.parametrize("isa", ["ipu", "edgenpu"])
@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=30)
@given(text=damaged())
def test_damaged_programs_keep_their_meaning(text: str, style: str, isa: str) -> None:
    check_formatting(text, style, isa)


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=30)
@given(text=st.lists(SNIPPETS | st.sampled_from(" \n"), max_size=40).map("".join))
def test_hostile_texts_keep_what_they_say(text: str, style: str) -> None:
    check_formatting(text, style)
    check_formatting(text, style, "edgenpu")


SILENCING = st.sampled_from([
    "# ipu: ignore[W]", "# ipu: ignore[E101]\n", "\n # ipu: ignore[E101]\n", ";;", ";", "acc",
    "nope", "x:", "\n", " ",
])  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=30)
@given(text=st.lists(SILENCING, max_size=30).map("".join))
def test_what_is_silenced_stays_so(text: str, style: str) -> None:
    check_formatting(text, style)


@pytest.mark.parametrize("isa", ["xdna1", "xdna2"])
def test_what_a_compiler_prints_stays_as_it_is(isa: str) -> None:
    assert check_formatting(PROGRAMS[isa], isa=isa) == PROGRAMS[isa]


def test_blanks_are_mended_where_they_are_missing_or_do_nothing() -> None:
    text = "x:nop\nmov r0,r1;mov   r2 , r3 // c  \n  \n\tvlda\twl0,[p0,#32];\t\tnopb  \n"
    tidy = "x: nop\n    mov r0, r1; mov   r2, r3 // c\n\n\tvlda\twl0, [p0, #32];\t\tnopb\n"
    assert check_formatting(text, isa="xdna1") == tidy
    text = "{ld32 $a0,$m0,$mzero,0;f32add $a0,$a1,$a2}\n{\n  fnop \n  nop\n}\n"
    tidy = "{ ld32 $a0, $m0, $mzero, 0; f32add $a0, $a1, $a2 }\n{\n  fnop\n  nop\n}\n"
    assert check_formatting(text, isa="colossus") == tidy


@pytest.mark.parametrize(
    "text",
    [
        ".section  .text,3  \n",
        "#define A(x)  mov  x,x  \n",
        ".macro x a,b\nadd $m0,$m1,\\a\n.endm\n",
        "MACRO(a,b)\n",
        "#if 1\n#endif  \n",
    ],
)
def test_what_is_for_others_stays_as_it_is(text: str) -> None:
    assert check_formatting(text, isa="colossus") == text


@settings(max_examples=100)
@given(damaged_forms(), st.sampled_from(STYLES))
def test_damaged_programs_of_forms_keep_what_they_say(damage: tuple[str, str], style: str) -> None:
    isa, text = damage
    after = check_formatting(text, style, isa)
    assert written(after, isa) == written(text, isa)


def written(text: str, isa: str) -> list[str]:
    """All tokens of a text."""
    return [word for bundle in analyze(text, isa).program.bundles for word in bundle.syntax.words]
