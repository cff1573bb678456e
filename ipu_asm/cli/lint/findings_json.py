"""Findings as JSON values and back, without loss: for results that are kept on the disk."""

from __future__ import annotations

from typing import Any, Iterable

from ipu_asm.diagnostics import (
    Applicability,
    Diagnostic,
    Fix,
    RelatedInformation,
    RuleId,
    Severity,
)
from ipu_asm.text import Span, TextEdit


def json_of_findings(findings: Iterable[Diagnostic]) -> list[Any]:
    """Return findings as nested lists: each is a tuple, and so are most of its parts."""
    return [
        [rule, message, span, related, fix and [fix.title, fix.edits, fix.applicability], *rest]
        for rule, message, span, related, fix, *rest in findings
    ]


def findings_of_json(values: Iterable[Any]) -> tuple[Diagnostic, ...]:
    """Return the findings. Raises `TypeError` or `ValueError` for values of another form."""
    return tuple(map(_finding, values))


def _finding(value: list[Any]) -> Diagnostic:
    (code, name, severity), message, (start, end), related, fix, tags, dropped, path = value
    return Diagnostic(
        RuleId(code, name, Severity(severity)),
        message,
        Span(start, end),
        tuple(RelatedInformation(Span(*span), text, where) for span, text, where in related),
        _fix(*fix) if fix else None,
        tuple(tags),
        tuple(dropped),
        path,
    )


def _fix(title: str, edits: list[Any], applicability: int) -> Fix:
    replaced = tuple(TextEdit(Span(*span), text) for span, text in edits)
    return Fix(title, replaced, Applicability(applicability))
