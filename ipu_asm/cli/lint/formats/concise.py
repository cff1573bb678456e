"""`concise`: one line per finding, as compilers write it and editors read it."""

from __future__ import annotations

from ipu_asm.cli.lint.formats import Report
from ipu_asm.diagnostics.rendering import render_concise


def write(report: Report) -> str:
    """``path:row:column: error[E101] message`` for each finding; nothing where all is well."""
    return "".join(
        render_concise(diagnostic, source, report.color) + "\n"
        for source, diagnostics in report.files
        for diagnostic in diagnostics
    )
