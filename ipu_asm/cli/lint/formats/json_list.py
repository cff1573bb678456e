"""`json`: a list of objects with the field names of ruff."""

from __future__ import annotations

from typing import Any

from ipu_asm.cli.lint.formats import LintReport, json_of
from ipu_asm.diagnostics import Diagnostic, Fix
from ipu_asm.lint.rule import rule_link
from ipu_asm.text import SourceFile, TextEdit


def write(report: LintReport) -> str:
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
