"""`json` and `json-lines`, with the field names of ruff, and `rdjson`, the format of reviewdog."""

from __future__ import annotations

from typing import Any

from ipu_asm.cli.lint.formats import LintReport, json_of
from ipu_asm.cli.paths import project_path
from ipu_asm.diagnostics import Diagnostic, Fix, Severity
from ipu_asm.lint.rule import rule_link
from ipu_asm.text import SourceFile, Span, TextEdit, apply_edits


def write_json(report: LintReport) -> str:
    """Return all findings of all files as one list."""
    findings = [
        finding_object(diagnostic, source)
        for source, diagnostics, _ in report.files
        for diagnostic in diagnostics
    ]
    return json_of(findings, 2)


def finding_object(diagnostic: Diagnostic, source: SourceFile) -> dict[str, Any]:
    """Return one finding; rows and columns count from 1 in code points, ends are exclusive."""
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity.label,
        "message": diagnostic.message,
        "filename": source.path,
        "location": _location(source, diagnostic.span.start),
        "end_location": _location(source, diagnostic.span.end),
        "fix": diagnostic.fix and _fix(diagnostic.fix, source),
        "url": rule_link(diagnostic.name),
    }


def _fix(fix: Fix, source: SourceFile) -> dict[str, Any]:
    return {
        "applicability": fix.applicability.label,
        "message": fix.title,
        "edits": [_edit(edit, source) for edit in fix.edits],
    }


def _edit(edit: TextEdit, source: SourceFile) -> dict[str, Any]:
    return {
        "content": edit.new_text,
        "location": _location(source, edit.span.start),
        "end_location": _location(source, edit.span.end),
    }


def _location(source: SourceFile, offset: int) -> dict[str, int]:
    line, column = source.lines.position(offset)
    return {"row": line + 1, "column": column + 1}


def write_json_lines(report: LintReport) -> str:
    """Return one object per line, so that readers can process the output as it arrives."""
    return "".join(
        json_of(finding_object(diagnostic, source))
        for source, diagnostics, _ in report.files
        for diagnostic in diagnostics
    )


_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.HINT: "INFO"}
_MAX_SUGGESTION = 2_000  # code points; longer suggestions are hard to review


def write_rdjson(report: LintReport) -> str:
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
        "location": {"path": path, "range": _utf8_range(source, diagnostic.span)},
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
    if end - start > _MAX_SUGGESTION:
        return []
    text = apply_edits(source.text[start:end], [edit.shifted(-start) for edit in fix.edits])
    return [{"range": _utf8_range(source, Span(start, end)), "text": text}]


def _utf8_range(source: SourceFile, span: Span) -> dict[str, Any]:
    return {"start": _utf8_position(source, span.start), "end": _utf8_position(source, span.end)}


def _utf8_position(source: SourceFile, offset: int) -> dict[str, int]:
    line, column = source.lines.position(offset)
    if not source.text.isascii():
        first = source.lines.starts[line]
        # "replace" writes one byte for a surrogate, which represents one undecodable byte.
        column = len(source.text[first : first + column].encode("utf-8", "replace"))
    return {"line": line + 1, "column": column + 1}
