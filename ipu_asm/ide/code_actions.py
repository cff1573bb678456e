"""What an editor offers to do at a place: fixes, suppressions and refactorings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Sequence

from ipu_asm.analysis.apply_fixes import apart
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.ide.refactorings import REFACTORINGS
from ipu_asm.ide.refactorings.offer import MOVE, REWRITE
from ipu_asm.ide.refactorings.suppression import suppression
from ipu_asm.lint.directives import directives_of
from ipu_asm.lint.suppressions import UNUSED_SUPPRESSION
from ipu_asm.text import Span, TextEdit

if TYPE_CHECKING:
    from ipu_asm.analysis.analyzer import Analysis

QUICK_FIX: Final = "quickfix"
FIX_ALL: Final = "source.fixAll"
KINDS: Final = (QUICK_FIX, MOVE, REWRITE, FIX_ALL)


class CodeAction(NamedTuple):
    """Edits with a title. `is_preferred` marks a safe fix.

    `diagnostic` is the finding that a quick fix mends, None where it mends several. `refused` is
    the reason why a refactoring cannot be made here; then it has no edits.
    """

    title: str
    kind: str
    edits: tuple[TextEdit, ...]
    diagnostic: Diagnostic | None = None
    is_preferred: bool = False
    refused: str = ""


def code_actions(analysis: Analysis, span: Span, only: Sequence[str] = ("",)) -> list[CodeAction]:
    """The actions for what `span`, perhaps just a cursor, touches, and one that mends all the file.

    `only` names the kinds that are asked for; a kind includes those whose names go on from it with
    a dot, the empty one all.
    """
    actions: list[CodeAction] = []
    if _is_wanted(QUICK_FIX, only):
        actions += quick_fixes(analysis, span)
        actions += suppressions(analysis, span)
    actions += refactorings(analysis, span, only)
    if _is_wanted(FIX_ALL, only):
        actions += fix_all(analysis)
    return actions


def quick_fixes(analysis: Analysis, span: Span) -> list[CodeAction]:
    """An action for each finding with a fix that `span` touches."""
    return [
        CodeAction(finding.fix.entry, QUICK_FIX, finding.fix.edits, finding, finding.fix.is_safe)
        for finding in _touched(analysis, span)
        if finding.fix is not None
    ]


def suppressions(analysis: Analysis, span: Span) -> list[CodeAction]:
    """An action that silences each warning or hint that `span` touches, where it stands."""
    findings = [
        finding
        for finding in _touched(analysis, span)
        if finding.severity is not Severity.ERROR and finding.rule != UNUSED_SUPPRESSION
    ]
    if not findings:
        return []
    program, source = analysis.program, analysis.source
    directives = directives_of(program, source)
    return [
        CodeAction(
            f"Ignore `{finding.name}` here",
            QUICK_FIX,
            (suppression(program, source, directives, finding),),
            finding,
        )
        for finding in findings
    ]


def refactorings(analysis: Analysis, span: Span, only: Sequence[str] = ("",)) -> list[CodeAction]:
    """The refactorings of the wanted kinds at `span`, with those that are refused.

    There are none where nobody can tell by the words that a program means the same with them.
    """
    if not analysis.isa.has_words:
        return []
    return [
        CodeAction(offer.title, offer.kind, offer.edits, refused=offer.refused)
        for kind, refactoring in REFACTORINGS
        if _is_wanted(kind, only)
        for offer in refactoring(analysis.program, span)
    ]


def fix_all(analysis: Analysis) -> list[CodeAction]:
    """The action that makes all safe fixes which leave each other alone; none if there is none."""
    safe = [finding for finding in analysis.diagnostics if finding.fix and finding.fix.is_safe]
    chosen = apart(safe)
    if not chosen:
        return []
    edits = tuple(sorted(edit for finding in chosen if finding.fix for edit in finding.fix.edits))
    title = "Make the safe fix" if len(chosen) == 1 else f"Make all {len(chosen)} safe fixes"
    return [CodeAction(title, FIX_ALL, edits)]


def _touched(analysis: Analysis, span: Span) -> list[Diagnostic]:
    return [
        finding
        for finding in analysis.diagnostics
        if finding.span.start <= span.end and span.start <= finding.span.end
    ]


def _is_wanted(kind: str, only: Sequence[str]) -> bool:
    return any(not wanted or f"{kind}.".startswith(f"{wanted}.") for wanted in only)
