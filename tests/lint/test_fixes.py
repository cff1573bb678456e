"""Findings and fixes of any text lie inside it, and making them never fails."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import AssemblyError, assemble
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.lint.rules import all_rules
from ipu_asm.text import apply_edits

ANALYZERS = {name: Analyzer(load_isa(name)) for name in available_isas()}
NUMBERS = st.integers(-40_000, 70_000).flatmap(
    lambda number: st.sampled_from([str(number), hex(number), f"{number:+}", f"{number:_}"])
)
LABELS = st.sampled_from(["a", "bb", "+1", "-1", "+2", "7"])
INSTRUCTIONS = st.one_of(
    st.sampled_from(
        ["acc", "acc.first", "mult.ev r0 lr0 lr1 lr2", "break", "break_nop", "bkpt", "br lr0", "ac"]
    ),
    st.builds("set lr{} {}".format, st.integers(0, 2), NUMBERS),
    st.builds("break.ifeq lr{} {}".format, st.integers(0, 2), NUMBERS),
    st.builds("bne lr0 lr{} {}".format, st.integers(0, 1), LABELS),
    st.builds("b {}".format, LABELS),
)
COMMENTS = st.sampled_from(
    [
        "", "", " ", "\n", "\r\n", " # why\n", "\n// ipu: ignore[H104, W203]\n",
        " # ipu: ignore[H101,explicit-brake ,W001] x\n", "# ipu: ignore\n",
        "#ipu:ignore-file[W1]\n",
    ]
)  # fmt: skip
SEPARATORS = st.builds("{}{}{}".format, COMMENTS, st.sampled_from([";", ";", ";;", ";;"]), COMMENTS)
STARTS = st.builds("{}{}".format, COMMENTS, st.sampled_from(["", "", "", "a: ", "bb :\n", "7:"]))
PROGRAMS = st.lists(st.tuples(STARTS, INSTRUCTIONS, SEPARATORS), max_size=8).map(
    lambda pieces: "".join("".join(piece) for piece in pieces)
)
FRAGMENTS = [
    *(text.replace("⟦", "").replace("⟧", "") for rule in all_rules() for text in rule.invalid),
    "ipu: ignore[", "# ipu:", "]", ";", ";;", ":",
    "\0", "\f", "\r", "\r\n", "\ud800", "\ufeff", "é",
]  # fmt: skip
SHORT = [fragment for fragment in FRAGMENTS if len(fragment) < 200]
RUBBISH = st.lists(st.one_of(st.sampled_from(SHORT), st.text(max_size=5)), max_size=6).map("".join)


def check_fixes(text: str, isa: str = "ipu") -> Analysis:
    """Spans and edits lie inside the text, edits apart from each other, and can be made."""
    analyzer = ANALYZERS[isa]
    analysis = analyzer.analyze(text)
    for finding in analysis.diagnostics:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        if finding.fix is not None:
            spans = sorted(edit.span for edit in finding.fix.edits)
            borders = [offset for span in spans for offset in span]
            assert [0, *borders, len(text)] == sorted([0, *borders, len(text)])
            assert fixed(text, finding) != text
            analyzer.analyze(fixed(text, finding))
    return analysis


def fixed(text: str, finding: Diagnostic) -> str:
    assert finding.fix is not None
    return apply_edits(text, finding.fix.edits)


def errors_in(text: str) -> int:
    found = ANALYZERS["ipu"].analyze(text).diagnostics
    return sum(finding.severity is Severity.ERROR for finding in found)


@given(RUBBISH)
def test_fixes_of_any_text_can_be_made(text: str) -> None:
    check_fixes(text)


@given(RUBBISH, st.sampled_from(sorted(ANALYZERS)))
def test_fixes_can_be_made_in_every_instruction_set(text: str, isa: str) -> None:
    check_fixes(text, isa)


@given(PROGRAMS)
def test_fixes_of_warnings_and_hints_add_no_errors(text: str) -> None:
    before = errors_in(text)
    for finding in check_fixes(text).diagnostics:
        if finding.fix is not None and finding.severity is not Severity.ERROR:
            assert errors_in(fixed(text, finding)) <= before


@given(PROGRAMS)
def test_safe_fixes_of_warnings_leave_the_words_alone(text: str) -> None:
    try:
        words = assemble(text)
    except AssemblyError:
        return
    for finding in check_fixes(text).diagnostics:
        if finding.fix is not None and finding.fix.is_safe:
            assert assemble(fixed(text, finding)) == words


@given(PROGRAMS)
def test_a_fix_of_a_warning_mends_it(text: str) -> None:
    findings = check_fixes(text).diagnostics
    if errors_in(text):
        return
    rules = [finding.rule for finding in findings]
    for finding in findings:
        if finding.fix is not None:
            after = ANALYZERS["ipu"].analyze(fixed(text, finding)).diagnostics
            left = sum(other.rule == finding.rule for other in after)
            assert left < rules.count(finding.rule)


def test_no_rule_fails_where_a_line_of_its_examples_is_broken() -> None:
    for rule in all_rules():
        for example in (*rule.valid, *rule.invalid):
            lines = example.replace("⟦", "").replace("⟧", "").split("\n")[:40]
            for number, line in enumerate(lines):
                is_label = line.rstrip().endswith(":")
                for broken in (f"{line}:", f"{line}\0") if is_label else ("(",):
                    text = "\n".join([*lines[:number], broken, *lines[number + 1 :]])
                    analysis = ANALYZERS[rule.isa].analyze(text)
                    ends = [finding.span.end for finding in analysis.diagnostics]
                    assert max(ends, default=0) <= len(text)
