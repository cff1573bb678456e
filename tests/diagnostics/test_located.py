"""Rows and columns of findings from the public Python API."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from ipu_asm import AssemblyError, analyze, assemble
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.cli.lint.command import main
from ipu_asm.diagnostics import Diagnostic, Location
from ipu_asm.isa import load_isa
from ipu_asm.testbench import Bench

TEXT = "set lr0 1;;\r\n# ü𝄞\n  acc.frist; é;;\nset lr99 1;;\n"


def check_locations(findings: tuple[Diagnostic, ...], *places: tuple[int, int, int, int]) -> None:
    """Findings begin and end at these rows and columns."""
    found = [(*finding.location, *finding.end_location) for finding in findings]
    assert found == list(places)


def test_findings_have_the_rows_and_columns_of_the_linter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.s"
    path.write_bytes(TEXT.encode())
    main([str(path), "--format", "json", "--isolated", "--no-cache"])
    printed = [
        (finding["code"], *finding["location"].values(), *finding["end_location"].values())
        for finding in json.loads(capsys.readouterr().out)
    ]
    findings = analyze(TEXT).diagnostics
    assert printed == [(f.code, *f.location, *f.end_location) for f in findings]
    assert findings[0].location == Location(3, 3)


def test_errors_of_the_assembler_have_them_too() -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble("acc;;\n  nope;;")
    check_locations(caught.value.findings, (2, 3, 2, 7))
    with pytest.raises(AssemblyError) as caught:
        assemble("{% for n in [1] %}\nset lr{{ n }} {{ n }} 1;;\n{% endfor %}", defines={"x": 1})
    assert caught.value.findings[0].location.row == 2
    with pytest.raises(AssemblyError) as caught:
        Bench().load_text("\n nope;;")
    check_locations(caught.value.findings, (2, 2, 2, 6))


def test_findings_in_a_header_are_placed_in_the_header(tmp_path: Path) -> None:
    (tmp_path / "h.inc").write_text("\n\n add $m0, $m1\n")
    text = '#include "h.inc"\n add $m0, $m1, $m2\n'
    findings = [f for f in analyze(text, "colossus", tmp_path / "k.S").diagnostics if f.path]
    assert [(each.code, each.location) for each in findings] == [("E102", Location(3, 2))]


def test_they_equal_findings_without_a_text_which_have_no_location() -> None:
    plain = Analyzer(load_isa("ipu")).analyze("nope;;").diagnostics
    found = analyze("nope;;").diagnostics
    assert plain == found
    assert not hasattr(plain[0], "location")
    (copied,) = pickle.loads(pickle.dumps(found))
    assert copied.location == Location(1, 1)
