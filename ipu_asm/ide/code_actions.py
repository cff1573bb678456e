"""What an editor offers to do about findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Sequence

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.mending import apart
from ipu_asm.text import Span, TextEdit

if TYPE_CHECKING:
    from ipu_asm.analysis import Analysis

QUICK_FIX = "quickfix"
FIX_ALL = "source.fixAll"


class CodeAction(NamedTuple):
    """Edits with a title. `is_preferred` marks the one that certainly is meant.

    `diagnostic` is the finding that a quick fix mends, None where it mends several.
    """

    title: str
    kind: str
    edits: tuple[TextEdit, ...]
    diagnostic: Diagnostic | None = None
    is_preferred: bool = False


def code_actions(analysis: Analysis, span: Span, only: Sequence[str] = ("",)) -> list[CodeAction]:
    """The actions for the findings that touch `span`, and one that mends all of the file.

    `only` names the kinds that are asked for; a kind includes those whose names go on from it with
    a dot, the empty one all.
    """
    actions: list[CodeAction] = []
    if _is_wanted(QUICK_FIX, only):
        actions += quick_fixes(analysis, span)
    if _is_wanted(FIX_ALL, only):
        actions += fix_all(analysis)
    return actions


def quick_fixes(analysis: Analysis, span: Span) -> list[CodeAction]:
    """An action for each finding with a fix that `span`, perhaps just a cursor, touches."""
    return [
        CodeAction(finding.fix.title, QUICK_FIX, finding.fix.edits, finding, finding.fix.safe)
        for finding in analysis.diagnostics
        if finding.fix is not None
        and finding.span.start <= span.end
        and span.start <= finding.span.end
    ]


def fix_all(analysis: Analysis) -> list[CodeAction]:
    """The action that makes all safe fixes which leave each other alone; none if there is none."""
    safe = [finding for finding in analysis.diagnostics if finding.fix and finding.fix.safe]
    chosen = apart(safe)
    if not chosen:
        return []
    edits = tuple(sorted(edit for finding in chosen if finding.fix for edit in finding.fix.edits))
    title = "Make the safe fix" if len(chosen) == 1 else f"Make all {len(chosen)} safe fixes"
    return [CodeAction(title, FIX_ALL, edits)]


def _is_wanted(kind: str, only: Sequence[str]) -> bool:
    return any(not wanted or f"{kind}.".startswith(f"{wanted}.") for wanted in only)
