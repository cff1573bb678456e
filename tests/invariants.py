"""What holds of the analysis of any text, and when two analyses say the same."""

from __future__ import annotations

import gc
from itertools import pairwise
from typing import Any, Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.program.program import Program
from ipu_asm.text import Span


def assert_sound(analysis: Analysis) -> None:
    """The slices are the text, and everything said of it is said of places in it."""
    text, program = analysis.text, analysis.program
    starts = program.starts
    mark = text.startswith("\ufeff")
    assert (starts[0], starts[-1]) == (mark, len(text))
    assert all(first < last for first, last in pairwise(starts[:-1]))
    written = [text[first:last] for first, last in pairwise(starts)]
    slices = [bundle.syntax.text for bundle in program.bundles]
    if analysis.expanded:  # tags of a template are blanks here
        assert [*map(len, slices)] == [*map(len, written)]
        assert all(a in (b, " ") for a, b in zip("".join(slices), "".join(written)))
    else:
        assert slices == written
    for number, bundle in enumerate(program.bundles):
        spans = bundle.syntax.spans
        assert [bundle.syntax.text[a:b] for a, b in spans] == list(bundle.syntax.words)
        assert program.span(number, bundle.first_token).end <= len(text)
    findings = list(analysis.diagnostics)
    assert findings == sorted(findings, key=lambda finding: (finding.span, finding.code))
    for finding in findings:
        assert finding.message
        for start, end in spans_of(finding):
            assert mark <= start <= end <= len(text)
    for label in program.labels:
        start, end = program.label_span(label)
        assert text[start:end] == label
    for reference in program.references:
        start, end = program.reference_span(reference)
        assert text[start:end] == reference.text


def alive(*types: type) -> int:
    """How many objects of these types there are once the garbage is collected."""
    gc.collect()
    return sum(type(thing) in types for thing in gc.get_objects())


def spans_of(finding: Diagnostic) -> Iterator[Span]:
    """Every place that a finding speaks of or would change."""
    yield finding.span
    yield from (related.span for related in finding.related)
    if finding.fix:
        yield from (edit.span for edit in finding.fix.edits)


def facts_of(program: Program) -> dict[str, Any]:
    """All that a program says, in values that can be compared."""
    return {
        "starts": program.starts,
        "texts": [bundle.syntax.text for bundle in program.bundles],
        "words": [bundle.word for bundle in program.bundles],
        "addresses": program.addresses,
        "labels": program.labels,
        "label spans": {label: program.label_span(label) for label in program.labels},
        "references": program.references,
        "reference spans": [program.reference_span(ref) for ref in program.references],
        "findings": program.findings,
    }


def assert_same(one: Analysis, other: Analysis) -> None:
    """Two analyses of one text say the same of it."""
    assert one.text == other.text
    assert one.source.lines.starts == other.source.lines.starts
    assert facts_of(one.program) == facts_of(other.program)
    assert one.diagnostics == other.diagnostics
