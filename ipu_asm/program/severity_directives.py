"""Directives by which a file says that what is else an error is meant so."""

from __future__ import annotations

from typing import Iterable, Iterator

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa.model import Pardon
from ipu_asm.program.program import Program


def without_pardoned(program: Program, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings that the directives of the text leave, each as grave as they leave it."""
    asked = _asked_for(program)
    for finding in findings:
        pardon = _pardon_of(program, finding, asked)
        if pardon is None:
            yield finding
        elif pardon.severity is not None:
            yield finding._replace(rule=finding.rule._replace(severity=pardon.severity))


def _asked_for(program: Program) -> dict[Pardon, list[tuple[int, bool]]]:
    """Where each pardon begins or ends, by bundle."""
    words = {
        word
        for pardon in program.isa.surface.pardons
        for word in (pardon.directive, pardon.ended_by)
    }
    said = (
        [(n, b.directive) for n, b in program.directives if b.directive in words] if words else []
    )
    return {
        pardon: [
            (number, word == pardon.directive)
            for number, word in said
            if word in (pardon.directive, pardon.ended_by)
        ]
        for pardon in program.isa.surface.pardons
        if any(word == pardon.directive for _, word in said)
    }


def _pardon_of(
    program: Program, finding: Diagnostic, asked: dict[Pardon, list[tuple[int, bool]]]
) -> Pardon | None:
    found = None
    for pardon, changes in asked.items():
        if finding.code not in pardon.codes:
            continue
        bundle = program.bundle_at(finding.span.start)
        before = [holds for number, holds in changes if number <= bundle]
        if before and before[-1] and (found is None or pardon.severity is None):
            found = pardon
    return found
