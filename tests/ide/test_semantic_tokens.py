"""What each word is."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide import semantic_tokens as ide
from ipu_asm.isa import available_isas, load_isa, manifests

ENCODABLE = [name for name, manifest in manifests().items() if manifest.is_encodable]

Token = tuple[str, str]


def check_tokens(text: str, *expected: Token, isa: str = "ipu") -> None:
    """The words of a text, each with its kind and modifiers, separated by blanks."""
    program = analyze(text, isa).program
    found = []
    registers = ide.macro_registers(program.isa, program.bundles)
    for number, bundle in enumerate(program.bundles):
        for token in ide.tokens_of_macros(program.isa, bundle, registers):
            start, end = program.span(number, token.span)
            assert token.kind in ide.KINDS
            assert set(token.modifiers) <= set(ide.modifiers())
            found.append((text[start:end], " ".join((token.kind, *token.modifiers))))
    assert found == list(expected)


def test_mnemonics_go_by_their_slot_and_registers_by_their_file() -> None:
    check_tokens(
        "incr lr0 1; str_acc_reg lr4 cr2; agg sum value cr0 aaq0; mult.ee r0 lr0 lr0 lr0;;",
        *[("incr", "function lr"), ("lr0", "variable lr"), ("1", "number")],
        *[("str_acc_reg", "function xmem"), ("lr4", "variable lr"), ("cr2", "variable cr")],
        *[("agg", "function aaq"), ("sum", "keyword"), ("value", "keyword")],
        *[("cr0", "variable cr"), ("aaq0", "variable aaq")],
        *[("mult.ee", "function mult"), ("r0", "variable mult_stage")],
        *[("lr0", "variable lr")] * 3,
    )


def test_labels_are_told_where_they_are_defined() -> None:
    check_tokens(
        "x: b x;; b -1;;",
        *[("x", "label definition"), ("b", "function cond"), ("x", "label")],
        *[("b", "function cond"), ("-1", "label")],
    )


def test_a_deprecated_instruction_is_marked() -> None:
    found = [("mult.ev", "function mult deprecated"), ("r0", "variable mult_stage")]
    check_tokens("mult.ev r0 lr0 lr1 lr2;;", *found, *[(f"lr{n}", "variable lr") for n in range(3)])


def test_comments_run_to_the_end_of_their_line() -> None:
    check_tokens(
        "# a ;; // b\r\nacc;; // \U0001f600",
        ("# a ;; // b", "comment"),
        ("acc", "function acc"),
        ("// \U0001f600", "comment"),
    )
    check_tokens(
        "acc # one\n#\n; # two",
        *[("acc", "function acc"), ("# one", "comment"), ("#", "comment"), ("# two", "comment")],
    )


def test_what_is_wrong_has_the_colour_of_what_it_is_or_none() -> None:
    check_tokens("frob lr3 5 x ?;;", ("lr3", "variable lr"), ("5", "number"))
    check_tokens(
        "set LR0 cr1;;", ("set", "function lr"), ("LR0", "variable lr"), ("cr1", "variable cr")
    )
    check_tokens("set lr99 99999999999;;", ("set", "function lr"), ("99999999999", "number"))


def test_names_of_operands_have_a_colour_of_their_own() -> None:
    check_tokens(
        "POOL AB[ 2 ], AB[1], avg, kernel=2x2 ; note",
        ("POOL", "function main"),
        *[(part, "variable activation") for part in ("AB", "[", "2", "]")],
        *[(part, "variable activation") for part in ("AB", "[", "1", "]")],
        *[("avg", "keyword"), ("kernel", "parameter"), ("2x2", "keyword"), ("; note", "comment")],
        isa="edgenpu",
    )


@pytest.mark.parametrize("isa", available_isas())
def test_no_slot_is_without_its_modifier(isa: str) -> None:
    assert {slot.name for slot in load_isa(isa).slots} <= set(ide.modifiers())


@pytest.mark.parametrize("isa", ENCODABLE)
def test_few_register_files_have_a_modifier_each(isa: str) -> None:
    assert {file.name for file in load_isa(isa).register_files} <= set(ide.modifiers())


def test_every_modifier_is_for_something() -> None:
    sets = [load_isa(name) for name in available_isas()]
    slots = {slot.name for isa in sets for slot in isa.slots}
    files = {file.name for isa in sets for file in isa.register_files}
    assert set(ide.modifiers()) <= slots | files | {ide.DEFINITION, ide.DEPRECATED}


def test_registers_inside_an_operand_have_their_colour() -> None:
    check_tokens(
        "vlda wl0, [p0, #0x20]; mov r1, r2 // so",
        *[("vlda", "function lda"), ("wl0", "variable"), ("p0", "variable")],
        *[("0x20", "number"), ("mov", "function mv"), ("r1", "variable"), ("r2", "variable")],
        ("// so", "comment"),
        isa="xdna1",
    )


def test_labels_behind_a_mark_and_labels_that_are_numbers_are_labels() -> None:
    check_tokens(
        "j #x\nx:\n",
        *[("j", "function lng"), ("x", "label"), ("x", "label definition")],
        isa="xdna1",
    )
    check_tokens(
        "1: bri 1b",
        *[("1", "label definition"), ("bri", "function main"), ("1b", "label")],
        isa="colossus",
    )


def test_directives_and_what_they_say_have_colours() -> None:
    check_tokens(
        '\t.section .text,"ax", 3 // on\n',
        *[(".section", "macro"), ('"ax"', "string"), ("3", "number"), ("// on", "comment")],
        isa="xdna1",
    )
    check_tokens(
        "#define A \\\n    3 /* a\n b */\nbri x /* c\n d */\n",
        *[("#define A", "macro"), ("3", "macro"), ("/* a", "comment"), ("b */", "comment")],
        *[("bri", "function main"), ("x", "label"), ("/* c", "comment"), ("d */", "comment")],
        isa="colossus",
    )


def test_what_is_no_instruction_has_the_colour_of_a_macro_where_there_may_be_some() -> None:
    check_tokens(
        "SUM $m0, 3\n{ STEP ; fnop }\n",
        *[("SUM", "macro"), ("$m0", "variable"), ("3", "number")],
        *[("STEP", "macro"), ("fnop", "function aux")],
        isa="colossus",
    )
    check_tokens("nope lr0;;", ("lr0", "variable lr"))


def test_a_bundle_is_worked_out_once() -> None:
    program = analyze("acc;;").program
    (first, second) = (ide.semantic_tokens(program.isa, program.bundles[0]) for _ in range(2))
    assert first is second


def test_macros_that_stand_for_registers_are_registers() -> None:
    check_tokens(
        "#define NEXT $m0  // next pair\n#define LEFT 4\nld64step $a0:1, $mzero, NEXT+=, LEFT\n",
        *[("#define NEXT $m0", "macro"), ("// next pair", "comment"), ("#define LEFT 4", "macro")],
        *[("ld64step", "function main"), ("$a0:1", "variable"), ("$mzero", "variable")],
        ("NEXT", "variable"),
        isa="colossus",
    )
