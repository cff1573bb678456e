"""On recorded programs, whatever a refactoring makes of one runs to the same end."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import encode
from ipu_asm.diagnostics import Severity
from ipu_asm.emulator import IpuState, run_until_complete
from ipu_asm.ide.code_actions import CodeAction, refactorings
from ipu_asm.isa import load_isa
from ipu_asm.text import Span, TextEdit, apply_edits
from tests.emulator.machines import VECTORS, register_bytes, scalars, state_of
from tests.vectors import Record, records

# A program may take longer with more bundles, and some of the recorded ones come near the limit.
_MOST_CYCLES = 200_000
_SAMPLE = 40


class Outcomes:
    """What programs do to the state that one recorded run begins with; each is run once."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._known: dict[tuple[int, ...], dict[str, Any]] = {}

    def of(self, analysis: Analysis) -> dict[str, Any]:
        """All registers, the memory and whether the machine has halted."""
        words = tuple(encode(analysis.program))
        if words not in self._known:
            state = state_of({**self._record, "words": [hex(word) for word in words]})
            run_until_complete(state, _MOST_CYCLES)
            self._known[words] = _final(state)
        return self._known[words]

    def __len__(self) -> int:
        return len(self._known)


def _final(state: IpuState) -> dict[str, Any]:
    final: dict[str, Any] = {name: scalars(state, name) for name in ("lr", "cr")}
    final |= {name: register_bytes(state, name) for name in (*VECTORS, "aaq")}
    return {**final, "xmem": state.xmem.image(), "halted": state.is_halted}


def check_refactorings(record: Record) -> tuple[int, int]:
    """Every refactoring at every token; the answer is how many texts were made and programs run."""
    analyzer = Analyzer(load_isa("ipu"))
    analysis = analyzer.analyze(record["asm"])
    outcomes = Outcomes(record)
    expected = outcomes.of(analysis)
    made: set[str] = set()
    for action in everywhere(analysis):
        text = apply_edits(analysis.text, action.edits)
        check_edits(action)
        if text not in made:
            made.add(text)
            changed = analyzer.analyze(text, before=analysis)
            assert _errors(changed) == 0, (record["id"], action)
            assert outcomes.of(changed) == expected, (record["id"], action.title, text)
    return len(made), len(outcomes)


def with_distances(record: Record) -> Record:
    """The record with a program that has no labels: all its branches are written as distances."""
    program = Analyzer(load_isa("ipu")).analyze(record["asm"]).program
    edits = [
        TextEdit(
            program.reference_span(reference),
            f"{(reference.target or 0) - program.addresses[reference.bundle]:+d}",
        )
        for reference in program.references
    ]
    for number, bundle in program.notable:
        if bundle.label is not None:
            edits.append(TextEdit(program.span(number, bundle.syntax.span_of(0, 2)), ""))
    return {**record, "asm": apply_edits(program.text, edits)}


def check_edits(action: CodeAction) -> None:
    """Edits come in their order and do not overlap."""
    spans = [edit.span for edit in action.edits]
    assert all(before.end <= after.start for before, after in pairwise(spans)), action
    assert len(set(spans)) == len(spans), action


def everywhere(analysis: Analysis) -> Iterator[CodeAction]:
    """The refactorings that are not refused, at each token."""
    program = analysis.program
    for number, bundle in enumerate(program.bundles):
        for span in bundle.syntax.spans:
            start = program.span(number, span).start
            for action in refactorings(analysis, Span(start, start)):
                if not action.refusal_reason:
                    yield action


def _errors(analysis: Analysis) -> int:
    return sum(finding.severity is Severity.ERROR for finding in analysis.diagnostics)


def test_recorded_programs_end_the_same_after_each_refactoring() -> None:
    shortest_first = sorted(records("exec"), key=lambda record: len(record["words"]))
    made, run = 0, 0
    for record in shortest_first[: 4 * _SAMPLE : 4]:
        texts, programs = check_refactorings(record)
        made, run = made + texts, run + programs
    assert made > run > _SAMPLE


def test_so_do_programs_whose_branches_are_written_as_distances() -> None:
    branching = [with_distances(record) for record in records("exec") if ":" in record["asm"]]
    shortest_first = sorted(branching, key=lambda record: len(record["words"]))
    assert all(check_refactorings(record) > (1, 1) for record in shortest_first[:60:6])
