"""Texts whose instruction set is implied, and that are plainly written for another one."""

from __future__ import annotations

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.config.isa_choice import UNCLAIMED, IsaChoice, foreign_assembly
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.lint.other_instruction_set import (
    OtherSet,
    hint_at_other_set,
    hint_between_sets,
    other_set_of,
)
from ipu_asm.lint.suppressions import suppress
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span


def with_isa_hint(analysis: Analysis, choice: IsaChoice) -> Analysis:
    """Return the analysis with a hint in place of all findings if its set is the wrong one.

    A text between two sets has a hint besides its findings.

    A set that a configuration or an extension gives is doubted for a text that is plainly for
    another set of the language; one that nothing states (`UNCLAIMED`) also for a text that is
    clearly for another assembler. Of a template, the expansion is as clear as the text: its tags
    may hide bundle marks, and the masks of other assemblers (``{%k1}``) look like tags. A text with
    a NUL is none.
    """
    if choice.is_explicit or "\0" in analysis.text:
        return analysis
    hint = foreign_assembly(analysis.text) if choice.name == UNCLAIMED else None
    if hint is not None and not any(_is_ours(expansion) for expansion, _ in analysis.expanded):
        return _with_hint_alone(analysis, hint)
    other = other_set(analysis)
    if other is None:
        between = hint_between_sets(analysis.program, analysis.diagnostics)
        if between is None or analysis.expanded:
            return analysis
        return analysis.with_diagnostics((*analysis.diagnostics, between))
    return _with_hint_alone(analysis, hint_at_other_set(other, analysis.text))


def other_set(analysis: Analysis) -> OtherSet | None:
    """Return the set that a text is plainly written for, placed in it, if that is not its own."""
    for expansion, expanded in analysis.expanded:
        other = other_set_of(expanded.program, expanded.diagnostics)
        if other is not None:
            place = expansion.source_map.written(other.span)
            is_here = place is not None and place.path == MAIN
            return other._replace(span=place.span if place and is_here else Span(0, 0))
    if analysis.expanded:
        return None
    return other_set_of(analysis.program, analysis.program.findings)


def _with_hint_alone(analysis: Analysis, hint: Diagnostic) -> Analysis:
    findings = suppress(analysis.program, analysis.source, [hint])
    return analysis.with_diagnostics(tuple(findings))


def _is_ours(expansion: Expansion) -> bool:
    """Return whether a template has an expansion that is not for another assembler."""
    is_expanded = expansion.text and not expansion.findings
    return bool(is_expanded) and foreign_assembly(expansion.text) is None
