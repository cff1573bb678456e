"""Findings about expansions, placed in the files that they were written in.

A finding stands at the written range of its span: in literal text at that text, in a substituted
value at the use of the value. Its related places tell the definition of the value, and the calls
and includes that led there. The same finding at the same place in several iterations, calls or
contexts is reported once.
"""

from __future__ import annotations

from typing import Iterable, Iterator, Sequence

from ipu_asm.diagnostics import Diagnostic, Fix, RelatedInformation
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN, Frame, SourceMap, SourceRange
from ipu_asm.text import Span, TextEdit

_Key = tuple[str, str | None, Span]


def lifted_findings(
    expanded: Iterable[tuple[Expansion, Sequence[Diagnostic]]],
) -> list[Diagnostic]:
    """Return the findings of all expansions, and about them, at their written places, each once.

    The expansions come with the findings about their texts.
    """
    found: dict[_Key, list[Diagnostic]] = {}
    for expansion, findings in expanded:
        for finding in _lifted(expansion, findings):
            found.setdefault((finding.code, finding.path, finding.span), []).append(finding)
    return [_merged(findings) for findings in found.values()]


def findings_outside(
    findings: Iterable[Diagnostic], expansions: Sequence[Expansion]
) -> list[Diagnostic]:
    """Return the findings about written text that is in no expansion.

    That is text of macros that are never called, and of branches that are never taken.
    """
    return [
        finding
        for finding in findings
        if not any(_is_expanded(expansion.source_map, finding.span) for expansion in expansions)
    ]


def _is_expanded(source_map: SourceMap, span: Span) -> bool:
    if span.start == span.end:
        return bool(source_map.expanded(MAIN, span.start))
    return bool(source_map.expanded_spans(SourceRange(MAIN, span)))


def _lifted(expansion: Expansion, findings: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    yield from expansion.findings
    for finding in findings:
        place = expansion.source_map.written(finding.span)
        if place is not None:
            yield _placed(expansion.source_map, finding, place)


def _placed(source_map: SourceMap, finding: Diagnostic, place: SourceRange) -> Diagnostic:
    related = [
        _related(written, message)
        for span, message, _ in finding.related
        if (written := source_map.written(span)) is not None
    ]
    frame = source_map.frame_of(finding.span)
    related += related_places(frame)
    return finding._replace(
        span=place.span,
        path=place.path or None,
        related=tuple(related),
        fix=_lifted_fix(source_map, finding.fix),
    )


def related_places(frame: Frame | None) -> Iterator[RelatedInformation]:
    """Yield the definition and the call of each level of an expansion stack, innermost first."""
    for level in frame.stack() if frame else ():
        if level.definition is not None:
            yield _related(level.definition, f"{level.label} is defined here")
        yield _related(level.call, f"in {level.label}")


def _related(place: SourceRange, message: str) -> RelatedInformation:
    return RelatedInformation(place.span, message, place.path or None)


def _lifted_fix(source_map: SourceMap, fix: Fix | None) -> Fix | None:
    """Return a fix of the written text; None unless all that it edits is written once, there."""
    edits = []
    for span, new_text in fix.edits if fix else ():
        written = source_map.verbatim(span)
        if written is None or written.path != MAIN:
            return None
        if len(source_map.expanded(MAIN, written.span.start)) != 1:
            return None
        edits.append(TextEdit(written.span, new_text))
    return fix._replace(edits=tuple(edits)) if fix else None


def _merged(findings: Sequence[Diagnostic]) -> Diagnostic:
    """Return one finding for all that say the same of one place."""
    first = findings[0]
    if any(finding.fix != first.fix for finding in findings):
        first = first._replace(fix=None)
    return first
