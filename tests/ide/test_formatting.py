"""Formatting: what a text looks like afterwards, and what never changes."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.blocks import BUNDLE
from ipu_asm.ide.completion import INSTRUCTION
from ipu_asm.ide.formatting.formatting import KEEP, formatting
from ipu_asm.ide.formatting.lines import STYLES
from ipu_asm.isa import available_isas
from ipu_asm.syntax.bundle import comments_in
from ipu_asm.text import Span, apply_edits
from tests.form_programs import PROGRAMS
from tests.hostile import mutated, seeds
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


HOUSE = {
    "ipu": f"{'    set                   lr0 0;;':<52}# x\n    acc; aaq;;\n" * 9,
    "edgenpu": f"{'    NOP    2, 3':<52}; x\n" * 9,
}
"""Lines that are as those of a text without conventions of its own become."""


def in_house(before: str, style: str = KEEP, isa: str = "ipu") -> str:
    """What a text looks like below tidy lines that have the usual columns."""
    first = HOUSE[isa] + "\n"
    after = check_formatting(first + before, style, isa)
    return after.removeprefix(check_formatting(HOUSE[isa], style, isa) + "\n")


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
next: incr                  lr1 1;
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
    assert in_house(UNTIDY, style) == TIDY[style]


def test_lines_stay_where_their_author_broke_them() -> None:
    text = "loop: incr lr4 1; acc;\n      bne  lr4 lr5 loop;;\nbkpt\n;; acc;;\n"
    assert check_formatting(text) == text


COMMENTS = """\
x: # after the label
# at the margin
  acc; # after an instruction

     # on its own line
  incr lr0 1 # before the mark
  ;; # after the mark

# above a bundle
  aaq # before it
;; # after it
# at the end"""
COMMENTED = """\
x:                                                  # after the label
# at the margin
    acc;                                            # after an instruction

     # on its own line
    incr                  lr0 1;;                   # before the mark
    # after the mark

# above a bundle
    aaq;;                                           # before it
    # after it
# at the end
"""

COMMENTED_AS_WRITTEN = (
    COMMENTED.replace("1;;                   # before", "1                     # before")
    .replace("    # after the mark", f"{';;':<52}# after the mark")
    .replace("aaq;;  ", "aaq    ")
    .replace("    # after it", f"{';;':<52}# after it")
)


@pytest.mark.parametrize("style", STYLES)
def test_comments_stay_with_what_they_are_about(style: str) -> None:
    assert in_house(COMMENTS, style) == (COMMENTED_AS_WRITTEN if style == KEEP else COMMENTED)


def test_a_comment_inside_an_instruction_leaves_its_bundle_alone() -> None:
    text = "bne lr0 # this\n lr1 +1;  acc;;\n"
    for style in (INSTRUCTION, BUNDLE):
        assert check_formatting(text, style).split("\n")[1].strip() == "lr1 +1; acc;;"


def test_a_comment_behind_long_code_keeps_a_distance() -> None:
    text = "a_label_with_a_very_long_name_indeed_yes: incr lr0 1; acc;;# x\n"
    assert check_formatting(text) == text.replace(";;#", ";;  #")


def test_the_other_comment_mark_counts_too() -> None:
    assert in_house("// a\nacc;;// b") == f"// a\n{'    acc;;':<52}// b\n"


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
    after = check_formatting(text, style).replace(";; nope", ";;nope")
    assert [line.split() for line in after.splitlines()] == [s.split() for s in text.splitlines()]


@pytest.mark.parametrize("style", STYLES)
def test_two_bundles_on_a_line_with_a_comment_for_the_linter_stay_there(style: str) -> None:
    text = "    nope;; nope;;  # ipu: ignore[E101]\n    acc;;\n    acc;;\n"
    assert check_formatting(text, style) == text


def test_other_bundles_of_a_file_with_silenced_lines_are_laid_out_as_wanted() -> None:
    text = "acc; aaq;;\nnope; acc;; # ipu: ignore[E101]\nacc; aaq;;\n"
    after = in_house(text, INSTRUCTION)
    mended = "    nope; acc;;".ljust(52) + "# ipu: ignore[E101]"
    assert after == f"    acc;\n    aaq;;\n{mended}\n    acc;\n    aaq;;\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("\n \n\t\n", ""),
        ("# only", "# only\n"),
        ("\n\n  # a  \n  # b\n", "  # a\n  # b\n"),
        ("\ufeff acc;;", "\ufeff    acc;;\n"),
        ("\ufeff", "\ufeff"),
        ("acc", "    acc\n"),
        ("acc;", "    acc;\n"),
        ("acc;;\n\n\n\naaq;;\n\n\n", "    acc;;\n\n\n    aaq;;\n"),
        ("acc;;aaq;;", "    acc;; aaq;;\n"),
        ("acc;\n;;", "    acc;\n;;\n"),
        ("\tincr\tlr0\t1\t;;\t\n", "    incr                  lr0 1;;\n"),
        ("\u3000acc;;", "\u3000acc;;\n"),
        ("x:", "x:\n"),
    ],
)
def test_odd_texts_are_tidied_too(before: str, after: str) -> None:
    assert check_formatting(before) == after


@pytest.mark.parametrize("style", STYLES)
def test_a_file_keeps_its_line_breaks(style: str) -> None:
    before = f"{HOUSE['ipu']}\n{UNTIDY}".replace("\n", "\r\n")
    assert check_formatting(before, style).endswith("\n" + TIDY[style].replace("\n", "\r\n"))


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
        "  SYNC  WAIT_DMA \n\n\nNOP AB[\n   ; own\n;margin\nx:\n"
    )
    after = (
        "; load\nstart: LOAD   WB, 0x80000000, 64, ASYNC|2D          ;go\r\n"
        "    SYNC   WAIT_DMA\n\n\nNOP AB[\n   ; own\n;margin\nx:\n"
    )
    assert in_house(before, isa="edgenpu") == after


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("text", TEXTS, ids=[path.stem for path in EXAMPLES])
def test_examples_keep_their_meaning(text: str, style: str) -> None:
    assert check_formatting(text, style).split()


@pytest.mark.parametrize("text", TEXTS, ids=[path.stem for path in EXAMPLES])
def test_examples_stay_as_they_are(text: str) -> None:
    assert check_formatting(text) == text


@pytest.mark.parametrize("text", TEXTS[:3], ids=[path.stem for path in EXAMPLES[:3]])
def test_a_line_that_lost_its_columns_gets_them_back(text: str) -> None:
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.startswith("    ") and line.strip():
            squeezed = " ".join(line.split()).replace(";;", " ;;") + " \n"
            lost = "".join((*lines[:number], squeezed, *lines[number + 1 :]))
            comment = line.strip().startswith("#")
            assert comment or check_formatting(lost) == text


def sample() -> list[Record]:
    """Every fifteenth of the recorded programs that assemble, do not, or run."""
    return [record for kind in ("encode", "exec", "reject") for record in records(kind)[::15]]


@pytest.mark.usefixtures("short_control_runs")
@pytest.mark.parametrize("style", STYLES)
def test_recorded_programs_keep_their_meaning(style: str) -> None:
    texts = [record["asm"] for record in sample()]
    tidied = [check_formatting(text, style) for text in texts]
    assert len(tidied) >= 150
    assert tidied != texts


@pytest.mark.parametrize("isa", ["ipu", "edgenpu"])
@pytest.mark.parametrize("style", STYLES)
@given(text=damaged())
def test_damaged_programs_keep_their_meaning(text: str, style: str, isa: str) -> None:
    check_formatting(text, style, isa)


@pytest.mark.parametrize("style", STYLES)
@given(text=st.lists(SNIPPETS | st.sampled_from(" \n"), max_size=40).map("".join))
def test_hostile_texts_keep_what_they_say(text: str, style: str) -> None:
    check_formatting(text, style)
    check_formatting(text, style, "edgenpu")


SILENCING = st.sampled_from([
    "# ipu: ignore[W]", "# ipu: ignore[E101]\n", "\n # ipu: ignore[E101]\n", ";;", ";", "acc",
    "nope", "x:", "\n", " ",
])  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
@given(text=st.lists(SILENCING, max_size=30).map("".join))
def test_what_is_silenced_stays_so(text: str, style: str) -> None:
    check_formatting(text, style)


@pytest.mark.parametrize("isa", ["xdna1", "xdna2"])
def test_what_a_compiler_prints_stays_as_it_is(isa: str) -> None:
    assert check_formatting(PROGRAMS[isa], isa=isa) == PROGRAMS[isa]


def test_blanks_are_mended_where_they_are_missing_or_do_nothing() -> None:
    text = "x:nop\nmov r0, r1; mov   r2 , r3,r4 // c  \n  \n\tvlda\twl0, r1;\t\tnopb  \n\tnop\n"
    tidy = "x: nop\n\tmov r0, r1; mov   r2, r3, r4 // c\n\n\tvlda\twl0, r1;\t\tnopb\n\tnop\n"
    assert check_formatting(text, isa="xdna1") == tidy
    text = "{ ld32 $a0, $m0, $m1,0;f32add $a0,$a1, $a2 }\n{fnop\n  nop }\n{\n  fnop \n  nop\n}\n"
    tidy = "{ ld32 $a0, $m0, $m1, 0; f32add $a0, $a1, $a2 }\n{ fnop\n  nop }\n{\n  fnop\n  nop\n}\n"
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


@given(damaged_forms(), st.sampled_from(STYLES))
def test_damaged_programs_of_forms_keep_what_they_say(damage: tuple[str, str], style: str) -> None:
    isa, text = damage
    after = check_formatting(text, style, isa)
    assert written(after, isa) == written(text, isa)


def written(text: str, isa: str) -> list[str]:
    """All tokens of a text."""
    return [word for bundle in analyze(text, isa).program.bundles for word in bundle.syntax.words]


@pytest.mark.parametrize(
    ("text", "style"),
    [
        (
            "    DEC                 lr0 1;;#the loop steps before it loads\n"
            "    LDR_MULT_REGr0 lr0 cr2;;    # the loadsees the stepped lr0\n"
            "    BLT                 lr0 cr5 row;;    BKPT;;\n",
            KEEP,
        ),
        (
            "    agg  max value cr0 aaq1;       # goes on\n    bne   lr1 lr2 row;ult.ve.cr lr3;\n"
            "    acc.add_aaq.first aaq1;;                    # 0 + peak\n    bkpt;;\n",
            BUNDLE,
        ),
        (
            "   ADD           ;      lr3 lr0 lr0;                # the old lr0\n"
            "    SET                 LDR_MULT_REG        r0 lr0 cr2;                # the next\n"
            "    STR_ACC_REG         lr3 cr4;        # ipu: ignore[simulation-only]\n    BKPT;;\n",
            INSTRUCTION,
        ),
    ],
)
def test_gaps_that_move_do_not_make_another_majority_for_the_next_run(
    text: str, style: str
) -> None:
    for isa in ("ipu", "ipu2"):
        check_formatting(text, style, isa)


SEEDS = {isa: seeds(isa) for isa in available_isas()}


@given(
    seed=st.integers(0, 1 << 32), isa=st.sampled_from(sorted(SEEDS)), style=st.sampled_from(STYLES)
)
def test_formatting_twice_is_formatting_once_for_broken_texts_of_all_sets(
    seed: int, isa: str, style: str
) -> None:
    random = Random(seed)
    lines = "\n".join(random.choices(SEEDS[isa], k=2)).splitlines(keepends=True)
    start = random.randrange(len(lines))
    text = "".join(lines[start : start + random.randrange(2, 25)])
    text = mutated(random, text, SEEDS[isa])
    once = apply_edits(text, formatting(analyze(text, isa), style))
    assert apply_edits(once, formatting(analyze(once, isa), style)) == once


def test_a_brace_of_several_lines_stays_where_those_lines_do() -> None:
    usual = "    ld32 $m0, $m1, $m2, 0\n" * 4
    bundles = (
        "{ ld32 $m0, $m1, $m2, 0\n  f32add $a0, $a1, $a2 }\n",
        "{\n  ld32 $m0, $m1, $m2, 0\n  f32add $a0, $a1, $a2\n}\n",
        "{\n  // both\n  ld32 $m0, $m1, $m2, 0 // one\n\n  f32add $a0, $a1, $a2 }\n",
        "l:{ ld32 $m0, $m1, $m2, 0\n    f32add $a0, $a1, $a2 }\n",
    )
    for bundle in bundles:
        assert check_formatting(f"{usual}{bundle}{usual}", isa="colossus") == usual + bundle + usual
        span = Span(len(usual), len(usual) + 1)
        assert formatting(analyze(f"{usual}{bundle}{usual}", "colossus"), span=span) == []
    one = "{ ld32 $m0, $m1, $m2, 0; f32add $a0, $a1, $a2 }\n"
    assert check_formatting(usual + one, isa="colossus") == f"{usual}    {one}"


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("b x1;;\nset lr0 1;{{ '%5d' % 3 }}", INSTRUCTION),
        ("acc;;acc;;{{ 'acc;;' }}\r\n", BUNDLE),
        ("set lr1 {{ n }};;{% set a %}acc;;{% endset %}b x1;;{# ipu: context n=4 #}\n", BUNDLE),
    ],
)
def test_a_template_is_formatted_once(text: str, style: str) -> None:
    after = apply_edits(text, formatting(analyze(text), style))
    assert formatting(analyze(after), style) == []
