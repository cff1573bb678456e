"""Whatever the compiler prints is read: directives, labels, comments, strings, open bundles."""

from __future__ import annotations

import pytest

from tests.targets.aie.cases import NAMES, analyze

# In the manner of what `clang -S -g` prints for a function with a loop, a call and some data.
PRINTED = """\
\t.file\t"kernel.cpp"
\t.section\t.text.unlikely.,"ax",@progbits
\t.text
\t.globl\tf                       // -- Begin function f
\t.p2align\t4
\t.type\tf,@function
f:                              // @f
.Lfunc_begin0:
\t.loc\t1 5 0                           // foo.cpp:5:0
\t.cfi_startproc
// %bb.0:                               // %entry
\t//DEBUG_VALUE: f:p <- $p0
\tnopa\t;\t\tpaddb\t[sp], #32;\t\tnopx\t;\t\tmov\tp3, p0;\t\tnops\t
\tst\tlr, [sp, #-32]                  // 4-byte Folded Spill
.Ltmp0:
\t.loc\t1 6 3 prologue_end              // foo.cpp:6:3
\tjl\t#_Z3barv
\tnop\t                                //  Delay Slot 5
\tnop\t                                //  Delay Slot 4
\tnop\t                                //  Delay Slot 3
\tnop\t                                //  Delay Slot 2
.Ltmp1:
\tnop\t                                //  Delay Slot 1
\tmovxm\tls, #.LBB0_1
\tmovxm\tle, #.L_LEnd0
\tmovxm\tp0, #.L.str
\tmovxm\tp1, #.L_Merged
\tmovxm\tp2, #.Lfoo
\tadd.nc\tlc, r0, #-1
\tnop
\tnop
\tnop
\tnop
\tnop
\t.p2align\t4
.LBB0_1:                                // %for.body
                                        // =>This Inner Loop Header: Depth=1
\tvldb\t wl0, [p0], m0;\t\tnopa\t;\t\tnops\t;\t\tnopxm\t;\t\tnopv\t
.L_LEnd0:
\tnopb\t;\t\tnopa\t;\t\tnops\t;\t\tnopxm\t;\t\tnopv\t
// add r0, r0, r0;
\t/* two ; lines
\t   // and a half */ mov r1, r2
//APP
\tmov r1, r2
//NO_APP
\tret\tlr\t
\tnop\t                                //  Delay Slot 5
\tnop\t                                //  Delay Slot 4
\tnop\t                                //  Delay Slot 3
\tnop\t                                //  Delay Slot 2
\tpaddb\t[sp], #-32                      //  Delay Slot 1
.Lfunc_end0:
\t.size\tf, .Lfunc_end0-f
\t.cfi_endproc
                                        // -- End function
\t.type\t.L.str,@object                  // @.str
\t.section\t.rodata.str1.1,"aMS",@progbits,1
.L.str:
\t.asciz\t"hello; // \\" /* world"
\t.size\t.L.str, 21
\t.byte\t1                               // 0x1
\t.long\t.Lfunc_end0-.Lfunc_begin0       // Length
\t.quad\t0x0 ; .byte 1
\t.set\t.Lfoo, .Ltmp0-4
\t.local\t.L_Merged
\t.comm\t.L_Merged,64,32
size = . - f
\t.ident\t"clang version 19.0.0 (https://example.org 1234)"
\t.section\t".note.GNU-stack","",@progbits
\t.addrsig
\t.addrsig_sym _Z3barv
"quoted label":
"""


def check_clean(isa: str, text: str) -> int:
    """How many bundles a text has of which nothing is said."""
    analysis = analyze(isa, text)
    assert [(f.code, f.message) for f in analysis.diagnostics] == []
    return analysis.program.size


@pytest.mark.parametrize(("isa", "offset"), [("xdna1", 32), ("xdna2", 64)])
def test_what_a_compiler_prints_is_clean(isa: str, offset: int) -> None:
    text = PRINTED.replace("paddb\t[sp], #32;", f"padds\t[p6], #{offset};").replace(
        "paddb\t[sp], #-32", f"padds\t[p6], #-{offset}"
    )
    text = text.replace("\t\tnops\t\n", "\t\tnopb\t\n", 1)
    assert check_clean(isa, text) == 30
    assert check_clean(isa, text.replace("\n", "\r\n")) == 30


@pytest.mark.parametrize(
    "text",
    [
        "", "\n\n", "// nothing", ".text", ".text ; .data", "a:", "a: // b",
        "a: nop", "a: .p2align 4", ".La:nop", "$a@b.c: nop", '"a;b": nop', ".byte {%}'x ?",
        '.ascii "closed"', ".section /x, #y, [z]", "nop /* a */ /* b */", "nop // ;;",
        "lda r0 , [ p0 , #0 ] ; nopb", "x = 5", ".Lx = . + 4",
        ".macro twice op\n\\op\n\\op\n.endm\ntwice nop\n",
    ],
)  # fmt: skip
def test_a_text_is_clean(text: str) -> None:
    findings = analyze("xdna1", text).program.findings
    assert [finding.message for finding in findings] == []


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("nopa nopb", "E103", "nopb"),
        ("lda r0 [p0, #0]", "E001", ","),
        ("lda r0, [p0 #0]", "E001", "#"),
        ("lda r0, [p0, #0", "E001", "0"),
        ("mova r0, #", "E001", "#"),
        ("mova r0, #1 2", "E001", "2"),
        ("nopa; a: nopb", "E001", "a"),
        ("nop {", "E001", "{"),
        ("a: b: nop", "E001", "b"),
        ("nop // /*\nnop /* and so on\nnop", "E001", "/*"),
        (".text /* a */ /*/", "E001", "/*"),
    ],
)
def test_what_does_not_fit_is_pointed_at(text: str, code: str, place: str) -> None:
    found = [
        (f.code, text[f.span.start : f.span.end]) for f in analyze("xdna1", text).program.findings
    ]
    assert found == [(code, place)]


def test_a_separator_at_the_end_of_a_line_keeps_the_bundle_open() -> None:
    analysis = analyze("xdna1", "nopa ;\n  nopb; \n nopx // no more;\nnop\n")
    assert analysis.program.size == 2
    assert [finding.code for finding in analysis.diagnostics] == ["X104", "X104"]


def test_a_comment_that_ends_in_a_separator_ends_its_line_all_the_same() -> None:
    assert check_clean("xdna1", "nopa // nopb;\nnopb /* ; */\n// nop;\nnop\n") == 3


@pytest.mark.parametrize("isa", NAMES)
def test_labels_of_other_files_are_no_mistake_and_local_ones_are(isa: str) -> None:
    nops = "nop\n" * 5
    assert check_clean(isa, f"jl #elsewhere\n{nops}j #a\n{nops}a: ret lr\n{nops}") == 18
    found = analyze(isa, f"j #.La\n{nops}.Lb: ret lr\n{nops}").program.findings
    assert [(finding.code, finding.message) for finding in found] == [
        ("E301", "no label `.La` in this file")
    ]


def test_a_label_is_defined_once() -> None:
    found = analyze("xdna1", "a: nop\na: nop\n").program.findings
    assert [finding.code for finding in found] == ["E302"]


@pytest.mark.parametrize("isa", NAMES)
def test_labels_may_be_numbers_that_references_follow_by_a_direction(isa: str) -> None:
    nops = "nop\n" * 5
    text = f"1: nop\n 2 : nop\n1: j #2f\n{nops}jnz r0, #1b\n{nops}2: ret lr\n{nops}"
    assert check_clean(isa, text) == 20
    found = analyze(isa, text).program
    assert [reference.target for reference in found.references] == [
        found.addresses[found.numeric_labels["2"][1]],
        found.addresses[found.numeric_labels["1"][1]],
    ]


def test_a_numeric_label_that_is_not_there_or_no_number_is_a_mistake() -> None:
    nops = "nop\n" * 5
    text = f"1: jnz r0, #1f\n{nops}jnz r0, #2b\n{nops}"
    found = analyze("xdna2", text).program.findings
    assert [(finding.code, finding.message) for finding in found] == [
        ("E301", "no label `1:` after this"),
        ("E301", "no label `2:` before this"),
    ]
    found = analyze("xdna2", "1b: nop\nnop; 1: nop\n").program.findings
    assert [finding.code for finding in found] == ["E001", "E001"]


@pytest.mark.parametrize(
    ("path", "isa"), [("k.aie", "xdna1"), ("k.aie2", "xdna1"), ("k.aie2p", "xdna2")]
)
def test_files_are_known_by_their_extension(path: str, isa: str) -> None:
    from ipu_asm.config.isa_choice import choose_isa
    from ipu_asm.isa import load_isa, manifests

    assert choose_isa("nop\n", path).name == isa
    assert load_isa(isa).surface.language_id == "aie-asm"
    assert any(path.endswith(end) for end in manifests()[isa].extensions)


def test_a_fix_that_begins_a_bundle_leaves_no_other_separator_before_it() -> None:
    for text, has_fix in (("nop;\nnop\n", True), ("nop;;\nnop\n", False)):
        (finding,) = (each for each in analyze("xdna1", text).diagnostics if each.code == "E201")
        assert (finding.fix is not None) == has_fix
