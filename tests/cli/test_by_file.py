"""Findings in headers are reported in the header, once for all files that include it."""

from __future__ import annotations

import json
import os

import pytest

from ipu_asm.cli.lint.formats import FORMATS, FileFindings, findings_by_file, format_findings
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.text import SourceFile, Span

RULE = RuleId("E101", "unknown-mnemonic", Severity.ERROR)
HEADER = "\n\n#define SAVE ad $m0, $m1\n"
MAIN = '#include "x.h"\nSAVE\n'


def including(name: str, *findings: Diagnostic) -> FileFindings:
    """A file that includes x.h of the working directory, and its findings."""
    headers = {os.path.abspath("x.h"): SourceFile(HEADER, "x.h")}
    return FileFindings(SourceFile(MAIN, name), findings, headers)


def in_header(message: str = "no such thing") -> Diagnostic:
    """A finding about the third line of x.h, used by the including file."""
    used = RelatedInformation(Span(15, 19), "used here")
    path = os.path.abspath("x.h")
    return Diagnostic(RULE, message, Span(15, 17), (used,), path=path)


def test_a_header_has_its_finding_once_for_all_files_that_include_it() -> None:
    found = findings_by_file([including(name, in_header(name)) for name in ("a.S", "b.S")])
    assert [(each.source.path, len(each.diagnostics)) for each in found] == [
        ("a.S", 0), ("b.S", 0), ("x.h", 1)
    ]  # fmt: skip
    (finding,) = found[2].diagnostics
    assert (finding.message, finding.path) == ("a.S", None)
    assert found[2].others[finding.related[0].path or ""].path == "a.S"


def test_a_header_that_is_analysed_itself_keeps_its_own_finding() -> None:
    own = Diagnostic(RULE, "own", Span(15, 17))
    header = FileFindings(SourceFile(HEADER, "x.h"), [own])
    found = findings_by_file([including("y.S", in_header()), header])
    assert [(each.source.path, len(each.diagnostics)) for each in found] == [("x.h", 1), ("y.S", 0)]
    assert found[0].diagnostics == [own]


def test_a_finding_in_the_file_itself_may_refer_to_a_header() -> None:
    defined = RelatedInformation(Span(3, 10), "defined here", os.path.abspath("x.h"))
    (found,) = findings_by_file(
        [including("a.S", Diagnostic(RULE, "no", Span(15, 19), (defined,)))]
    )
    written = format_findings("text", [found])
    assert " --> a.S:2:1\n" in written
    assert " ::: x.h:3:2\n  |\n3 | #define SAVE ad $m0, $m1\n" in written


def report() -> list[FileFindings]:
    return findings_by_file([including("a.S", in_header())])


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_names_the_header_and_its_line(name: str) -> None:
    assert "x.h" in format_findings(name, report())


def test_the_text_shows_the_line_of_the_header_and_that_of_the_use() -> None:
    assert format_findings("text", report()).split("\n")[:9] == [
        "error[E101]: no such thing",
        " --> x.h:3:14",
        "  |",
        "3 | #define SAVE ad $m0, $m1",
        "  |              ^^",
        "  |",
        " ::: a.S:2:1",
        "  |",
        "2 | SAVE",
    ]


def test_sarif_has_the_files_of_both_places() -> None:
    (result,) = json.loads(format_findings("sarif", report()))["runs"][0]["results"]
    (related,) = result["relatedLocations"]
    uris = [each["physicalLocation"]["artifactLocation"]["uri"] for each in
            (*result["locations"], related)]  # fmt: skip
    assert uris == ["x.h", "a.S"]
    assert related["physicalLocation"]["region"]["startLine"] == 2
