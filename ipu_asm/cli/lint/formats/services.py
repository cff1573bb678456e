"""`github`, annotations for Actions; `gitlab`, a Code Quality report; `junit`; fingerprints."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ipu_asm.cli.lint.formats import FileFindings, LintReport, json_of
from ipu_asm.cli.sources import project_path
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import render, visible
from ipu_asm.text import SourceFile, Span

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}


def write_github(report: LintReport) -> str:
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


_GITLAB_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.HINT: "info"}


def write_gitlab(report: LintReport) -> str:
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
            "severity": _GITLAB_SEVERITIES[diagnostic.severity],
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


_REACH = 200  # code points of the line on each side of the finding that go into its fingerprint


def fingerprints(findings: FileFindings) -> list[str]:
    """Return a fingerprint for each finding, unique in the file and independent of line numbers.

    It is a hash of the path, the code, the text and its line, and the number of earlier findings
    with the same values.
    """
    path = project_path(findings.source.path)
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for diagnostic in findings.diagnostics:
        identity = _identity(diagnostic, findings.source)
        seen[identity] += 1
        result.append(_digest(path, *identity, str(seen[identity])))
    return result


def _identity(diagnostic: Diagnostic, source: SourceFile) -> tuple[str, ...]:
    start, end = diagnostic.span
    line = source.lines.line_span(source.lines.position(start).line)
    around = Span(max(line.start, start - _REACH), min(line.end, start + _REACH))
    culprit = source.text[start : min(end, start + _REACH)]
    return diagnostic.code, _squeezed(culprit), _squeezed(source.text[around.start : around.end])


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _digest(*parts: str) -> str:
    content = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(content).hexdigest()[:32]


_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(report: LintReport) -> str:
    """Return the whole XML document with its declaration."""
    from xml.etree import ElementTree  # 6 ms

    failures = sum(len(findings.diagnostics) for findings in report.files)
    tests = sum(max(1, len(findings.diagnostics)) for findings in report.files)
    root = ElementTree.Element(
        "testsuites", _attributes(name="ipu-lint", **_totals(tests, failures))
    )
    for findings in report.files:
        _add_suite(root, findings)
    ElementTree.indent(root)
    content = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{content}\n'


def _add_suite(root: Element, findings: FileFindings) -> None:
    from xml.etree.ElementTree import SubElement

    diagnostics = findings.diagnostics
    path = project_path(findings.source.path)
    totals = _totals(max(1, len(diagnostics)), len(diagnostics))
    suite = SubElement(root, "testsuite", _attributes(name=path, **totals))
    seen: Counter[str] = Counter()
    for diagnostic in diagnostics:
        name = f"{diagnostic.code} {diagnostic.name}: {diagnostic.message}"
        seen[name] += 1
        number = f" ({seen[name]})" if seen[name] > 1 else ""
        _add_failure(suite, f"{name}{number}", diagnostic, findings)
    if not diagnostics:
        SubElement(suite, "testcase", _attributes(name="ipu-lint", classname=path, time="0"))


def _add_failure(suite: Element, name: str, diagnostic: Diagnostic, findings: FileFindings) -> None:
    from xml.etree.ElementTree import SubElement

    source = findings.source
    path = suite.get("name", "")
    place = {"file": path, "line": str(source.lines.position(diagnostic.span.start).line + 1)}
    case = SubElement(suite, "testcase", _attributes(name=name, classname=path, time="0", **place))
    kind = diagnostic.severity.label
    failure = SubElement(case, "failure", _attributes(message=diagnostic.message, type=kind))
    failure.text = _legal(render(diagnostic, source, headers=findings.others))


def _totals(tests: int, failures: int) -> dict[str, str]:
    return {"tests": str(tests), "failures": str(failures), "errors": "0", "time": "0"}


def _attributes(**values: str) -> dict[str, str]:
    return {key: _legal(value) for key, value in values.items()}


def _legal(text: str) -> str:
    return _NO_XML.sub("\ufffd", visible(text))
