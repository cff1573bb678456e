"""Rule descriptors of a SARIF log, which dashboards show beside the findings."""

from __future__ import annotations

from typing import Any

from ipu_asm.cli.lint.formats import LintReport, RuleInfo
from ipu_asm.diagnostics import Severity
from ipu_asm.lint.rule import rule_link

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
"""Maps a severity to SARIF's `level`."""

# GitHub's `problem.severity`, by which its dashboard filters.
_PROBLEM_SEVERITIES = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.HINT: "recommendation",
}
_LONGEST_DESCRIPTION = 1024  # maximum number of characters on GitHub


def descriptors(report: LintReport) -> list[dict[str, Any]]:
    """Return the descriptors of all rules by code.

    A finding whose rule is not in the report gets a minimal descriptor.
    """
    rules = dict(report.rules)
    for _, diagnostics, _ in report.files:
        for item in diagnostics:
            words = item.name.replace("-", " ")
            rules.setdefault(item.code, RuleInfo(item.code, item.name, item.severity, words, ""))
    return [_descriptor(rules[code]) for code in sorted(rules)]


def _descriptor(rule: RuleInfo) -> dict[str, Any]:
    descriptor: dict[str, Any] = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary[:_LONGEST_DESCRIPTION]},
        "fullDescription": {"text": _first_paragraph(rule)[:_LONGEST_DESCRIPTION]},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"problem.severity": _PROBLEM_SEVERITIES[rule.severity]},
    }
    link = rule_link(rule.name)
    if link is not None:
        descriptor["helpUri"] = link
    if rule.documentation:
        descriptor["help"] = {"text": rule.documentation, "markdown": rule.documentation}
    return descriptor


def _first_paragraph(rule: RuleInfo) -> str:
    paragraphs = (paragraph.strip() for paragraph in rule.documentation.split("\n\n"))
    return next((text for text in paragraphs if text and text[0] != "#"), rule.summary)
