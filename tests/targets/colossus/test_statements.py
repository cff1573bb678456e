"""Colossus text cut into statements: what belongs together, what is left of what does not fit."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.bundle.parser import parser_for
from ipu_asm.ide.navigation import highlights
from ipu_asm.isa import load_isa
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import apply_edits

GRAMMAR = parser_for(load_isa("colossus")).grammar


def statements(text: str) -> list[BundleSyntax]:
    """The statements of a text, which joined are the text."""
    ends = list(GRAMMAR.ends_of_slices(text, 0))
    parts = [text[start:end] for start, end in zip([0, *ends], ends)]
    assert "".join(parts) == text
    return [BundleSyntax(GRAMMAR, part) for part in parts]


def check_statements(text: str, *expected: str) -> None:
    """What the statements are: labels, then a directive or instructions with bars between them.

    Braces stand around bundles; findings follow by their reasons.
    """
    shown = [_shown(syntax) for syntax in statements(text)]
    assert [text for text in shown if text] == list(expected)


def _shown(syntax: BundleSyntax) -> str:
    plan = syntax.plan
    labels = [f"{label}:" for label, _ in syntax.labels]
    instructions = " | ".join(
        f"{words[0]} {', '.join(words[1:])}".strip()
        for words in map(syntax.instruction_words, range(len(plan.instructions)))
    )
    if plan.braces is not None:
        instructions = f"{{{instructions}}}"
    directives = [" ".join(words) for words in syntax.directives]
    findings = [f"!{finding.reason}" for finding in plan.findings]
    return " ".join([*labels, *filter(None, [instructions]), *directives, *findings])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nop", ["nop"]),
        ("nop;add $m0 , $m1,3 // c\n", ["nop", "add $m0, $m1, 3"]),
        ("a: 1: b:\tnop", ["a: 1: b: nop"]),
        ("a:\nb: ;c: nop", ["a:", "b:", "c: nop"]),
        ("{nop;fnop}", ["{nop | fnop}"]),
        ("x: { nop\n\n // c }\n fnop ; }\nnop", ["x: {nop | fnop}", "nop"]),
        ("{ nop ; fnop } ; nop", ["{nop | fnop}", "nop"]),
        ("{ nop ; fnop } /* c\n} */\n nop", ["{nop | fnop}", "nop"]),
        ("ld32step $a0, $mzero, $m0 +=, 1", ["ld32step $a0, $mzero, $m0+=, 1"]),
        ("setzi $m0, ';' ; nop", ["setzi $m0, ';'", "nop"]),
        ("{ setzi $m0, '}' ; fnop }\nnop", ["{setzi $m0, '}' | fnop}", "nop"]),
        ("setzi $m0, '#'\nsetzi $m1, ','\n", ["setzi $m0, '#'", "setzi $m1, ','"]),
        ("setzi $m0, '\"'\nnop", ["setzi $m0, '\"'", "nop"]),
        ("setzi $m0, (';' + 1)\nnop", ["setzi $m0, (';'+1)", "nop"]),
        ("rpt $m0, (( 2f - 1f ) / 8)-1", ["rpt $m0, ((2f-1f)/8)-1"]),
        ("m a b(c, d), e", ["m a b(c,d), e"]),
        ("F(x, y)", ["F (x,y)"]),
        ("F(x,\n  y)\nnop", ["F (x,\ny)", "nop"]),
        ("add $m0,, 1", ["add $m0, , 1"]),
        ("add ,", ["add ,"]),
        ("\\op\\()v2 \\a\\().x, \\@", ["\\op\\()v2 \\a\\().x, \\@"]),
        (".L\\name\\()_1: nop", [".L\\name\\()_1: nop"]),
        (".type f, @function ; .align 8", [".type f , @ function", ".align 8"]),
        ("x = 1 + 2\ny: z = 3", ["x = 1 + 2", "y: z = 3"]),
        ("#define a b ; c \\\n  d ; { \nnop", ["#define a b ; c \\\n  d ; { ", "nop"]),
        ("#define a /* one\ntwo ; */ three\nnop", ["#define a /* one\ntwo ; */ three", "nop"]),
        ("nop # a comment ; of the old sort\nnop", ["nop", "nop"]),
        ("# ipu: ignore[E101]\nnop", ["nop"]),
        ('.ascii "a;b\\"c" ; nop', ['.ascii "a;b\\"c"', "nop"]),
        ("add $m0, \\\n $m1, 2", ["add $m0, $m1, 2"]),
        ("add $m0, (a - \\\n b)/8\nnop", ["add $m0, (a-b)/8", "nop"]),
        ("add $m0, ((a -\\ \r\n b)*2)\nnop", ["add $m0, ((a-b)*2)", "nop"]),
        ("{ nop\n add $m0, (a -\\\n b)/8 }\nnop", ["{nop | add $m0, (a-b)/8}", "nop"]),
        ("nop /* never ends ; nop\nnop", ["nop"]),
        ("{ nop\n#if 1\nfnop\n#endif\n}", ["{nop | fnop} #if 1 #endif"]),
        ("{ nop\n.if 1\nfnop\n.endif\n}", ["{nop | fnop} .if 1 .endif"]),
    ],
)  # fmt: skip
def test_a_text_is_cut_into_statements(text: str, expected: list[str]) -> None:
    check_statements(text, *expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{ }", ["{} !brace-empty"]),
        ("{ nop ; fnop\n", ["{nop | fnop} !brace-unclosed"]),
        ("{ nop\n{ nop ; fnop }", ["{nop} !brace-unclosed", "{nop | fnop}"]),
        ("{ nop ; fnop\nloop: nop", ["{nop | fnop} !brace-unclosed", "loop: nop"]),
        (
            "{ nop ; fnop\n.align 8\nnop }",
            ["{nop | fnop} !brace-unclosed", ".align 8", "nop !brace-unopened"],
        ),
        ("{ nop { fnop }", ["{nop | fnop} !brace-inside"]),
        (
            "{ nop ; fnop } { nop ; fnop }",
            ["{nop | fnop | nop | fnop} !unexpected !brace-unopened"],
        ),
        ("nop }", ["nop !brace-unopened"]),
        ("}", ["!brace-unopened"]),
        ("{ nop ; a: fnop }", ["a: {nop | fnop} !label-inside"]),
        ("add $m0, (1", ["add $m0 !incomplete"]),
        ("add $m0, 1)", ["add $m0, 1 !unexpected"]),
        (": nop", ["!unexpected"]),
        ("add é, 1", ["add , 1 !stray"]),
    ],
)  # fmt: skip
def test_what_does_not_fit_spoils_one_statement(text: str, expected: list[str]) -> None:
    check_statements(text, *expected)


def test_a_label_that_stands_twice_before_one_instruction_is_told_of_at_its_second_place() -> None:
    found = analyze("twice: twice: nop\n1: 1: nop\n", "colossus").diagnostics
    assert [(finding.code, finding.span.start) for finding in found] == [("E302", 7)]


def test_a_number_that_stands_twice_as_a_label_is_found_at_both_places() -> None:
    text = "1: 1: nop\nbri 1b\n"
    analysis = analyze(text, "colossus")
    for offset in (0, 3, text.index("1b")):
        found = [occurrence.span.start for occurrence in highlights(analysis, offset)]
        assert found == [0, 3, text.index("1b")]


@pytest.mark.parametrize(
    "text",
    [
        ".size f, . - f", ".size f, .-f // c", ".size f, \\\n  .-f ; nop", '.size "f g", 4',
        ".size f, (1 << 2) * -4", ".size f, 4 + ~g",
        ".size MANGLE(x), .-MANGLE(x)", ".size MANGLE (x) .-MANGLE (x)", ".size a##b .-a##b",
        ".macro m name\n.size \\name .-\\name\n.size f .-f\n.size\n.endm",
        "#define F f, . - f\n.size F", "#define COMMA ,\n.size f COMMA . - f",
        '#include "names.h"\n.size F .-F', ".size f, . - [f]", ".size f, 'a'",
        "// /*", "/* a */ nop /* b */ // /*", '.ascii "/*"', '#define A "/*"',
    ],
)  # fmt: skip
def test_what_may_be_right_after_preprocessing_is_no_finding(text: str) -> None:
    assert analyze(text, "colossus").diagnostics == ()


def test_a_forgotten_comma_can_be_inserted() -> None:
    (finding,) = analyze(".size f .-f\n", "colossus").diagnostics
    assert finding.fix is not None
    assert not finding.fix.is_safe
    assert apply_edits(".size f .-f\n", finding.fix.edits) == ".size f, .-f\n"


@pytest.mark.parametrize(
    "text",
    [
        "$entry:\nbri $entry\n",
        "bri a$b\ncall $lr, a$b+4\n",
        "$entry:\nnop\nbri $entry + 4\nbri 4 + $entry\n",
        ".extern $other\ncall $lr, $other\n",
        ".set $size, 4\n$limit = 12\nsetzi $m2, $size\nadd $m0, $m1, $limit\n",
        ".globl $f\n.type $f, @function\n$f: br $lr\n.size $f, . - $f\n",
        ".macro put c\nsetzi $m0, \\c\n.endm\nput ';'\nput '{'\n",
        "#define C ';'\nsetzi $m0, C\n",
        ".byte ';', ',', '{', '#'\n.ascii \"a;b\", \"{#\"\n",
    ],
)
def test_symbols_with_a_dollar_and_marks_in_characters_are_right(text: str) -> None:
    assert analyze(text, "colossus").diagnostics == ()


def test_an_unknown_symbol_with_a_dollar_is_no_register() -> None:
    for operand in ("$nowhere", "$nowhere+4"):
        found = [f.message for f in analyze(f"bri {operand}\n", "colossus").diagnostics]
        assert found == [
            f"expected a label or a number from 0 to 524287 of a word, found `{operand}`"
        ]


def test_a_label_with_a_dollar_and_a_register_have_no_sum() -> None:
    (finding,) = analyze("$entry:\nbri $entry+$m0\n", "colossus").diagnostics
    assert finding.code == "E104"


def test_a_label_on_a_line_of_its_own_in_a_bundle_has_no_fix_that_adds_lines() -> None:
    found = analyze("{ nop\n$here:\n", "colossus").diagnostics
    assert [(each.message, each.fix) for each in found[1:]] == [
        (
            "a label stands before the `{` of a bundle, found `$here` inside one; "
            "is `}` missing before it?",
            None,
        )
    ]


@pytest.mark.parametrize(
    "text",
    ["{ nop } ⟦fnop⟧", "⟦nop⟧ { fnop }", "{ nop ; fnop } ⟦nop⟧", "{}⟦add⟧ $m1, $m0, 5", "⟦nop⟧ {}"],
)
def test_an_instruction_beside_the_braces_of_a_bundle_is_one_mistake(text: str) -> None:
    plain = text.replace("⟦", "").replace("⟧", "")
    (finding,) = analyze(plain, "colossus").diagnostics
    start, end = finding.span
    assert f"{plain[:start]}⟦{plain[start:end]}⟧{plain[end:]}" == text
    assert finding.message.startswith("the instructions of a bundle stand between `{` and `}`")


def test_a_macro_before_the_braces_of_a_bundle_may_be_a_label() -> None:
    for before in (".macro M\n1:\n.endm", '#include "absent.h"'):
        codes = {
            each.code for each in analyze(f"{before}\nM {{ nop ; fnop }}", "colossus").diagnostics
        }
        assert codes <= {"H103"}


def test_a_number_with_several_signs_is_out_of_range_like_any_other() -> None:
    (finding,) = analyze(".byte --500\n", "colossus").diagnostics
    assert finding.message == "expected a number from -128 to 255, found `--500`, which is 500"
