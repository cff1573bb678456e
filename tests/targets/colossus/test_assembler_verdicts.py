"""What the vendor's assembler accepts is accepted here; what it refuses has an error."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.flow.accesses import accesses_of
from ipu_asm.isa import load_isa
from tests.targets.colossus.cases import Case, cases

ANALYZER = Analyzer(load_isa("colossus"))
CASES = cases()


def check_verdict(case: Case) -> list[Diagnostic]:
    """The findings of a case, which are as grave as the assembler takes them to be."""
    findings = list(ANALYZER.analyze(case.whole).diagnostics)
    grave = min((finding.severity for finding in findings), default=Severity.HINT)
    verdicts = {Severity.ERROR: "error", Severity.WARNING: "warning"}
    assert verdicts.get(grave, "ok") == case.verdict, case
    return findings


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text)
def test_a_text_is_taken_as_the_assembler_takes_it(case: Case) -> None:
    findings = check_verdict(case)
    # The directive for the mode is not to blame.
    assert all(finding.span.start > len(case.mode) for finding in findings)


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 160
    assert sum(case.verdict == "error" for case in CASES) > 90
    assert sum(case.verdict == "ok" for case in CASES) > 40


@pytest.mark.parametrize(
    "text",
    [
        "ld32 $m0, $m1, $azero, 0",
        "ld32 $m0, $a1, 4",
        "ld64 $a0:1, $m1, $a2, $azero",
        "stm32 $m0, $m1, $a2",
        "st64 $a0:1, $m1, $azero, 0",
        "{ ld32 $a4, $m1, $azero, 0 ; f32sisov2amp $a0:1, $a2, $azeros, TAMP_F32_E4_P0 }",
    ],
)
def test_what_production_code_writes_has_no_findings(text: str) -> None:
    assert list(ANALYZER.analyze(f".worker\n{text}\n").diagnostics) == []


def test_only_the_number_of_an_address_register_counts() -> None:
    program = ANALYZER.analyze("ld32 $m0, $m1, $azero, 0\n").program
    touches = accesses_of(program.isa, program.bundles[0])
    assert [touch.register for touch in touches] == ["$m0", "$m1", "$m15"]


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("ld32step $m0, $m1, $a2+=, 1", "E104", "$a2+="),
        ("ld32 $m0, $m1, $a2:3, 0", "E104", "$a2:3"),
        ("f32sisov2amp $a0:1, $a2:3, $azeros, X", "E104", "$a2:3"),
        ("{ setzi $m0, 1 ; setzi $m1, 1 }", "E201", "setzi"),
        ("{ f32fromi32 $a0, $a0 ; setzi $m1, 1 }", "C101", "f32fromi32"),
        ("{ sub $m1, $m1, $m1 ; setzi $a2, 1; setzi $a3, 1 }", "E201", "setzi"),
        ("{ add $m1, $m2, $m3 }", "C107", "add"),
        ("add $m3, $m3, $m3 }", "E001", "}"),
        ("{ }", "E001", "{"),
        ("foo", "E101", "foo"),
        ("add $m16, $m1, $m2", "E104", "$m16"),
        ("add $m1, $m2", "E102", "add"),
        ("add $m1, $m2, $m3, $m4", "E103", "$m4"),
        ("add $m1, $m2, 65536", "E106", "65536"),
        ("ld64 $a0:5, $m0, 0", "E104", "$a0:5"),
        ("st64step $a1:2, $m0, $m1+=, $m2", "E104", "$a1:2"),
        ("ld32 $m0, $m1, $m2, -1", "E106", "-1"),
        ("ld32 $m0, $m1, $m2, ABC", "E104", "ABC"),
        ("ld32 $m0, $sp $mzero, 0", "E104", "$sp $mzero"),
        ("bri $m0", "E104", "$m0"),
        ("ld32step $a0, $mzero, $m0, 1", "E104", "$m0"),
        ("setzi $m0++, 1", "E104", "$m0++"),
        ("bri .Lnowhere", "E301", ".Lnowhere"),
        ("bri 1b", "E301", "1b"),
        ("a: nop\na: nop", "E302", "a"),
        ("rpt $m0, 256", "E106", "256"),
        (".size", "E001", ".size"),
        (".size f", "E001", "f"),
        (".size f .-f", "E001", "."),
        (".size 4, 4", "E001", "4"),
        (".size f,", "E001", ","),
        (".size f, . -", "E001", "-"),
        (".size f, * f", "E001", "*"),
        (".size f, (. - f", "E001", "f"),
        (".size f, . - f)", "E001", ")"),
        (".size f, . 4", "E001", "4"),
        (".size f, . - f, 8", "E001", ","),
        ("a: .size f ; nop", "E001", "f"),
        ("nop /* and so on\nnop", "E001", "/*"),
        ("nop /*/", "E001", "/*"),
        ("#define A 1 /* and so on\nnop", "E001", "/*"),
    ],
)
def test_an_error_has_the_code_of_its_sort_and_stands_at_the_culprit(
    text: str, code: str, place: str
) -> None:
    found = ANALYZER.analyze(text).diagnostics
    assert [(f.code, text[f.span.start : f.span.end]) for f in found] == [(code, place)]
