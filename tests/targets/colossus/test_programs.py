"""Programs as people write them, full of macros and preprocessor lines: nothing is wrong there."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa

ANALYZER = Analyzer(load_isa("colossus"))
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.S"))


def check_silent(text: str) -> Analysis:
    """The analysis of a text about which there is nothing to say, not even a hint."""
    analysis = ANALYZER.analyze(text)
    said = [(f.code, f.message, text[f.span.start : f.span.end]) for f in analysis.diagnostics]
    assert said == []
    return analysis


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_silent(path: Path) -> None:
    analysis = check_silent(path.read_text(encoding="utf-8"))
    known = [
        instruction.spec
        for bundle in analysis.program.bundles
        for instruction in bundle.instructions
        if instruction.spec is not None
    ]
    assert len(known) >= 15


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("line_break", ["\r\n", "\r"])
def test_line_breaks_of_other_systems_change_nothing(path: Path, line_break: str) -> None:
    text = path.read_text(encoding="utf-8")
    program = check_silent(text.replace("\n", line_break)).program
    assert program.size == check_silent(text).program.size


def test_there_are_programs_of_some_length() -> None:
    assert len(PROGRAMS) >= 5
    assert all(len(path.read_text(encoding="utf-8").splitlines()) >= 60 for path in PROGRAMS)


@pytest.mark.parametrize(
    "text",
    [
        # Registers by name, with everything that stands after one.
        "#define ptr m3\nld32step $m0, $mzero, $ptr+=, 1",
        "#define pair a0:1\nf32v2add $pair, $pair, $azeros",
        "#define base a4\nf32v2add $a0:1, $base:BL, $a2:3",
        ".macro m reg\nld32step $a0, $mzero, \\reg+=, 1\n"
        "f32v2add \\reg, $a0:\\reg, $a\\reg\\()\n.endm",
        # Names for numbers.
        ".set x, 1\nld32 $m0, $m1, $m2, x",
        "x = 1\nld32 $m0, $m1, $m2, x",
        ".equ x, 1\nrpt 3, x",
        "#define x 1\nadd $m0, $m0, x",
        "add $m0, $m0, x + 1",
        '#include "x.h"\nld32 $m0, $m1, x\n#ifdef x\n#endif',
        # Operands, instructions and bundles out of macros.
        "#define args $m0, $m1, 3\nadd args",
        "#define f(x, y) x, y\nadd $m0, f($m1, 3)",
        ".macro both a:req, b\n{ \\a ; \\b }\n{ \\a\n\\b }\n\\a $m0\n\\a\\()v2 $a0\n.endm",
        ".macro go to\nbrz $m0, \\to\n.Lloop_\\@: bri .Lloop_\\@\n.endm\n.Lthere: go .Lthere",
        "#define start .Lstart:\nstart\nbri .Lstart",
        "#define JUMP(x) bri x\nJUMP(1f)\n1: JUMP(1b) ; JUMP(a + 4)",
        ".macro add a\nnop\n.endm\nadd 1",
        # Calls over several lines.
        "#define LONG(a, b) a ; b\nLONG(nop, // first\n     nop)\nadd $m0, $m0, \\\n    1",
        "#include <all>\nSTACK_USAGE 0 f\nANY(x) more, of it\n"
        "{ ANY ; THING }\n{ ONE }\nadd $q, r, s",
        # Braces that conditions choose between.
        "{ nop\n#ifdef A\n  fnop }\n#else\n  f32add $a0, $a0, $a1 }\n#endif",
        "#ifdef A\n{ add $m0, $m0, 1\n#else\n{ add $m0, $m0, 2\n#endif\n  fnop }",
        # A file that is included where its names are defined.
        "ld32 $p, $q, a\nld32 $r, $s, b\nt $u",
        "{ nop\n  APPLY($a0, $a1) }\nsync ZONE\n.UNIQUE(loop):\nbrz $m0, .UNIQUE(loop)",
        # Labels, strings, comments.
        "1: a: b: { nop ; fnop }\nc: d:\n.Le: .int 1 ; f: nop; brz $m0, 1b",
        '.ascii "; } // no"\n.string "a\\"b { /*" // ;',
        "nop // { ; }\n/* { nop\n} */ nop /* ; */ ; nop # { the rest }",
        "{ // one\n  nop // two ;\n\n  /* three } */ fnop # four }\n} // five",
        ".type f, @function\n.size f, . - f\n.section .text.f, \"ax\", @progbits\n.align 8, 0",
        # Directives that drop findings.
        ".allow_invalid_operands\nld32 $m0, $m1, 99999",
        ".allow_optimizations\n{ f32add $a0, $a1, $a2 ; brnzdec $m0, loop }",
        ".allow_invalid_execution_mode\n.supervisor\nf32add $a0, $a1, $a2",
        ".allow_invalid_repeat\nrpt $m0, 0\nnop",
    ],
)  # fmt: skip
def test_what_macros_may_make_is_no_mistake(text: str) -> None:
    check_silent(text)


def test_a_directive_that_warns_makes_an_error_a_warning() -> None:
    text = ".warn_on_invalid_bundles\n{ nop ; nop }\n.error_on_invalid_bundles\n{ nop ; nop }"
    found = ANALYZER.analyze(text).diagnostics
    assert [(finding.code, finding.severity.label) for finding in found] == [
        ("E201", "warning"),
        ("E201", "error"),
    ]


def test_a_severity_directive_holds_from_its_line_on() -> None:
    text = "add $m0, 1, 2\n.allow_invalid_operands\nadd $m0, 1, 2"
    assert [finding.span.start for finding in ANALYZER.analyze(text).diagnostics] == [9]
    text += "\n.error_on_invalid_operands\nadd $m0, 1, 2"
    assert len(ANALYZER.analyze(text).diagnostics) == 2
