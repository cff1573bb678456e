"""`gitlab`: a Code Quality report."""

from __future__ import annotations

from typing import Any

from ipu_asm.cli.lint.formats import FileFindings, LintReport, json_of
from ipu_asm.cli.lint.formats.fingerprints import fingerprints
from ipu_asm.cli.paths import project_path
from ipu_asm.diagnostics import Severity

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.HINT: "info"}


def write(report: LintReport) -> str:
    """Return all findings of all files as one list; an empty list means success to GitLab."""
    issues = [issue for findings in report.files for issue in _issues(findings)]
    return json_of(issues, 2)


def _issues(findings: FileFindings) -> list[dict[str, Any]]:
    path, lines = project_path(findings.source.path), findings.source.lines
    return [
        {
            "description": diagnostic.message,
            "check_name": diagnostic.code,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[diagnostic.severity],
            "location": {
                "path": path,
                "lines": {
                    "begin": lines.position(diagnostic.span.start).line + 1,
                    "end": lines.position(diagnostic.span.end).line + 1,
                },
            },
        }
        for diagnostic, fingerprint in zip(
            findings.diagnostics, fingerprints(findings), strict=True
        )
    ]
