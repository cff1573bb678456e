"""`concise`: one line per finding in the usual format of compilers, which editors parse."""

from __future__ import annotations

from ipu_asm.cli.lint.formats import LintReport
from ipu_asm.diagnostics.rendering import render_concise


def write(report: LintReport) -> str:
    """Return ``path:row:column: error[E101] message`` for each finding; "" if there are none."""
    return "".join(
        render_concise(diagnostic, source, report.color) + "\n"
        for source, diagnostics, _ in report.files
        for diagnostic in diagnostics
    )
