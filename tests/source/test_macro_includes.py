"""`.include` reads a header in its place, as far as it may be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import source_settings

ISAS = ("colossus", "xdna1")


def analyzed(folder: Path, text: str, isa: str = "colossus") -> Analysis:
    """The analysis of a text as a file of a folder."""
    path = str(folder / "main.S")
    return Analyzer(load_isa(isa)).analyze(text, path, settings=source_settings(path))


@pytest.mark.parametrize("isa", ISAS)
def test_a_macro_of_a_header_is_expanded(tmp_path: Path, isa: str) -> None:
    (tmp_path / "macros.inc").write_text(".macro idle\n    nop\n.endm\n")
    analysis = analyzed(tmp_path, '.include "macros.inc"\nidle\nidle\n', isa)
    assert analysis.diagnostics == ()
    assert analysis.expanded[0].expansion.text.split() == ["nop", "nop"]


def test_a_mistake_in_a_header_is_found_there(tmp_path: Path) -> None:
    header = tmp_path / "code.inc"
    header.write_text("nop\nadd $m0, $m99, 1\n")
    (finding,) = analyzed(tmp_path, 'nop\n.include "code.inc"\n').diagnostics
    assert (finding.code, finding.path) == ("E104", str(header))
    assert header.read_text()[finding.span.start : finding.span.end] == "$m99"
    assert [each.message for each in finding.related] == ["in include of `code.inc`"]


def test_a_header_that_is_not_found_is_a_hint_and_makes_names_possible(tmp_path: Path) -> None:
    analysis = analyzed(tmp_path, '.include "none.inc"\nSAVE_ALL $m0\n')
    assert [(each.code, each.span.start) for each in analysis.diagnostics] == [("H103", 10)]


def test_a_header_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.inc").write_text("bogus\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    analysis = analyzed(inner, '.include "../secret.inc"\nnop\n')
    assert [each.code for each in analysis.diagnostics] == ["H103"]


def test_a_header_that_includes_itself_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "again.inc").write_text('nop\n.include "again.inc"\n')
    analysis = analyzed(tmp_path, '.include "again.inc"\nnop\n')
    assert [each.code for each in analysis.diagnostics] == ["E403"]
