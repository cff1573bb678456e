"""`rdjson`: the diagnostic format of reviewdog, in which columns count UTF-8 bytes."""

from __future__ import annotations

from typing import Any

from ipu_asm.cli.lint.formats import LintReport, json_of
from ipu_asm.cli.paths import project_path
from ipu_asm.diagnostics import Diagnostic, Fix, Severity
from ipu_asm.lint.rule import rule_link
from ipu_asm.text import SourceFile, Span, apply_edits

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.HINT: "INFO"}
_LONGEST_SUGGESTION = 2_000  # code points; longer suggestions are hard to review


def write(report: LintReport) -> str:
    """Return one result with all findings; its severity is the highest one."""
    severities = {item.severity for findings in report.files for item in findings.diagnostics}
    result = {
        "source": {"name": "ipu-lint"},
        "severity": _SEVERITIES[min(severities, default=Severity.HINT)],
        "diagnostics": [
            _diagnostic(diagnostic, source, path)
            for source, diagnostics, _ in report.files
            for path in [project_path(source.path)]
            for diagnostic in diagnostics
        ],
    }
    return json_of(result, 2)


def _diagnostic(diagnostic: Diagnostic, source: SourceFile, path: str) -> dict[str, Any]:
    suggestions = _suggestions(diagnostic.fix, source)
    message = diagnostic.message
    if diagnostic.fix and suggestions:
        # The format has no field for the applicability of a suggestion.
        message += f"\n{diagnostic.fix.applicability.label} fix: {diagnostic.fix.title}"
    link = rule_link(diagnostic.name)
    return {
        "message": message,
        "location": {"path": path, "range": _range(source, diagnostic.span)},
        "severity": _SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.code, **({"url": link} if link else {})},
        "suggestions": suggestions,
    }


def _suggestions(fix: Fix | None, source: SourceFile) -> list[dict[str, Any]]:
    """Return the fix as one replacement: reviewdog treats several as alternatives."""
    if fix is None or not fix.edits:
        return []
    start = min(edit.span.start for edit in fix.edits)
    end = max(edit.span.end for edit in fix.edits)
    if end - start > _LONGEST_SUGGESTION:
        return []
    text = apply_edits(source.text[start:end], [edit.shifted(-start) for edit in fix.edits])
    return [{"range": _range(source, Span(start, end)), "text": text}]


def _range(source: SourceFile, span: Span) -> dict[str, Any]:
    return {"start": _position(source, span.start), "end": _position(source, span.end)}


def _position(source: SourceFile, offset: int) -> dict[str, int]:
    line, column = source.lines.position(offset)
    if not source.text.isascii():
        first = source.lines.starts[line]
        # "replace" writes one byte for a surrogate, which represents one undecodable byte.
        column = len(source.text[first : first + column].encode("utf-8", "replace"))
    return {"line": line + 1, "column": column + 1}
