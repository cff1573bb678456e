"""Findings in headers, where files show them, and changes of settings that resolve findings."""

from __future__ import annotations

import os
from typing import Iterable, Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.doubtful_isa import other_set
from ipu_asm.diagnostics import INCLUDE_NOT_FOUND, Diagnostic, RelatedInformation
from ipu_asm.ide.code_actions import undefined_name
from ipu_asm.ide.symbols.header_names import includes_of
from ipu_asm.lint.other_instruction_set import OTHER_INSTRUCTION_SET
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span


class NameToDeclare(NamedTuple):
    """An undefined name: of a template, else one that a define may give a value."""

    finding: Diagnostic
    name: str
    is_in_template: bool


class MissingHeader(NamedTuple):
    """The name of a header that is in none of the folders that are searched."""

    finding: Diagnostic
    name: str


_MAX_WAYS = 10
"""Places shown that lead to a finding in a header."""


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
    return findings[0]._replace(related=tuple(related)[:_MAX_WAYS])


def names_to_declare(analysis: Analysis, span: Span) -> Iterator[NameToDeclare]:
    """Yield the names that findings touching a span call undefined, each once."""
    found: dict[str, NameToDeclare] = {}
    for finding in _touched(analysis, span):
        name = undefined_name(analysis, finding)
        if name is not None:
            found.setdefault(name, NameToDeclare(finding, name, True))
        elif finding.dropped_if_defined and analysis.isa.surface.c_preprocessor:
            word = analysis.text[finding.span.start : finding.span.end]
            if word in finding.dropped_if_defined and word.isidentifier():
                found.setdefault(word, NameToDeclare(finding, word, False))
    yield from found.values()


def set_to_choose(analysis: Analysis, span: Span) -> tuple[Diagnostic, str] | None:
    """Return the hint at a span that a text is for another instruction set, and its name."""
    for finding in _touched(analysis, span):
        if finding.code == OTHER_INSTRUCTION_SET.code:
            other = other_set(analysis)
            return (finding, other.name) if other is not None else None
    return None


def missing_headers(analysis: Analysis, span: Span) -> Iterator[MissingHeader]:
    """Yield the headers whose includes touch a span and are not found."""
    names = {include.place.span: include.name for include in includes_of(analysis)}
    for finding in _touched(analysis, span):
        if finding.code == INCLUDE_NOT_FOUND.code and finding.span in names:
            yield MissingHeader(finding, names[finding.span])


def _touched(analysis: Analysis, span: Span) -> Iterator[Diagnostic]:
    for finding in analysis.diagnostics:
        is_touched = finding.span.start <= span.end and span.start <= finding.span.end
        if is_touched and finding.path is None:
            yield finding
