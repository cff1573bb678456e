"""Findings in headers: where the files that include them show them, and where the headers do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable

from ipu_asm.diagnostics import Diagnostic, RelatedInformation
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_MOST_WAYS = 10
"""How many places that lead to a finding in a header are told."""


class Includer(NamedTuple):
    """A file that includes a header: its path, and the findings of its analysis."""

    path: str
    findings: tuple[Diagnostic, ...]


def findings_shown(analysis: Analysis) -> tuple[Diagnostic, ...]:
    """Return the findings of a file, each at a span of this file.

    Those in headers are at the include or call that leads there, without a fix.
    """
    if not analysis.expanded:
        return analysis.diagnostics
    shown = [f if f.path is None else _at_include(analysis, f) for f in analysis.diagnostics]
    return tuple(sorted(shown, key=lambda finding: (finding.span, finding.code)))


def findings_in_header(path: str, includers: Iterable[Includer]) -> tuple[Diagnostic, ...]:
    """Return the findings in a header as spans of the header, those of several includers once."""
    found: dict[tuple[Span, str, str], list[Diagnostic]] = {}
    for includer in includers:
        for finding in includer.findings:
            if finding.path == path:
                key = finding.span, finding.code, finding.message
                found.setdefault(key, []).append(_in_header(finding, path, includer.path))
    return tuple(_merged(findings) for _, findings in sorted(found.items()))


def _at_include(analysis: Analysis, finding: Diagnostic) -> Diagnostic:
    path = finding.path or MAIN
    header = analysis.headers.get(path)
    line = header.lines.position(finding.span.start).line + 1 if header else 1
    return finding._replace(
        message=f"in `{os.path.basename(path)}`, line {line}: {finding.message}",
        span=_way_into(analysis, finding),
        related=(RelatedInformation(finding.span, finding.message, path), *finding.related),
        fix=None,
        path=None,
    )


def _way_into(analysis: Analysis, finding: Diagnostic) -> Span:
    """Return the outermost place in the file itself on the way to a finding."""
    for place in reversed(finding.related):
        if place.path is None:
            return place.span
    includes = [i.place for each in analysis.expanded for i in each.expansion.includes]
    return next((place.span for place in includes if place.path == MAIN), Span(0, 0))


def _in_header(finding: Diagnostic, path: str, includer: str) -> Diagnostic:
    related = [
        place._replace(path=None if place.path == path else place.path or includer)
        for place in finding.related
    ]
    return finding._replace(path=None, related=tuple(related), fix=None)


def _merged(findings: list[Diagnostic]) -> Diagnostic:
    """Return one finding with the related places of all."""
    related = dict.fromkeys(place for finding in findings for place in finding.related)
    return findings[0]._replace(related=tuple(related)[:_MOST_WAYS])
