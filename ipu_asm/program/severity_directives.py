"""Directives in a source that drop findings of some codes or lower their severity."""

from __future__ import annotations

from typing import Iterable, Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa.model import Isa
from ipu_asm.isa.surface import SeverityDirective
from ipu_asm.program.program import Program


def apply_severity_directives(
    program: Program, findings: Iterable[Diagnostic]
) -> Iterator[Diagnostic]:
    """Yield the findings that the directives keep, with their effective severity."""
    changes = _changes_of(program)
    for finding in findings:
        directive = _directive_for(program, finding, changes)
        if directive is None:
            yield finding
        elif directive.severity is not None:
            yield finding._replace(rule=finding.rule._replace(severity=directive.severity))


def _changes_of(program: Program) -> dict[SeverityDirective, list[tuple[int, bool]]]:
    """Return for each directive in use the bundles where it begins (True) or ends (False)."""
    known = program.isa.surface.severity_directives
    numbers = program.where(_is_severity_directive) if known else []
    written = [(number, program.bundles[number].directive) for number in numbers]
    return {
        directive: [
            (number, word == directive.directive)
            for number, word in written
            if word in (directive.directive, directive.ended_by)
        ]
        for directive in known
        if any(word == directive.directive for _, word in written)
    }


def _is_severity_directive(isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive is not None and any(
        bundle.directive in (each.directive, each.ended_by)
        for each in isa.surface.severity_directives
    )


def _directive_for(
    program: Program, finding: Diagnostic, changes: dict[SeverityDirective, list[tuple[int, bool]]]
) -> SeverityDirective | None:
    """Return the directive that applies to a finding; one that drops it takes precedence."""
    found = None
    for directive, changed_at in changes.items():
        if finding.code not in directive.codes:
            continue
        bundle = program.bundle_at(finding.span.start)
        before = [is_in_force for number, is_in_force in changed_at if number <= bundle]
        if before and before[-1] and (found is None or directive.severity is None):
            found = directive
    return found
