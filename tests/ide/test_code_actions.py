"""What an editor offers to do: fixes and suppressions. Refactorings have tests of their own."""

from __future__ import annotations

from typing import Iterator

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.ide.code_actions import CodeAction, code_actions
from ipu_asm.lint import Rule
from ipu_asm.lint.rules import all_rules
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit, apply_edits
from tests.ide.cursor import fixture


def check_actions(text: str, span: Span, only: str, *expected: tuple[str, str]) -> list[CodeAction]:
    """The actions for a span: for each its title and what it makes of the text."""
    actions = [action for action in code_actions(analyze(text), span, (only,)) if action.edits]
    assert [(a.title, apply_edits(text, a.edits)) for a in actions] == list(expected)
    return actions


def check_at_cursor(text_with_cursor: str, *expected: tuple[str, str]) -> list[CodeAction]:
    """The quick fixes at the cursor."""
    analysis, offset = fixture(text_with_cursor)
    return check_actions(analysis.text, Span(offset, offset), "quickfix", *expected)


@pytest.mark.parametrize("text", ["$0ACC; bkpt;;", "AC$0C; bkpt;;", "ACC$0; bkpt;;"])
def test_a_finding_with_a_fix_is_offered_where_the_cursor_touches_it(text: str) -> None:
    check_at_cursor(text, ("Replace by `acc`", "acc; bkpt;;"))


def test_a_finding_elsewhere_is_not_offered() -> None:
    check_at_cursor("ACC; $0bkpt;;")


def test_a_finding_without_a_fix_offers_nothing() -> None:
    check_at_cursor("set lr0 7000$00; bkpt;;")


def test_a_quick_fix_names_its_finding_and_is_preferred_if_it_is_safe() -> None:
    safe = check_at_cursor("AC$0C; bkpt;;", ("Replace by `acc`", "acc; bkpt;;"))[0]
    assert safe.kind == "quickfix"
    assert safe.diagnostic is not None
    assert safe.diagnostic.name == "unknown-mnemonic"
    assert safe.is_preferred


def test_a_fix_that_may_change_the_meaning_is_not_preferred() -> None:
    begins_bundle = ("Begin a new bundle at `x`", "acc;; x: bkpt;;\nb x;;")
    action = check_at_cursor("acc; $0x: bkpt;;\nb x;;", begins_bundle)[0]
    assert not action.is_preferred


def with_findings(monkeypatch: pytest.MonkeyPatch, *fixes: Fix) -> None:
    """Let a text have one finding for each of these fixes, and no others."""
    kind = RuleId("W999", "for-tests", Severity.WARNING)

    def check(program: Program) -> Iterator[Diagnostic]:
        for fix in fixes:
            yield Diagnostic(kind, "say no more", Span(0, 3), fix=fix)

    rule = Rule(kind, "", (), (), check_program=check)
    monkeypatch.setattr("ipu_asm.analysis.analyzer.rules_for", lambda isa: (rule,))


def test_a_suggestion_is_offered_but_neither_preferred_nor_made_with_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edits = (TextEdit(Span(0, 3), "aaq"),)
    with_findings(monkeypatch, Fix("write `aaq`", edits, Applicability.DISPLAY))
    ignore = ("Ignore `for-tests` here", "acc; bkpt;;  # ipu: ignore[for-tests]")
    action, _ = check_at_cursor("ac$0c; bkpt;;", ("Write `aaq`", "aaq; bkpt;;"), ignore)
    assert not action.is_preferred
    check_actions("acc; bkpt;;", Span(0, 3), "source")


def test_a_fix_in_a_template_edits_literal_text_only() -> None:
    check_actions(
        "{# ACC #}ACC; bkpt;;",
        Span(9, 12),
        "quickfix",
        ("Replace by `acc`", "{# ACC #}acc; bkpt;;"),
    )
    in_value = analyze('{% set m = "ACC" %}{{ m }}; bkpt;;')
    actions = code_actions(in_value, Span(19, 26), ("quickfix",))
    assert [action.title for action in actions if "Replace" in action.title] == []


def test_a_selection_offers_the_fixes_of_all_findings_in_it() -> None:
    check_actions(
        "ACC; BKPT;;",
        Span(0, 8),
        "quickfix",
        ("Replace by `acc`", "acc; BKPT;;"),
        ("Replace by `bkpt`", "ACC; bkpt;;"),
    )


def test_the_safe_fixes_of_a_file_are_made_at_once() -> None:
    expected = ("Apply all 2 safe fixes", "acc; bkpt;;")
    for only in ("source", "source.fixAll"):
        action = check_actions("ACC; BKPT;;", Span(0, 0), only, expected)[0]
        assert action.kind == "source.fixAll"
        assert action.diagnostic is None


def test_a_file_with_one_safe_fix_says_so() -> None:
    check_actions("ACC; bkpt;;", Span(9, 9), "source", ("Apply the safe fix", "acc; bkpt;;"))


def test_a_file_without_safe_fixes_has_none_to_make() -> None:
    check_actions("acc; bkpt;;", Span(0, 0), "source")
    check_actions("acc; x: bkpt;;\nb x;;", Span(0, 0), "source")


def test_of_fixes_that_touch_each_other_the_first_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Fix("say more", (TextEdit(Span(3, 3), ".first"),), Applicability.SAFE)
    second = Fix("say less", (TextEdit(Span(0, 3), "aaq"),), Applicability.SAFE)
    with_findings(monkeypatch, first, second)
    made = ("Apply the safe fix", "acc.first; bkpt;;")
    check_actions("acc; bkpt;;", Span(0, 0), "source", made)


def test_only_the_kinds_that_are_asked_for_are_offered() -> None:
    check_actions("ACC; bkpt;;", Span(0, 0), "refactor")
    check_actions("acc; break_nop;;", Span(0, 0), "refactor.move")
    check_actions("ACC; bkpt;;", Span(0, 0), "source.fixAll.other")
    check_actions(
        "ACC; bkpt;;",
        Span(0, 0),
        "",
        ("Replace by `acc`", "acc; bkpt;;"),
        ("Apply the safe fix", "acc; bkpt;;"),
    )


def check_silenced(text_with_cursor: str, name: str, expected: str) -> None:
    """The finding of that name at the cursor is silenced so, and then it is gone."""
    analysis, offset = fixture(text_with_cursor)
    (action,) = (
        action
        for action in code_actions(analysis, Span(offset, offset), ("quickfix",))
        if action.title == f"Ignore `{name}` here"
    )
    after = apply_edits(analysis.text, action.edits)
    assert after == expected
    assert action.diagnostic is not None
    assert action.diagnostic.name == name
    assert not action.is_preferred
    assert [f.name for f in analyze(after, analysis.isa).diagnostics] == [
        f.name for f in analysis.diagnostics if f is not action.diagnostic
    ]


def test_a_warning_is_silenced_on_its_line() -> None:
    check_silenced("a$0cc;;\n", "runs-off-end", "acc;;  # ipu: ignore[runs-off-end]\n")
    check_silenced("a$0cc;; \t", "runs-off-end", "acc;;  # ipu: ignore[runs-off-end]")


def test_it_is_silenced_behind_a_comment_that_is_there() -> None:
    expected = "acc;; # last  # ipu: ignore[runs-off-end]\r\n"
    check_silenced("$0acc;; # last\r\n", "runs-off-end", expected)


def test_it_is_silenced_above_a_long_line() -> None:
    comment = "# " + "so " * 30
    expected = f"  # ipu: ignore[runs-off-end]\n  acc;; {comment}\n"
    check_silenced(f"  $0acc;; {comment}\n", "runs-off-end", expected)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$0acc;; # ipu: ignore[E101] why", "acc;; # ipu: ignore[E101, runs-off-end] why"),
        ("// ipu: ignore[ E101 ]\n$0acc;;", "// ipu: ignore[ E101, runs-off-end ]\nacc;;"),
    ],
)
def test_a_list_that_is_there_grows(before: str, after: str) -> None:
    check_silenced(before, "runs-off-end", after)


def test_errors_and_names_in_vain_are_not_silenced() -> None:
    titles = [
        action.title
        for text in ("foo;;", "acc; bkpt;; # ipu: ignore[E101]")
        for action in code_actions(analyze(text), Span(0, len(text)), ("quickfix",))
    ]
    assert [title for title in titles if "Ignore" in title] == []


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id.name)
def test_titles_begin_with_a_capital_letter_and_help_lines_do_not(rule: Rule) -> None:
    for text in rule.invalid:
        analysis = analyze(text.replace("⟦", "").replace("⟧", ""), rule.isa)
        fixes = [finding.fix for finding in analysis.diagnostics if finding.fix]
        actions = code_actions(analysis, Span(0, len(analysis.text)))
        assert all(fix.title[0].islower() for fix in fixes)
        assert all(action.title[0].isupper() for action in actions)
        assert len(actions) >= len(fixes)
