"""Mending a text: the fixes of its findings, together as far as they leave each other alone."""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import Callable, NamedTuple, Sequence

from ipu_asm.analysis.analyzer import Analysis, Analyzer
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.text import TextEdit, apply_edits

_MOST_ROUNDS = 100


class FixResult(NamedTuple):
    """A text after its fixes: what is found in it now, and how many findings are gone by them."""

    analysis: Analysis
    fixed: int


def apply_fixes(
    analyzer: Analyzer, analysis: Analysis, wanted: Callable[[Diagnostic], bool]
) -> FixResult:
    """Make the fixes of all findings that are `wanted`, again and again until none is left.

    A fix is made with all its edits or not at all, and not at all if it adds errors.
    """
    fixed = 0
    seen = {analysis.text}
    for _ in range(_MOST_ROUNDS):
        findings = [f for f in analysis.diagnostics if f.fix is not None and wanted(f)]
        this_round = _Round(analyzer, analysis)
        this_round.admit(non_overlapping(findings))
        if this_round.reached.text in seen:
            break
        analysis = this_round.reached
        fixed += len(this_round.admitted)
        seen.add(analysis.text)
    return FixResult(analysis, fixed)


def non_overlapping(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Findings with fixes do not even touch each other; of those that do, the first."""
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
    """Fixes that are made together in one text."""

    def __init__(self, analyzer: Analyzer, before: Analysis) -> None:
        self._analyzer = analyzer
        self._before = before
        self.admitted: list[Diagnostic] = []
        self.reached = before

    def admit(self, findings: list[Diagnostic]) -> None:
        """Make the fixes of these findings as well, but for those that add errors.

        All at once where they mend as many errors as they should. Otherwise some fix may hide
        behind others, and they are tried in smaller groups.
        """
        together = [*self.admitted, *findings]
        text = apply_edits(self._before.text, [edit for f in together for edit in _edits(f)])
        after = self._analyzer.analyze(text, self._before.source.path, self.reached)
        mended = sum(finding.severity is Severity.ERROR for finding in findings)
        expected = _errors(self.reached) - (mended if len(findings) > 1 else 0)
        if _errors(after) <= expected:
            self.admitted, self.reached = together, after
        elif len(findings) > 1:
            middle = len(findings) // 2
            self.admit(findings[:middle])
            self.admit(findings[middle:])


def _touches(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a range touches one of these, which are sorted and do not touch each other."""
    last = bisect_right(taken, end, key=lambda span: span[0]) - 1
    return last >= 0 and taken[last][1] >= start


def _edits(finding: Diagnostic) -> tuple[TextEdit, ...]:
    return finding.fix.edits if finding.fix else ()


def _errors(analysis: Analysis) -> int:
    """How many errors keep the program from being assembled: suppressed ones, too."""
    return sum(f.severity is Severity.ERROR for f in analysis.program.findings)
