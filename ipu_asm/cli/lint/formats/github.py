"""`github`: workflow commands that GitHub Actions shows as annotations."""

from __future__ import annotations

from ipu_asm.cli.lint.formats import LintReport
from ipu_asm.cli.paths import project_path
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import visible
from ipu_asm.text import SourceFile

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}


def write(report: LintReport) -> str:
    """Return a command for each finding; "" if there are none."""
    return "".join(
        _command(diagnostic, source, path) + "\n"
        for source, diagnostics, _ in report.files
        for path in [project_path(source.path)]
        for diagnostic in diagnostics
    )


def _command(diagnostic: Diagnostic, source: SourceFile, path: str) -> str:
    properties = {
        "file": path,
        **_place(diagnostic, source),
        "title": f"{diagnostic.code} {diagnostic.name}",
    }
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_data(diagnostic.message)}"


def _place(diagnostic: Diagnostic, source: SourceFile) -> dict[str, str]:
    start = source.lines.position(diagnostic.span.start)
    end = source.lines.position(diagnostic.span.end)
    line, end_line = str(start.line + 1), str(end.line + 1)
    # The runner drops annotations of several lines that have columns.
    if line != end_line:
        return {"line": line, "endLine": end_line}
    columns = {"col": str(start.column + 1), "endColumn": str(end.column + 1)}
    return {"line": line, "col": columns["col"], "endLine": end_line, **columns}


def _data(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
