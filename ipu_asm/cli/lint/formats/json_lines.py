"""`json-lines`: the objects of `json`, one per line."""

from __future__ import annotations

from ipu_asm.cli.lint.formats import LintReport, json_of
from ipu_asm.cli.lint.formats.json_list import finding_object


def write(report: LintReport) -> str:
    """Return one object per line, so that readers can process the output as it arrives."""
    return "".join(
        json_of(finding_object(diagnostic, source))
        for source, diagnostics, _ in report.files
        for diagnostic in diagnostics
    )
