"""`text`: every finding with its source lines, and a summary line."""

from __future__ import annotations

from collections import Counter
from typing import Sequence

from ipu_asm.cli.lint.formats import FileFindings, LintReport
from ipu_asm.diagnostics import Applicability
from ipu_asm.text import counted


def write(report: LintReport) -> str:
    """Return the findings as paragraphs, then the summary."""
    return "\n\n".join([*_paragraphs(report), summary(report.files)]) + "\n"


def _paragraphs(report: LintReport) -> list[str]:
    if not any(diagnostics for _, diagnostics, _ in report.files):
        return []
    from ipu_asm.diagnostics.rendering import render  # imported on use: not needed for a clean file

    return [
        render(diagnostic, source, report.color, others, columns=report.columns)
        for source, diagnostics, others in report.files
        for diagnostic in diagnostics
    ]


def summary(files: Sequence[FileFindings]) -> str:
    """Return the number of findings by severity, and of those that can be fixed."""
    findings = [diagnostic for _, diagnostics, _ in files for diagnostic in diagnostics]
    place = f"in {counted(len(files), 'file')}"
    if not findings:
        return f"no findings {place}"
    severities = Counter(diagnostic.severity for diagnostic in findings)
    counts = ", ".join(counted(severities[key], key.label) for key in sorted(severities))
    fixes = Counter(diagnostic.fix.applicability for diagnostic in findings if diagnostic.fix)
    return f"{counts} {place}" + _fixable(fixes[Applicability.SAFE], fixes[Applicability.UNSAFE])


def _fixable(safe: int, unsafe: int) -> str:
    if safe and unsafe:
        return f"; {safe} fixable with `--fix`, {unsafe} more with `--unsafe-fixes`"
    if safe:
        return f"; {safe} fixable with `--fix`"
    return f"; {unsafe} fixable with `--unsafe-fixes`" if unsafe else ""
