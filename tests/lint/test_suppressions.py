"""Comments that silence findings, and what is said of those that silence nothing."""

from __future__ import annotations

import sys

import pytest

from ipu_asm.analysis.analyzer import Analyzer, analyze
from ipu_asm.assembler.encode import AssemblyError, assemble
from ipu_asm.diagnostics import Applicability, Diagnostic, RuleId, Severity
from ipu_asm.isa import load_isa
from ipu_asm.lint.suppressions import suppress_written
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.text import SourceFile, apply_edits

ANALYZER = Analyzer(load_isa("ipu"))


def check_names(text: str, *expected: str) -> list[Diagnostic]:
    """The findings of a text have exactly these names, by position."""
    findings = list(ANALYZER.analyze(text).diagnostics)
    assert [finding.name for finding in findings] == list(expected)
    return findings


def check_mended(text: str, expected: str) -> None:
    """The fix of the first unused suppression turns the text into the expected one."""
    findings = ANALYZER.analyze(text).diagnostics
    fixes = [finding.fix for finding in findings if finding.code == "W001"]
    assert fixes
    assert fixes[0] is not None
    assert apply_edits(text, fixes[0].edits) == expected


def test_a_comment_on_the_line_silences_its_findings_only() -> None:
    check_names(
        "set lr0 40000;; # ipu: ignore[immediate-wraps] as a mask\nset lr1 40000; bkpt;;",
        "immediate-wraps",
    )


@pytest.mark.parametrize("name", ["immediate-wraps", "W203", "H104, W203", " W203 ,x, H104 "])
def test_a_finding_goes_by_its_name_or_its_code(name: str) -> None:
    text = f"set lr0 40000; bkpt;; # ipu: ignore[{name}]"
    assert "immediate-wraps" not in [f.name for f in ANALYZER.analyze(text).diagnostics]


@pytest.mark.parametrize(
    "comment",
    [
        "#ipu:ignore[W203]",
        "// ipu: ignore[W203] the mask of row 1",
        "#\tipu:\tignore [W203]: see [1]",
        "## ipu: ignore[W203]",
        "/// ipu: ignore[W203]",
        "# row 1 # ipu: ignore[W203] # more",
    ],
)
def test_a_comment_is_known_however_it_is_spaced(comment: str) -> None:
    check_names(f"set lr0 40000; bkpt;; {comment}")


@pytest.mark.parametrize(
    "text",
    [
        "ipu: set lr0 40000; beq lr0 lr1 ipu;; bkpt;;",
        "set lr0 40000; bkpt;; # we ipu: ignore[W203]",
        "set lr0 40000; bkpt;; # ipu: ignored by the host [W203]",
        "set lr0 40000; bkpt;; # ipu: mask[W203]",
        "set lr0 40000; bkpt;; # the ipu ignores [W203]",
    ],
)
def test_what_only_looks_like_a_comment_for_the_linter_does_nothing(text: str) -> None:
    check_names(text, "immediate-wraps")


@pytest.mark.parametrize(
    ("comment", "meant"),
    [
        ("ipu: ignroe[W203]", "ipu: ignore"),
        ("ipu: ignored[W203]", "ipu: ignore"),
        ("ipu: Ignore[W203]", "ipu: ignore"),
        ("IPU: ignore[W203]", "ipu: ignore"),
        ("ipu ignore[W203]", "ipu: ignore"),
        ("ipu; ignore [W203]", "ipu: ignore"),
        ("ipu: ignore-files[W203]", "ipu: ignore-file"),
        ("ipu:ignore_file[W203]", "ipu: ignore-file"),
    ],
)
def test_a_misspelt_comment_is_told_with_what_was_meant(comment: str, meant: str) -> None:
    for text in (f"bkpt;; # {comment} why", f"{{# {comment} #}}\nset lr0 {{{{ 3 }}}}; bkpt;;"):
        (finding,) = check_names(text, "unused-suppression")
        assert f"did you mean `{meant}`?" in finding.message
        assert finding.fix is not None
        assert finding.fix.applicability is Applicability.DISPLAY
        assert f"{meant}" in apply_edits(text, finding.fix.edits)


def test_several_names_silence_several_findings() -> None:
    check_names("acc;; one: set lr0 40000;; bkpt;; # ipu: ignore[H104,W203]")


def test_two_comments_may_be_about_one_line() -> None:
    check_names("# ipu: ignore[H104]\nacc;; one: set lr0 40000; # ipu: ignore[W203]\n;; bkpt;;")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_comment_alone_is_about_the_next_line_of_code(end: str) -> None:
    lines = ["acc;;", "  # ipu: ignore[W203] why", "// and", "", "set lr0 40000; bkpt;;"]
    check_names(end.join(lines))


def test_a_comment_alone_is_about_one_line_only() -> None:
    check_names("acc;;\n# ipu: ignore[H104]\none:\n    set lr0 40000;; bkpt;;\n", "immediate-wraps")


def test_inside_a_bundle_of_many_lines_each_line_has_its_own() -> None:
    check_names(
        "    set lr0 40000; # ipu: ignore[W203]\n"
        "    # ipu: ignore[W203]\n"
        "    incr lr1\n"
        "        40000;\n"
        "    bkpt;;\n",
        "unused-suppression",
        "immediate-wraps",
    )
    check_names("    incr lr1\n    # ipu: ignore[W203]\n        40000;\n    bkpt;;\n")


def test_a_finding_of_many_lines_is_silenced_where_it_begins() -> None:
    check_names("bkpt;;\nacc;; # ipu: ignore[unreachable-bundle]\nacc;;\nacc;;")
    check_names(
        "bkpt;;\nacc;;\nacc;; # ipu: ignore[unreachable-bundle]",
        "unreachable-bundle",
        "unused-suppression",
    )


def test_all_stands_for_every_name() -> None:
    check_names("# ipu: ignore-file[ALL] generated\nset lr0 40000; acc.frist;;\nacc;;")
    check_names("set lr0 40000;; # ipu: ignore[ALL]\nacc;;", "runs-off-end")


def test_all_in_a_file_without_findings_is_not_unused() -> None:
    check_names("# ipu: ignore-file[ALL]\nbkpt;;")


@pytest.mark.parametrize("top", ["", "# a kernel\n\n", "\ufeff", "# ipu: ignore-file[W103]\n"])
def test_a_file_is_silenced_above_its_first_bundle(top: str) -> None:
    check_names(f"{top}# ipu: ignore-file[runs-off-end, W203] old\n\nset lr0 40000;;\nacc;;")


def test_a_file_cannot_be_silenced_below_its_first_bundle() -> None:
    findings = check_names(
        "acc;; one: acc;; # ipu: ignore-file[H104]\nbkpt;;", "unused-label", "unused-suppression"
    )
    assert "above the first bundle" in findings[1].message


def test_errors_can_be_silenced_but_not_assembled() -> None:
    text = "acx; bkpt;; # ipu: ignore[unknown-mnemonic] comes with the next version"
    check_names(text)
    with pytest.raises(AssemblyError):
        assemble(text)


def test_each_name_that_silences_nothing_is_reported_where_it_stands() -> None:
    text = "acc;; one: acc;; bkpt;; # ipu: ignore[W203, H104, unused-label, E101]"
    findings = check_names(text, "unused-suppression", "unused-suppression")
    assert [text[f.span.start : f.span.end] for f in findings] == ["W203", "E101"]
    assert all(finding.tags == ("unnecessary",) for finding in findings)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("unused-lable", "did you mean `unused-label`?"),
        ("Unused_Label", "did you mean `unused-label`?"),
        ("h104", "did you mean `H104`?"),
        ("everything", "no finding is called that"),
    ],
)
def test_an_unknown_name_is_reported_with_what_may_be_meant(name: str, said: str) -> None:
    findings = check_names(f"acc; bkpt;; # ipu: ignore[{name}]", "unused-suppression")
    assert f"`{name}`" in findings[0].message
    assert findings[0].message.endswith(said)


@pytest.mark.parametrize("list_", ["", "[]", "[ , ]", "[W203", "[W203 (why)"])
def test_a_comment_without_a_list_silences_nothing_and_says_so(list_: str) -> None:
    findings = check_names(
        f"set lr0 40000; bkpt;; # ipu: ignore{list_}", "immediate-wraps", "unused-suppression"
    )
    assert "`ignore[name]`" in findings[1].message


def test_unused_suppressions_can_be_silenced_themselves() -> None:
    check_names("acc; bkpt;; # ipu: ignore[W203, unused-suppression]")
    check_names("# ipu: ignore[W203, W001]\nacc; bkpt;;")
    check_names("# ipu: ignore-file[W001]\nacc; bkpt;; # ipu: ignore[W203]")
    check_names("acc; bkpt;; # ipu: ignore[W001]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The comment and the blanks before it
        ("acc; bkpt;;  # ipu: ignore[W203] why\n", "acc; bkpt;;\n"),
        ("acc; bkpt;; // ipu: ignore[W203]", "acc; bkpt;;"),
        ("acc;\t/// ipu: ignore[W203]\r\nbkpt;;", "acc;\r\nbkpt;;"),
        ("acc; bkpt;; # one # ipu: ignore[W203] two # three", "acc; bkpt;; # one # three"),
        # Its line, if it is alone there
        ("acc;;\n  # ipu: ignore[W203]\nbkpt;;", "acc;;\nbkpt;;"),
        ("acc;;\r\n# ipu: ignore[W203]\r\nbkpt;;", "acc;;\r\nbkpt;;"),
        ("# ipu: ignore-file[W203]\nbkpt;;", "bkpt;;"),
        ("bkpt;;\n# ipu: ignore[W203]", "bkpt;;\n"),
        # All names of one that is in vain
        ("acc; bkpt;; # ipu: ignore[W203, H104]", "acc; bkpt;;"),
        # Only the name, if another is needed
        ("acc;; a: aaq;; # ipu: ignore[W203, H104] b", "acc;; a: aaq;; # ipu: ignore[H104] b"),
        ("acc;; a: aaq;; # ipu: ignore[H104, W203] b", "acc;; a: aaq;; # ipu: ignore[H104] b"),
        ("acc;; a: aaq;; # ipu: ignore[H104,E103 ,H]", "acc;; a: aaq;; # ipu: ignore[H104 ,H]"),
        # The right name in place of a misspelt one that is needed
        ("acc;; a: aaq;; #ipu:ignore[unused-lable]", "acc;; a: aaq;; #ipu:ignore[unused-label]"),
        # What silences nothing by its form
        ("acc; bkpt;; # ipu: ignore me\n", "acc; bkpt;;\n"),
        ("acc;; # ipu: ignore-file[W203]\nbkpt;;", "acc;;\nbkpt;;"),
    ],
)  # fmt: skip
def test_the_fix_takes_out_what_is_in_vain_and_no_more(text: str, expected: str) -> None:
    check_mended(text, expected)


def test_fixes_of_several_names_can_be_made_at_once() -> None:
    text = "acc;; a: acc;; bkpt;; # ipu: ignore[W201, W202, H104, W203, E101]"
    fixes = [f.fix for f in analyze(text).diagnostics if f.fix is not None]
    assert len(fixes) == 4
    together = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
    assert together == "acc;; a: acc;; bkpt;; # ipu: ignore[H104]"


@pytest.mark.parametrize(
    ("text", "applicability"),
    [
        ("acc; bkpt;; # ipu: ignore[W203]", Applicability.SAFE),
        ("acc; bkpt;; # ipu: ignore", Applicability.UNSAFE),
        ("acc; bkpt;; # ipu: ignore[W203] ipu: ignore", Applicability.UNSAFE),
        ("acc; bkpt;; # ipu: ignore[W203], ipu: ignore[H104] both", Applicability.UNSAFE),
        # The finding may come back when the error is mended.
        ("acx; bkpt;; # ipu: ignore[E104]", Applicability.UNSAFE),
        ("acx; bkpt;; # ipu: ignore[E104, unknown-mnemonic]", Applicability.UNSAFE),
        # Nobody knows what an unknown name was to silence.
        ("acc;; a: acc;; # ipu: ignore[unused-lable]", Applicability.DISPLAY),
        ("acc; bkpt;; # ipu: ignore[H1O4]", Applicability.DISPLAY),
        ("acc; bkpt;; # ipu: ignore[W999]", None),
        ("acc; bkpt;; # ipu: ignore[everything]", None),
    ],
)
def test_only_names_of_findings_that_are_surely_not_there_are_removed(
    text: str, applicability: Applicability | None
) -> None:
    (fix,) = (f.fix for f in ANALYZER.analyze(text).diagnostics if f.code == "W001")
    assert (fix and fix.applicability) == applicability


def test_an_error_elsewhere_makes_no_suppression_of_a_warning_unused() -> None:
    text = "set lr1 5;; # ipu: ignore[W309]\nset lr1 6;;\nstr_acc_reg lr1 cr0;;\nbkpt;;\n"
    assert analyze(text).diagnostics == ()
    broken = text.replace("bkpt", "bkbt")
    assert [finding.code for finding in analyze(broken).diagnostics] == ["E101"]
    assert "W001" in [f.code for f in analyze(broken.replace("W309", "W999")).diagnostics]


def test_a_comment_with_a_name_that_no_finding_has_stays() -> None:
    text = "acc; bkpt;; # ipu: ignore[W203, W999] why"
    check_mended(text, "acc; bkpt;; # ipu: ignore[W999] why")


def test_the_cost_of_suppressions_grows_with_their_number_only() -> None:
    # Eight times as many; were it their square, it would be 64 times as much work.
    assert calls_for(1_600) < 12 * calls_for(200)


def calls_for(count: int) -> int:
    """How many functions an analysis of that many used and unused suppressions calls."""
    text = "set lr0 40000;; # ipu: ignore[W203, E105] why\n" * count
    calls = 0

    def count_call(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    ANALYZER.analyze(text)
    sys.setprofile(count_call)
    try:
        codes = [finding.code for finding in ANALYZER.analyze(text).diagnostics]
    finally:
        sys.setprofile(None)
    assert codes.count("W001") == count
    return calls


# Templates: comments count where they were written.


@pytest.mark.parametrize(
    "text",
    [
        "{% for n in (1, 40000) %}\nset lr0 {{ n }};; # ipu: ignore[W203]\n{% endfor %}\nbkpt;;",
        "{% for n in (1, 40000) %}\n# ipu: ignore[W203]\nset lr0 {{ n }};;\n{% endfor %}\nbkpt;;",
        "# ipu: ignore[W203]\n{% set n = 40000 %}\n{# the mask #}\nset lr0 {{ n }};;\nbkpt;;",
        "{# ipu: ignore[W203] #}\nset lr0 {{ 40000 }};;\nbkpt;;",
        "set lr0 {{ 40000 }};; {# ipu: ignore[W203] as a mask #}\nbkpt;;",
        "{# ipu: ignore[W203] #} set lr0 {{ 40000 }};;\nbkpt;;",
        "{# ipu: ignore-file[W203] #}\n{% set n = 40000 %}\nset lr0 {{ n }};;\nbkpt;;",
        "{% macro m(n) %}\nset lr0 {{ n }};;\n{% endmacro %}\n"
        "{{ m(1) }}{{ m(40000) }} # ipu: ignore[W203]\nbkpt;;",
    ],
)
def test_a_comment_in_a_template_silences_its_line_in_every_iteration(text: str) -> None:
    check_names(text)


def test_a_name_that_no_context_needs_is_unused() -> None:
    text = "{% for n in (1, 2) %}\nset lr0 {{ n }};; # ipu: ignore[W203]\n{% endfor %}\nbkpt;;"
    (finding,) = check_names(text, "unused-suppression")
    assert text[slice(*finding.span)] == "W203"


def test_a_name_is_used_if_one_of_the_contexts_needs_it() -> None:
    text = "set lr0 {{ n }};; # ipu: ignore[W203]\nbkpt;;"
    for numbers, names in (((1, 40000), []), ((1, 2), ["unused-suppression"])):
        settings = SourceSettings(contexts=tuple({"n": number} for number in numbers))
        found = ANALYZER.analyze(text, settings=settings).diagnostics
        assert [finding.name for finding in found] == names


def test_an_unneeded_comment_of_a_template_is_removed_whole() -> None:
    check_mended("acc;; {# ipu: ignore[W203] no #}\nbkpt;;", "acc;;\nbkpt;;")
    check_mended("{# ipu: ignore[W203] #} acc;;\nbkpt;;", " acc;;\nbkpt;;")


# Headers.


def check_written(main: str, header: str, places: str, expected: str) -> None:
    """Of findings on lines of a file and of its header, those in `expected` remain: `m1 h2`."""
    isa = load_isa("colossus")
    files = {"m": SourceFile(main, "m.S"), "h": SourceFile(header, "h.h")}
    rule = RuleId("W203", "immediate-wraps", Severity.WARNING)
    findings = []
    for place in places.split():
        span = files[place[0]].lines.line_span(int(place[1:]))
        path = None if place[0] == "m" else "h"
        findings.append(Diagnostic(rule, place, span, path=path))

    def program() -> Program:
        return read_program(isa, main)

    found = suppress_written(files["m"], program, isa.surface, {"h": files["h"]}, findings)
    assert [f.message if f.code == "W203" else f.name for f in found] == expected.split()


def test_a_comment_in_a_header_silences_the_line_of_the_header() -> None:
    header = "#define A x // ipu: ignore[W203]\n// ipu: ignore[W203]\n#define B x\n#define C x\n"
    check_written("A\n", header, "h0 h2 h3 m0", "m0 h3")


def test_a_comment_counts_in_its_own_file_alone() -> None:
    check_written("A // ipu: ignore[W203]\n", "#define A x\n", "m0 h0", "h0")
    check_written("// ipu: ignore-file[W203]\nA\n", "#define A x\n", "m1 h0", "h0")
    check_written("A\n", "#define A x\n// ipu: ignore-file[W203]\n", "m0 h0", "m0")


def test_what_a_comment_in_a_header_silences_may_be_in_other_files() -> None:
    check_written("A\n", "#define A x // ipu: ignore[W204]\n", "m0 h0", "m0 h0")
    check_written("A // ipu: ignore[W204]\n", "#define A x\n", "m0", "m0 unused-suppression")
