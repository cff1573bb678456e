"""Every recorded program: its words, or the error at its very place."""

from __future__ import annotations

import pytest

from ipu_asm import AssemblyError, assemble
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.isa import load_isa
from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.text import LineIndex
from tests.programs import documented_bundles, example_kernels, instruction_examples
from tests.vectors import Record, records, words_of


def check_errors(text: str, analyzer: Analyzer | None = None) -> tuple[Diagnostic, ...]:
    """The errors of a program, on which the analyzer and the assembler must agree."""
    analysis = (analyzer or Analyzer(load_isa("ipu"))).analyze(text)
    errors = tuple(d for d in analysis.diagnostics if d.severity is Severity.ERROR)
    if not errors and analysis.program.size:
        assert len(assemble(text)) == analysis.program.size
        return ()
    with pytest.raises(AssemblyError) as refusal:
        assemble(text)
    assert not errors or refusal.value.findings == errors, text
    return refusal.value.findings


def answers(record: Record, errors: tuple[Diagnostic, ...]) -> bool:
    """Whether one of the errors has an acceptable name and the recorded place."""
    lines = LineIndex.of(record["asm"])
    for error in errors:
        line, column = lines.position(error.span.start)
        column -= line == 0 and record["asm"].startswith("\ufeff")
        if record["names"] is not None and error.name not in record["names"]:
            continue
        if record["row"] not in (None, line + 1) or record["column"] not in (None, column + 1):
            continue
        return True
    return False


def test_every_program_has_its_recorded_words() -> None:
    assert len(records("encode")) == 1725
    wrong = [r["id"] for r in records("encode") if assemble(r["asm"]) != words_of(r)]
    assert wrong == []


@pytest.mark.usefixtures("short_control_runs")
def test_no_program_that_has_words_has_an_error() -> None:
    analyzer = Analyzer(load_isa("ipu"))
    wrong = [r["id"] for r in records("encode") if check_errors(r["asm"], analyzer)]
    assert wrong == []


def test_every_refused_program_has_the_recorded_error_at_the_recorded_place() -> None:
    analyzer = Analyzer(load_isa("ipu"))
    assert len(records("reject")) == 181
    wrong = [
        (r["id"], r["class"], [(e.name, e.span) for e in errors])
        for r in records("reject")
        if not answers(r, errors := check_errors(r["asm"], analyzer))
    ]
    assert wrong == []


@pytest.mark.parametrize("kind", ["exec", "break"])
def test_the_sources_of_runs_have_their_recorded_words(kind: str) -> None:
    wrong = [r["id"] for r in records(kind) if assemble(r["asm"]) != words_of(r)]
    assert wrong == []


def test_the_sources_of_faults_have_their_words_but_for_those_that_write_a_register_twice() -> None:
    analyzer = Analyzer(load_isa("ipu"))
    refused = 0
    for record in records("faults"):
        errors = check_errors(record["asm"], analyzer)
        refused += bool(errors)
        assert {error.name for error in errors} <= {"lr-write-conflict"}, record["id"]
        assert errors or assemble(record["asm"]) == words_of(record), record["id"]
    assert refused == 5


def test_every_instruction_has_an_example_that_assembles() -> None:
    examples = instruction_examples()
    assert set(examples) == {m for entries in INSTRUCTION_SPEC.values() for m in entries}
    wrong = {mnemonic: check_errors(text) for mnemonic, text in examples.items()}
    assert {mnemonic: errors for mnemonic, errors in wrong.items() if errors} == {}


def test_an_instructions_example_shows_the_instruction() -> None:
    analyzer = Analyzer(load_isa("ipu"))
    for mnemonic, text in instruction_examples().items():
        bundles = analyzer.analyze(text).program.bundles
        assert mnemonic in [i.mnemonic for b in bundles for i in b.instructions]


@pytest.mark.parametrize(("bundle", "program"), documented_bundles().items())
def test_the_valid_bundles_of_the_documents_assemble(bundle: str, program: str) -> None:
    assert not check_errors(program)


@pytest.mark.parametrize("name", example_kernels())
def test_the_examples_assemble(name: str) -> None:
    assert not check_errors(example_kernels()[name])


def test_there_are_at_least_five_examples() -> None:
    assert len(example_kernels()) >= 5
