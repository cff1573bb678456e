"""One mistake is one finding, which says what there is not and what to write."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import AssemblyError, assemble
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.isa import load_isa
from ipu_asm.text import apply_edits
from tests.marked import unmarked

NAMES = "a name has letters, digits, `_` and `.` in it, found "
COMMENTS = "comments run from `#` or `//` to the end of the line; "
BLOCKS = f"{COMMENTS}there are no block comments; found "
SEMICOLON = f"{COMMENTS}`;` separates instructions; found "
DIRECTIVES = "there are no directives: a source has bundles, labels and comments; found "
EXPRESSIONS = "there are no expressions: write the number or the register itself; found "
CONSTANTS = (
    "there are no named constants: write the number itself, or name it in a template, with "
    "`{% set N = 128 %}` at the top and `{{ N }}` "
)
ASSIGNMENTS = (
    "registers are written by instructions, without `=`: `set lr0 5` puts a number into a loop "
    "register; found "
)
BRACES = "a bundle ends with `;;` and has no braces around it; found "
BRACKETS = "registers and addresses are written without brackets; found "
COMMAS = "operands are separated by blanks, not commas; found "
NUMBER = "operand `value`: expected a number from -32768 to 65535, found "
QUOTES = "there are no characters in quotes: write the number itself; found "
NO_LABEL = "no label "
NO_SIGN = " in this file; there are no expressions, and no `-` or `+` in a name"
ORDER = "stand in the order"
UNMARKED = "; a label ends with `:`, is it missing here?"
END = "bkpt;;"
MISTAKES = [
    # Names
    ("my⟦-⟧loop:\n  acc; bne lr0 lr1 my-loop;; bkpt;;", f"{NAMES}`my-loop`; write `my_loop`"),
    ("my⟦-⟧loop-2: acc;; b my-loop-2;;", f"{NAMES}`my-loop-2`; write `my_loop_2`"),
    ("⟦.⟧loop: acc;; bne lr0 lr1 .loop;; bkpt;;",
     "a name begins with a letter, a digit or `_`, found `.loop`"),
    ("h⟦ö⟧he: acc; bkpt;;", f"{NAMES}`höhe`"),
    ("b ⟦my-loop⟧;; my_loop: bkpt;;", "no label `my-loop` in this file; did you mean `my_loop`?"),
    ("⟦loop⟧ incr lr0 1; bne lr0 lr1 loop;; bkpt;;", f"unknown mnemonic `loop`{UNMARKED}"),
    ("acc;;\n⟦loop⟧\n  incr lr0 1;\n  b loop;;", f"unknown mnemonic `loop`{UNMARKED}"),
    # Comments
    ("⟦;⟧ comment\nacc; bkpt;;", f"{SEMICOLON}`; comment`"),
    ("acc;; ⟦;⟧ add the two (of them)\nbkpt;;", f"{SEMICOLON}`; add the two (of th...`"),
    ("⟦;⟧ b\n; a\n;c, d\nacc; bkpt;;", f"{SEMICOLON}`; b...`"),
    ("loop: ⟦;⟧ again\nacc; b loop;;", f"{SEMICOLON}`; again`"),
    ("⟦/*⟧ sum; then store, or not */ acc; bkpt;;", f"{BLOCKS}`/* sum; then store, ...`"),
    ("⟦/*⟧\n * sum\n * (up)\n */\nacc; bkpt;;", f"{BLOCKS}`/*...`"),
    ("⟦/*⟧\nacc;;\nacc, aaq;;\nup */ acc; bkpt;;", f"{BLOCKS}`/*...`"),
    ("acc; ⟦/*⟧ up\nbkpt;; aaq;; bkpt;;", f"{BLOCKS}`/* up...`"),
    ("acc; bkpt ⟦*/⟧;;", f"{BLOCKS}`*/`"),
    # Directives and constants
    ("⟦.text⟧\nacc; bkpt;;", f"{DIRECTIVES}`.text`"),
    ("⟦.globl⟧ main\nmain: acc; b main;;", f"{DIRECTIVES}`.globl main`"),
    ('⟦.section⟧ .text, "ax"\nacc; bkpt;;', f'{DIRECTIVES}`.section .text, "ax"`'),
    ("⟦.equ⟧ N, 4 * 2\nacc; bkpt;;", f"{CONSTANTS}where it is used; found `.equ N, 4 * 2`"),
    ("⟦.equ⟧ N 128\nacc; bkpt;;", f"{CONSTANTS}where it is used; found `.equ N 128`"),
    ("⟦N⟧ equ 128;;\nacc; bkpt;;", f"unknown mnemonic `N`; {CONSTANTS}where it is used"),
    ("const N ⟦=⟧ 128;;\nbkpt;;", f"{CONSTANTS}where it is used; found `const N = 128`"),
    ("let N ⟦=⟧ 128\nacc; bkpt;;", f"{CONSTANTS}where it is used; found `let N = 128`"),
    ("acc;\nN ⟦=⟧ 4;\nbkpt;;", f"{CONSTANTS}where it is used; found `N = 4`"),
    ("set lr0 ⟦=⟧ 5; bkpt;;", "operands are separated by blanks, without `=`; found `lr0 = 5`"),
    ("⟦%define⟧ N 128\nacc; bkpt;;", f"{CONSTANTS}where it is used; found `%define N 128`"),
    ("⟦%assign⟧ N 4*2;;\nacc; bkpt;;", f"{CONSTANTS}where it is used; found `%assign N 4*2`"),
    ("⟦`define⟧ N 128\nacc; bkpt;;", f"{CONSTANTS}where it is used; found ``define N 128`"),
    ('⟦%include⟧ "a.inc"\nacc; bkpt;;', f'{DIRECTIVES}`%include "a.inc"`'),
    ("acc;;\n⟦%endif⟧\nbkpt;;", f"{DIRECTIVES}`%endif`"),
    ("incr ⟦%⟧lr0 1; bkpt;;", "registers and numbers are written without `%`, found one"),
    ("N ⟦=⟧ 4\nacc; bkpt;;", f"{CONSTANTS}where it is used; found `N = 4`"),
    ("# N is 4\nset lr0 ⟦N⟧; bkpt;;", f"{NUMBER}`N`; {CONSTANTS}here"),
    ("⟦.equ⟧ N 128\nset lr0 N;;\nset lr1 N;;\nincr lr1 N; bkpt;;",
     f"{CONSTANTS}where it is used; found `.equ N 128`"),
    ("set lr0 N;;\n⟦.set⟧ N, 128\nset lr1 N; bkpt;;",
     f"{CONSTANTS}where it is used; found `.set N, 128`"),
    ("N ⟦=⟧ 128\nset lr0 N;;\nset lr1 N; bkpt;;", f"{CONSTANTS}where it is used; found `N = 128`"),
    ("let N ⟦=⟧ 4\nset lr0 N; bkpt;;", f"{CONSTANTS}where it is used; found `let N = 4`"),
    ("⟦N⟧ equ 128;;\nset lr0 N; bkpt;;", f"unknown mnemonic `N`; {CONSTANTS}where it is used"),
    ("⟦%define⟧ N 4\nset lr0 N; bkpt;;", f"{CONSTANTS}where it is used; found `%define N 4`"),
    ("⟦.equ⟧ BASE cr1\nset lr0 0;; ldr_mult_reg r0 lr0 BASE; bkpt;;",
     f"{CONSTANTS}where it is used; found `.equ BASE cr1`"),
    ("⟦.equ⟧ END 3\nb END;; bkpt;;", f"{CONSTANTS}where it is used; found `.equ END 3`"),
    # Assignments to registers
    ("lr0 ⟦=⟧ 5; bkpt;;", f"{ASSIGNMENTS}`lr0 = 5`"),
    ("acc;;\nCR3⟦=⟧lr1;; bkpt;;", f"{ASSIGNMENTS}`CR3=lr1`"),
    # Expressions, strings, brackets, commas
    ("set lr0 ⟦(4+4)⟧; bkpt;;", f"{EXPRESSIONS}`(4+4)`"),
    ("set lr0 ⟦(4 + (2*2))⟧; bkpt;;", f"{EXPRESSIONS}`(4 + (2*2))`"),
    ("set lr0 ⟦4+4⟧; bkpt;;", f"{NUMBER}`4+4`, which is an expression"),
    ("set lr0 N⟦*⟧4; bkpt;;", f"{EXPRESSIONS}`N*4`"),
    ("set lr0 1 ⟦<<⟧ 4; bkpt;;", f"{EXPRESSIONS}`1 << 4`"),
    ("set lr0 ⟦~⟧5; bkpt;;", f"{EXPRESSIONS}`~5`"),
    ("agg sum RELU ⟦||⟧ BIAS cr0 aaq0; bkpt;;", f"{EXPRESSIONS}`RELU || BIAS`"),
    ("b ⟦loop+1⟧;; loop: bkpt;;", f"{NO_LABEL}`loop+1`{NO_SIGN}"),
    ('set lr0 ⟦"a"⟧; bkpt;;', 'there are no strings; found `"a"`'),
    ("set lr0 ⟦'a'⟧; bkpt;;", f"{QUOTES}`'a'`"),
    ("ldr_mult_reg r0 ⟦[lr0 cr0]⟧; bkpt;;", f"{BRACKETS}`[lr0 cr0]`"),
    ("ldr_mult_reg r0 ⟦[lr0+cr0]⟧; bkpt;;", f"{BRACKETS}`[lr0+cr0]`"),
    ("mult.ee r0⟦,⟧ lr0, lr1, lr2; acc; bkpt;;", f"{COMMAS}`,`"),
    ("⟦{⟧ acc; bkpt;;", f"{BRACES}`{{`"),
    ("⟦{⟧ acc; bkpt }", f"{BRACES}`{{`"),
    # The order of operands
    ("set ⟦5⟧ lr0; bkpt;;",
     f"the operands of `set` {ORDER} `set reg value`, found `5 lr0`; did you mean `set lr0 5`?"),
    ("ldr_mult_reg ⟦lr0⟧ cr0 r0; bkpt;;",
     f"the operands of `ldr_mult_reg` {ORDER} `ldr_mult_reg dest offset base`, "
     "found `lr0 cr0 r0`; did you mean `ldr_mult_reg r0 lr0 cr0`?"),
    ("bne ⟦loop⟧ lr0 lr1;; loop: bkpt;;",
     f"the operands of `bne` {ORDER} `bne reg1 reg2 label`, found `loop lr0 lr1`"),
    # Prose
    ("⟦This⟧ is not, as one sees (at once), a program.", "unknown mnemonic `This`"),
]  # fmt: skip
ELSEWHERE = [
    ("edgenpu", "CONV AB[1], AB[0], WB[0], RELU |⟦|⟧ BIAS, desc=0x1000\n",
     "flags are joined by a single `|`; found `|` after another"),
    ("colossus", "⟦{⟧ add $m0, $m1, $m2\n  f32add $a0, $a1, $a2\n\nadd $m0, $m1, $m2\nexitz $m0\n",
     "a bundle that `{` begins ends in `}`, found none"),
    ("colossus", "⟦{⟧ add $m0, $m1, $m2\n{ add $m0, $m1, $m2 ; f32add $a0, $a1, $a2 }\n",
     "a bundle that `{` begins ends in `}`, found none"),
]  # fmt: skip
ANALYZERS = {name: Analyzer(load_isa(name)) for name in ("ipu", "edgenpu", "colossus")}


def check_finding(marked: str, message: str, isa: str = "ipu") -> Diagnostic:
    """A text has one finding but for hints, where the mark is; `ipu-as` has the same."""
    text, (place,) = unmarked(marked)
    found = [
        finding
        for finding in ANALYZERS[isa].analyze(text).diagnostics
        if finding.severity is not Severity.HINT
    ]
    assert [(each.message, each.span) for each in found] == [(message, place)]
    assert found[0].severity is Severity.ERROR
    if load_isa(isa).has_words:
        with pytest.raises(AssemblyError) as refusal:
            assemble(text, isa)
        assert list(refusal.value.findings) == found
    return found[0]


@pytest.mark.parametrize(("marked", "message"), MISTAKES)
def test_a_mistake_in_a_kernel_is_one_finding(marked: str, message: str) -> None:
    check_finding(marked, message)


@pytest.mark.parametrize(("isa", "marked", "message"), ELSEWHERE)
def test_a_mistake_in_another_set_is_one_finding(isa: str, marked: str, message: str) -> None:
    check_finding(marked, message, isa)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("⟦;⟧ one\n  ; two; three\nacc; bkpt;;", "# one\n  # two; three\nacc; bkpt;;"),
        ("acc; ⟦/*⟧ up */\nbkpt;;", "acc; # up\nbkpt;;"),
        ("⟦loop⟧\n  incr lr0 1; b loop;;", "loop:\n  incr lr0 1; b loop;;"),
        ("mult.ee r0⟦,⟧lr0 ,lr1,lr2; acc; bkpt;;", "mult.ee r0 lr0 lr1 lr2; acc; bkpt;;"),
        ("ldr_mult_reg ⟦lr0⟧ cr0 r0; bkpt;;", "ldr_mult_reg r0 lr0 cr0; bkpt;;"),
    ],
)
def test_the_fix_makes_a_program_of_it(marked: str, expected: str) -> None:
    text, _ = unmarked(marked)
    (finding,) = (f for f in ANALYZERS["ipu"].analyze(text).diagnostics if f.fix)
    assert finding.fix is not None
    fixed = apply_edits(text, finding.fix.edits)
    assert fixed == expected
    assert assemble(fixed)


def test_what_stands_beside_a_mistake_is_found_all_the_same() -> None:
    for text, codes in (
        ("set lr0 (4+4); acx; set lr99 1; bkpt;;", ["E001", "E101", "E104"]),
        ("my-loop: acx; b my-loop;; acc; acc;;", ["E001", "E101", "E201"]),
        (".globl main\nacx;; ; comment\nset lr0 70000; bkpt;;", ["E001", "E101", "E001", "E106"]),
        ("/* a */ acx; bkpt;; /* b */ acy;;", ["E001", "E101", "E001", "E101"]),
        ("acc /* never closed;; acx; bkpt;;", ["E001", "E101"]),
        ("acc; ; acc.frist;; bkpt;;", ["E001", "E101"]),
    ):
        found = ANALYZERS["ipu"].analyze(text).diagnostics
        assert [f.code for f in found if f.severity is Severity.ERROR] == codes, text


def test_a_refused_constant_hides_nothing_but_the_uses_of_its_name() -> None:
    for text, codes in (
        (".equ N 4\nset lr0 n; incr lr1 M; bkpt;;", ["E001", "E104", "E104"]),
        (".equ N 4\nset lr0 N*4; incr lr1 N+1; bkpt;;", ["E001", "E001", "E104"]),
        (".equ N 4\nN; set lr0 N; bkpt;;", ["E001", "E101"]),
        (".globl N\nset lr0 N; bkpt;;", ["E001", "E104"]),
        ("lr0 = 5; ldr_mult_reg lr0 lr1 cr0; bkpt;;", ["E001", "E104"]),
        ("set N = 5; incr lr1 N; bkpt;;", ["E001", "E104"]),
    ):
        found = ANALYZERS["ipu"].analyze(text).diagnostics
        assert [f.code for f in found if f.severity is Severity.ERROR] == codes, text


def test_an_edit_of_a_definition_shows_and_hides_the_uses() -> None:
    uses = "set lr0 N;;\n" * 3 + "bkpt;;\n"
    analysis = None
    for head in ("", ".equ N 4\n", ".equ M 4\n", "acc;;\n", "N = 4;\n", ""):
        analysis = ANALYZERS["ipu"].analyze(head + uses, before=analysis)
        afresh = Analyzer(load_isa("ipu")).analyze(head + uses)
        assert analysis.diagnostics == afresh.diagnostics
        errors = [f.code for f in analysis.diagnostics if f.severity is Severity.ERROR]
        assert errors.count("E104") == (0 if "N" in head else 3), head


def test_two_operands_that_touch_are_two_operands_where_that_is_right() -> None:
    assert assemble("set lr0+5; bkpt;;") == assemble("set lr0 +5; bkpt;;")
    assert assemble("-loop: b-loop;;") == assemble("-loop: b -loop;;")


@pytest.mark.parametrize(
    "text", ["\0\1\2abc\3;;\0x\n acx;;", "acc; bkpt;;\n\0", "\1a\2b\3c\4d\5e;;"]
)
@pytest.mark.parametrize("isa", ["ipu", "edgenpu", "colossus"])
def test_what_is_no_text_has_one_finding(text: str, isa: str) -> None:
    (finding,) = ANALYZERS[isa].analyze(text).diagnostics
    assert finding.name == "syntax-error"
    assert finding.message.startswith("a source is text, found U+")


def test_bytes_of_an_image_have_one_finding() -> None:
    text = "\udc89PNG\r\n\x1a\n\0\0\0 a \udcfe b \udcfd;; c \udcfc"
    (finding,) = ANALYZERS["ipu"].analyze(text).diagnostics
    assert finding.message == "expected UTF-8, found the byte 0x89; save the file as UTF-8"


def test_a_few_control_characters_do_not_hide_the_rest() -> None:
    found = ANALYZERS["ipu"].analyze("acx \1;; acy; bkpt \2;; # \0 \3 \4 \5 \6 \7").diagnostics
    assert [finding.code for finding in found] == ["E101", "E001", "E101", "E001"]


@pytest.mark.parametrize(
    ("isa", "code"),
    [("ipu", "acc;;"), ("edgenpu", "NOP"), ("colossus", "nop"), ("xdna1", "nop"), ("xdna2", "nop")],
)
def test_each_mark_of_a_merge_conflict_is_one_finding(isa: str, code: str) -> None:
    marks = ["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> fix/a, b"]
    analyzer = Analyzer(load_isa(isa))
    text = "".join(f"{code}\n{mark}\n" for mark in marks) + f"{code}\n"
    found = [each for each in analyzer.analyze(text).diagnostics if each.code in ("E001", "E101")]
    assert [text[slice(*each.span)] for each in found] == marks
    assert [each.message for each in found] == [
        "a merge conflict must be resolved: keep one of the versions and delete the lines that "
        f"mark them, found `{mark[:7]}`"
        for mark in marks
    ]


def test_a_line_for_a_preprocessor_or_a_foreign_comment_is_one_finding() -> None:
    lines = ["#define SIZE 4", '#include "x.h"', "#ifdef SIZE", "#endif", "# some words, here"]
    text = "".join(f"{line}\nNOP\n" for line in lines)
    found = ANALYZERS["edgenpu"].analyze(text).diagnostics
    assert [(each.code, text.count("\n", 0, each.span.start)) for each in found] == [
        ("E001", 2 * number) for number in range(len(lines))
    ]


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("set lr 0 5;;\nbkpt;;\n", "set lr0 5;;\nbkpt;;\n"),
        ("add lr 1 lr 2 lr3; bkpt;;\n", "add lr1 lr2 lr3; bkpt;;\n"),
        ("ldr_mult_reg r 0 lr 0 cr 15;;\nbkpt;;\n", "ldr_mult_reg r0 lr0 cr15;;\nbkpt;;\n"),
    ],
)
def test_a_blank_in_the_name_of_a_register_is_one_finding(text: str, mended: str) -> None:
    found = [each for each in ANALYZERS["ipu"].analyze(text).diagnostics if each.code[0] == "E"]
    assert {each.code for each in found} == {"E104"}
    edits = [edit for each in found if each.fix for edit in each.fix.edits]
    assert len(edits) == len(found)
    assert apply_edits(text, edits) == mended
    upper = text.replace("set", "SET")
    assert len(ANALYZERS["ipu"].analyze(upper).diagnostics) == len(found)
