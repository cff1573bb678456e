"""`json-lines`: the objects of `json`, each on a line of its own."""

from __future__ import annotations

from ipu_asm.cli.lint.formats import Report, json_of
from ipu_asm.cli.lint.formats.json_list import finding_object


def write(report: Report) -> str:
    """One object per line, for readers that do not wait for the end."""
    return "".join(
        json_of(finding_object(diagnostic, source))
        for source, diagnostics in report.files
        for diagnostic in diagnostics
    )
