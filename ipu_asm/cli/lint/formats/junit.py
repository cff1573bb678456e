"""`junit`: a test suite per file with a failed test per finding, or one passed test.

A test is named by code and message, with a number where several are equal, and not by its line:
readers take tests of one name in two runs for the same, and lines move with each edit above.
"""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ipu_asm.cli.lint.formats import FileFindings, LintReport
from ipu_asm.cli.paths import project_path
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.rendering import render, visible

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(report: LintReport) -> str:
    """Return the whole XML document with its declaration."""
    failures = sum(len(findings.diagnostics) for findings in report.files)
    tests = sum(max(1, len(findings.diagnostics)) for findings in report.files)
    root = Element("testsuites", _attributes(name="ipu-lint", **_totals(tests, failures)))
    for findings in report.files:
        _add_suite(root, findings)
    ElementTree.indent(root)
    content = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{content}\n'


def _add_suite(root: Element, findings: FileFindings) -> None:
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
