"""The examples of the sets besides the IPU: known by their extensions, and without findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble
from ipu_asm.config.isa_choice import choose_isa
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.text import apply_edits

FOLDER = Path(__file__).resolve().parents[1] / "examples"
SETS = [name for name in available_isas() if name != "ipu"]
EXAMPLES = [
    (name, path)
    for name in SETS
    for path in sorted((FOLDER / name).iterdir())
    if path.suffix != ".h"
]
EVERY_EXAMPLE = pytest.mark.parametrize(("name", "path"), EXAMPLES, ids=lambda it: Path(it).name)


def check_example(name: str, text: str, findings: int = 0, path: Path | None = None) -> Analysis:
    """The analysis of a program with so many findings; headers are beside `path`."""
    analysis = analyze(text, name, path)
    assert len(analysis.diagnostics) == findings, analysis.diagnostics
    return analysis


@EVERY_EXAMPLE
def test_an_example_has_no_findings_and_is_formatted(name: str, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert choose_isa(text, str(path), None, None).name == name
    analysis = check_example(name, text, path=path)
    assert analysis.program.size >= 5
    assert apply_edits(text, formatting(analysis)) == text


@EVERY_EXAMPLE
def test_an_example_says_what_it_does_and_what_is_where(name: str, path: Path) -> None:
    first, *others = path.read_text(encoding="utf-8").splitlines()
    mark = load_isa(name).surface.comments[0]
    assert first.startswith(f"{mark} {path.name}: ")
    assert any(f"{mark}   " in line and " = " in line for line in others)
    assert all(len(line) <= 100 for line in (first, *others))


def test_every_set_has_an_example() -> None:
    assert {name for name, _ in EXAMPLES} == set(SETS)


def test_the_examples_with_words_can_be_assembled() -> None:
    paths = [(name, path) for name, path in EXAMPLES if load_isa(name).has_words]
    for name, path in paths:
        assert len(assemble(path.read_text(encoding="utf-8"), name)) >= 5
    assert paths


def test_without_a_bundle_that_waits_for_the_loads_their_results_are_lost() -> None:
    text = (FOLDER / "xdna1" / "matmul_4x8x4.aie2").read_text(encoding="utf-8")
    analysis = check_example("xdna1", text.replace("    nop\n", "", 1), 3)
    assert {finding.name for finding in analysis.diagnostics} == {"lost-result"}
