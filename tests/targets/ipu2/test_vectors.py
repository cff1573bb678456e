"""Every recorded program of IPU 2: its words, or the error at its very place."""

from __future__ import annotations

import pytest

from ipu_asm import AssemblyError, assemble, disassemble
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.isa import load_isa
from tests.test_vectors import answers
from tests.vectors import records, words_of

IPU2 = load_isa("ipu2")


def check_errors(text: str, analyzer: Analyzer) -> tuple[Diagnostic, ...]:
    """The errors of a program, on which the analyzer and the assembler must agree."""
    analysis = analyzer.analyze(text)
    errors = tuple(d for d in analysis.diagnostics if d.severity is Severity.ERROR)
    if not errors and analysis.program.size:
        return ()
    with pytest.raises(AssemblyError) as refusal:
        assemble(text, IPU2)
    assert not errors or refusal.value.findings == errors, text
    return refusal.value.findings


def test_every_program_has_its_recorded_words_and_comes_back_from_them() -> None:
    assert len(records("ipu2_encode")) == 1502
    wrong = []
    for record in records("ipu2_encode"):
        words = words_of(record)
        text = disassemble(words, IPU2)
        if assemble(record["asm"], IPU2) != words or assemble(text, IPU2) != words:
            wrong.append(record["id"])
    assert wrong == []


@pytest.mark.usefixtures("short_control_runs")
def test_no_program_that_has_words_has_an_error() -> None:
    analyzer = Analyzer(IPU2)
    wrong = [r["id"] for r in records("ipu2_encode")[::3] if check_errors(r["asm"], analyzer)]
    assert wrong == []


def test_every_refused_program_has_the_recorded_error_at_the_recorded_place() -> None:
    analyzer = Analyzer(IPU2)
    assert len(records("ipu2_reject")) == 199
    wrong = [
        (r["id"], r["class"], [(e.name, e.span) for e in errors])
        for r in records("ipu2_reject")
        if not answers(r, errors := check_errors(r["asm"], analyzer))
    ]
    assert wrong == []


@pytest.mark.parametrize("kind", ["ipu2_exec", "ipu2_break"])
def test_the_sources_of_runs_have_their_recorded_words(kind: str) -> None:
    wrong = [r["id"] for r in records(kind) if assemble(r["asm"], IPU2) != words_of(r)]
    assert wrong == []


def test_damaged_images_are_written_as_text_all_the_same() -> None:
    invalid = 0
    for record in records("ipu2_faults"):
        text = disassemble(words_of(record), IPU2)
        if record["asm"] is None:
            invalid += "<invalid>" in text
        else:
            assert "<invalid>" not in text, record["id"]
    assert invalid > 10
