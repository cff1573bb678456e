"""Findings in headers are reported in the header, once for all files that include it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ipu_asm.analysis.analysis import Analysis, Expanded
from ipu_asm.cli.lint.by_file import findings_by_file
from ipu_asm.cli.lint.formats import FORMATS, FileFindings, format_findings
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import SourceMap
from ipu_asm.text import SourceFile, Span

ISA = load_isa("colossus")
RULE = RuleId("E101", "unknown-mnemonic", Severity.ERROR)
HEADER = "\n\n#define SAVE ad $m0, $m1\n"
MAIN = '#include "x.h"\nSAVE\n'


def including(name: str, *findings: Diagnostic) -> tuple[Analysis, list[Diagnostic]]:
    """A file that includes x.h of the working directory, and its findings."""
    path = os.path.abspath("x.h")
    expansion = Expansion("ad $m0, $m1\n", SourceMap(()), files={path: SourceFile(HEADER, path)})
    plain = Analysis(SourceFile(expansion.text, name), read_program(ISA, ""), ISA, ())
    expanded = (Expanded(expansion, plain),)
    program = read_program(ISA, MAIN)
    return Analysis(SourceFile(MAIN, name), program, ISA, findings, expanded), list(findings)


def in_header(message: str = "no such thing") -> Diagnostic:
    """A finding about the third line of x.h, used by the including file."""
    used = RelatedInformation(Span(15, 19), "used here")
    path = os.path.abspath("x.h")
    return Diagnostic(RULE, message, Span(15, 17), (used,), path=path)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own."""
    monkeypatch.chdir(tmp_path)


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
    header = Analysis(SourceFile(HEADER, "x.h"), read_program(ISA, ""), ISA, (own,))
    found = findings_by_file([including("y.S", in_header()), (header, [own])])
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
