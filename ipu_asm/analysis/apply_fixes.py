"""Application of fixes to a text: as many at once as do not overlap, until none is left."""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import Callable, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import DEFAULT_SETTINGS, Expansion, SourceSettings
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span, TextEdit, apply_edits

_MAX_ROUNDS = 100


class FixResult(NamedTuple):
    """The analysis of the fixed text, and the number of fixes that were applied."""

    analysis: Analysis
    fixed: int


def apply_fixes(
    analyzer: Analyzer,
    analysis: Analysis,
    wanted: Callable[[Diagnostic], bool],
    settings: SourceSettings = DEFAULT_SETTINGS,
) -> FixResult:
    """Apply the fixes of all `wanted` findings, repeatedly, until none is left.

    A fix is applied with all its edits or not at all, and not at all if it adds errors or if the
    expansions of the text, made with `settings`, change in another way than the text does.
    """

    def analyze(text: str, before: Analysis) -> Analysis:
        return analyzer.analyze(text, before.source.path, before, settings=settings)

    fixed = 0
    seen = {analysis.text}
    for _ in range(_MAX_ROUNDS):
        findings = [f for f in analysis.diagnostics if f.fix is not None and wanted(f)]
        this_round = _Round(analyze, analysis)
        this_round.add(non_overlapping(findings))
        if this_round.analysis.text in seen:
            break
        analysis = this_round.analysis
        fixed += len(this_round.applied)
        seen.add(analysis.text)
    return FixResult(analysis, fixed)


def non_overlapping(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the findings whose fixes do not touch each other; of those that do, the first."""
    taken: list[tuple[int, int]] = []
    chosen = []
    for finding in findings:
        spans = [edit.span for edit in _edits(finding)]
        if not any(_touches(taken, *span) for span in spans):
            for span in spans:
                insort(taken, span)
            chosen.append(finding)
    return chosen


class _Round:
    """A set of fixes that are applied together to one text."""

    def __init__(self, analyze: Callable[[str, Analysis], Analysis], before: Analysis) -> None:
        self._analyze = analyze
        self._before = before
        self.applied: list[Diagnostic] = []
        self.analysis = before

    def add(self, findings: list[Diagnostic]) -> None:
        """Apply the fixes of these findings as well, except for those that add errors.

        All are applied at once if that resolves as many errors as there are findings. Otherwise one
        of them may add an error that another resolves, and the two halves are tried separately.
        """
        together = [*self.applied, *findings]
        edits = [edit for finding in together for edit in _edits(finding)]
        after = self._analyze(apply_edits(self._before.text, edits), self.analysis)
        resolved = sum(finding.severity is Severity.ERROR for finding in findings)
        expected = _errors(self.analysis) - (resolved if len(findings) > 1 else 0)
        if _errors(after) <= expected and _expand_alike(self._before, after, edits):
            self.applied, self.analysis = together, after
        elif len(findings) > 1:
            middle = len(findings) // 2
            self.add(findings[:middle])
            self.add(findings[middle:])


def _touches(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Check whether a range touches one of `taken`, which are sorted and apart."""
    last = bisect_right(taken, end, key=lambda span: span[0]) - 1
    return last >= 0 and taken[last][1] >= start


def _edits(finding: Diagnostic) -> tuple[TextEdit, ...]:
    return finding.fix.edits if finding.fix else ()


def _errors(analysis: Analysis) -> int:
    """Return the number of errors that prevent assembly, including suppressed ones."""
    found: list[Sequence[Diagnostic]] = []
    if not analysis.expanded:
        found.append(analysis.program.findings)
    for expansion, expanded in analysis.expanded:
        found += [expansion.findings, expanded.program.findings]
    return sum(f.severity is Severity.ERROR for findings in found for f in findings)


def _expand_alike(before: Analysis, after: Analysis, edits: Sequence[TextEdit]) -> bool:
    """Return whether edits of the written text have become the same edits of its expansions."""
    if len(before.expanded) != len(after.expanded):
        return False
    return all(
        _edited(old.expansion, edits) == new.expansion.text
        for old, new in zip(before.expanded, after.expanded)
    )


def _edited(expansion: Expansion, edits: Sequence[TextEdit]) -> str:
    """Return an expansion with edits of the written text, wherever it is repeated.

    Text that is not in the expansion, such as that of another context, is not edited there.
    """
    expanded: list[TextEdit] = []
    for span, new_text in edits:
        starts = expansion.source_map.expanded(MAIN, span.start)
        length = span.end - span.start
        expanded += [TextEdit(Span(start, start + length), new_text) for start in starts]
    return apply_edits(expansion.text, expanded)
