"""Findings about expansions, placed in the files that they were written in.

A finding is placed at the written range of its span: in literal text at that text, in a substituted
value at the use of the value, in a macro's argument at what the call gives. Its related places tell
the definition of the value, and the calls and includes that led there. The same finding at the same
place in several iterations, calls or contexts is reported once, and its message says in how many of
them if not in all. That something is unused is only reported if it is so in all of them. Contexts
that are assumed for conditions that cannot be known may be none that anybody builds: a finding
counts if each expansion that has its place has the finding.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Iterable, Iterator, Sequence

from ipu_asm.diagnostics import DUPLICATE_LABEL, Diagnostic, Fix, RelatedInformation
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN, Frame, FrameKind, SourceMap, SourceRange
from ipu_asm.text import Span, TextEdit

_Key = tuple[str, str | None, Span]
_LOCAL = ("E0", "E1", "E2")
_MARK = ";;"
# Names that the user does not define: words of the preprocessor, and names of compilers.
_DECIDED = re.compile(r"if|ifdef|ifndef|elif|else|defined|__\w+")
# The directives of the assembler that compare numbers; others compare texts.
_COMPARING = r"if(?:eq|ne|[gl][te])?|else(?:if)?|endif"
_COMPARED = re.compile(_COMPARING + r"|ifn?b|ifn?c|if(?:eq|ne)s")
_STRING = re.compile(r'"[^"\\\r\n]*"')
_NAME = re.compile(r"(?<!\w)[A-Za-z_]\w*")
_CONDITIONAL = re.compile(
    rf"^[ \t]*(?:#[ \t]*(if|ifdef|ifndef|elif|else|endif)|\.(if\w+|{_COMPARING}))\b.*", re.MULTILINE
)
_REMARK = re.compile(r"//.*|/\*.*?\*/")
_ASSIGNED = re.compile(
    r"^[ \t]*(?:\.(?:set|equ|equiv|eqv)[ \t]+([A-Za-z_]\w*)[ \t]*,|([A-Za-z_]\w*)[ \t]*=)",
    re.MULTILINE,
)


class _Occurrence(NamedTuple):
    """A finding in one expansion; `offset` is -1 if it is not about a place of the text."""

    finding: Diagnostic
    expansion: int
    offset: int


def lifted_findings(expanded: Iterable[tuple[Expansion, Sequence[Diagnostic]]]) -> list[Diagnostic]:
    """Return the findings of all expansions, and about them, at their written places, each once.

    The expansions come with the findings about their texts.
    """
    expansions: list[Expansion] = []
    found: dict[_Key, list[_Occurrence]] = {}
    for number, (expansion, findings) in enumerate(expanded):
        expansions.append(expansion)
        for finding, offset in _lifted(expansion, findings):
            key = finding.code, finding.path, finding.span
            found.setdefault(key, []).append(_Occurrence(finding, number, offset))
    merged = (_merged(expansions, occurrences) for occurrences in found.values())
    return [finding for finding in merged if finding is not None]


def findings_outside(
    text: str, findings: Iterable[Diagnostic], expansions: Sequence[Expansion]
) -> list[Diagnostic]:
    """Return the findings about the written text that is in no expansion.

    That is text of macros that are never called, and of branches that are never taken. But text
    that no assembler reads, such as inside of `#if 0` or `.if 0`, may be in any language. What an
    expansion tells as well is told once.
    """
    told = {(f.code, f.span) for each in expansions for f in each.findings if not f.path}
    outside = [
        each
        for each in findings
        if (each.code, each.span) not in told and not _is_expanded(expansions, each.span)
    ]
    if not outside:
        return []
    excluded = [span for span in _branches(text) if not _has_code(expansions, span)]
    return [f for f in outside if not any(s.start <= f.span.start < s.end for s in excluded)]


def _is_expanded(expansions: Sequence[Expansion], span: Span) -> bool:
    maps = (expansion.source_map for expansion in expansions)
    if span.start == span.end:
        return any(each.expanded(MAIN, span.start) for each in maps)
    return any(each.expanded_spans(SourceRange(MAIN, span)) for each in maps)


def _has_code(expansions: Sequence[Expansion], written: Span) -> bool:
    """Return whether an expansion has more than line breaks of a written range."""
    place = SourceRange(MAIN, written)
    return any(
        not each.text[span.start : span.end].isspace()
        for each in expansions
        for span in each.source_map.expanded_spans(place)
    )


def _branches(text: str) -> Iterator[Span]:
    """Yield the branches of conditionals that nothing outside the text decides, inner ones first.

    Only a compiler decides some conditions of a preprocessor; an assembler's have numbers, and
    symbols that the text assigns values to, or strings.
    """
    assigned = {one or other for one, other in _ASSIGNED.findall(text)}
    opened: list[tuple[int, bool]] = []
    for directive in _CONDITIONAL.finditer(text):
        word = directive[1] or directive[2]
        names = _NAME.findall(_REMARK.sub("", directive[0]))
        if directive[1]:
            is_decided = all(map(_DECIDED.fullmatch, names))
        else:
            names = _NAME.findall(_STRING.sub("", _REMARK.sub("", directive[0])))
            is_decided = _COMPARED.fullmatch(word) is not None and assigned.issuperset(names[1:])
            is_decided = is_decided and "\\" not in directive[0]
        if not word.startswith("if") and opened:
            start, was_decided = opened.pop()
            if was_decided:
                yield Span(start, directive.start())
            is_decided = is_decided and was_decided
        if word != "endif":
            opened.append((directive.end(), is_decided))


def _lifted(
    expansion: Expansion, findings: Sequence[Diagnostic]
) -> Iterator[tuple[Diagnostic, int]]:
    for finding in expansion.findings:
        yield finding, -1
    is_missing = any(each.path is None for each in expansion.includes)
    for finding in findings:
        if is_missing and _may_be_named_apart(expansion, finding):
            continue
        if expansion.is_partial:
            if not _is_certain(expansion, finding):
                continue
            finding = finding._replace(fix=None)
        place = expansion.source_map.written(finding.span)
        if place is not None:
            yield _placed(expansion.source_map, finding, place)


def _may_be_named_apart(expansion: Expansion, finding: Diagnostic) -> bool:
    """Return whether a missing header may give a label in a macro another name in each call.

    That is so where both definitions are written in one place, as in `NAME: nop` in a macro that is
    called with another `NAME` after each `#define`.
    """
    if (
        finding.rule is not DUPLICATE_LABEL
        or not expansion.text[slice(*finding.span)].isidentifier()
    ):
        return False
    first = finding.related[0].span
    return expansion.source_map.written(first) == expansion.source_map.written(finding.span)


def _is_certain(expansion: Expansion, finding: Diagnostic) -> bool:
    """Return whether a finding about a partial expansion is about a bundle that is known."""
    if not finding.code.startswith(_LOCAL):
        return False
    start = expansion.text.rfind(_MARK, 0, finding.span.start) + 1
    end = expansion.text.find(_MARK, max(finding.span.start, finding.span.end - len(_MARK)))
    end = end if end >= 0 else len(expansion.text)
    number = bisect_left(expansion.unknown, start, key=lambda span: span.end)
    return number == len(expansion.unknown) or expansion.unknown[number].start > end


def _placed(
    source_map: SourceMap, finding: Diagnostic, place: SourceRange
) -> tuple[Diagnostic, int]:
    related = [
        related_at(written, message)
        for span, message, _ in finding.related
        if (written := source_map.written(span)) is not None
    ]
    offset = finding.span.start
    segments = source_map.segments_in(finding.span)
    argument = segments[0].frame if len(segments) == 1 else None
    if argument and argument.kind is FrameKind.ARGUMENT and argument.definition:
        place, offset = argument.definition, -1
        related.append(related_at(argument.call, f"{argument.label} is used here"))
    frames = dict.fromkeys(frame for each in segments if (frame := each.frame))
    values = [each for each in frames if each.kind in (FrameKind.VALUE, FrameKind.ARGUMENT)]
    ways = [related_places(frame._replace(parent=None)) for frame in values]
    ways.append(related_places(source_map.frame_of(finding.span)))
    found = dict.fromkeys(each for way in ways for each in way)
    placed = finding._replace(
        span=place.span,
        path=place.path or None,
        related=(*related, *(each for each in found if not _is_inside(each, place))),
        fix=_lifted_fix(source_map, finding.fix),
    )
    return placed, offset


def _is_inside(related: RelatedInformation, place: SourceRange) -> bool:
    start, end = related.span
    is_same_file = (related.path or MAIN) == place.path
    return is_same_file and place.span.start <= start and end <= place.span.end


def related_places(frame: Frame | None) -> Iterator[RelatedInformation]:
    """Yield the definition and the call of each level of an expansion stack, innermost first."""
    for level in frame.stack() if frame else ():
        if level.kind is FrameKind.ARGUMENT:
            if level.definition is not None:
                yield related_at(level.definition, f"{level.label} is given here")
            continue
        if level.definition is not None:
            yield related_at(level.definition, f"{level.label} is defined here")
        yield related_at(level.call, f"in {level.label}")


def related_at(place: SourceRange, message: str) -> RelatedInformation:
    return RelatedInformation(place.span, message, place.path or None)


def _lifted_fix(source_map: SourceMap, fix: Fix | None) -> Fix | None:
    """Return a fix of the written text; None unless all that it edits is written there."""
    edits = []
    for span, new_text in fix.edits if fix else ():
        written = source_map.verbatim(span)
        if written is None or written.path != MAIN:
            return None
        edits.append(TextEdit(written.span, new_text))
    return fix._replace(edits=tuple(edits)) if fix else None


def _merged(expansions: Sequence[Expansion], found: Sequence[_Occurrence]) -> Diagnostic | None:
    """Return one finding for equal ones at one place; None if it is to be dropped."""
    first = found[0].finding
    if first.fix is not None and not _is_fix_of_all(expansions, found, first.fix):
        first = first._replace(fix=None)
    if (len(expansions) == 1 and found[0].offset < 0) or "deprecated" in first.tags:
        return first  # a deprecated instruction is only reported where it is first used
    path = first.path or MAIN
    of_text = [each for each in found if each.offset >= 0]
    times = [
        len(expansion.source_map.expanded(path, first.span.start)) if of_text else 1
        for expansion in expansions
    ]
    if expansions[0].is_assumed and of_text:
        numbers = {each.expansion for each in found}
        if any(count and number not in numbers for number, count in enumerate(times)):
            return None
        context = _assumption(expansions, found, times)
    else:
        context = _in_contexts(expansions, found)
    prefix = context + _in_iterations(expansions, of_text, times)
    if prefix and "unnecessary" in first.tags:
        return None if _is_missing_somewhere(found, times) else first
    return first._replace(message=prefix + first.message) if prefix else first


def _is_fix_of_all(expansions: Sequence[Expansion], found: Sequence[_Occurrence], fix: Fix) -> bool:
    """Return whether all that a fix edits is to be edited so wherever it occurs."""
    count = len({(each.expansion, each.offset) for each in found})
    return all(each.finding.fix == fix for each in found) and all(
        count == sum(len(each.source_map.expanded(MAIN, span.start)) for each in expansions)
        for span, _ in fix.edits
    )


def _is_missing_somewhere(found: Sequence[_Occurrence], times: Sequence[int]) -> bool:
    """Return whether a place occurs somewhere without the finding."""
    return len({(each.expansion, each.offset) for each in found}) < sum(times)


def _assumption(
    expansions: Sequence[Expansion], found: Sequence[_Occurrence], times: Sequence[int]
) -> str:
    """Return what is assumed where a place is read, if it is read under one assumption alone."""
    context = expansions[found[0].expansion].context
    return f"if {context}: " if context and sum(map(bool, times)) == 1 else ""


def _in_contexts(expansions: Sequence[Expansion], found: Sequence[_Occurrence]) -> str:
    numbers = sorted({each.expansion for each in found})
    if len(numbers) == len(expansions):
        return ""
    is_assumed = expansions[0].is_assumed
    if len(numbers) == 1 and expansions[numbers[0]].context:
        return f"{'if' if is_assumed else 'in context'} {expansions[numbers[0]].context}: "
    if is_assumed:
        return ""
    return f"in {len(numbers)} of {len(expansions)} contexts: "


def _in_iterations(
    expansions: Sequence[Expansion], found: Sequence[_Occurrence], times: Sequence[int]
) -> str:
    for number in dict.fromkeys(each.expansion for each in found):
        offsets = {each.offset for each in found if each.expansion == number}
        if len(offsets) < times[number]:
            frame = expansions[number].source_map.frame_at(min(offsets))
            kinds = [level.kind for level in (frame.stack() if frame else ())]
            what = "iterations" if FrameKind.ITERATION in kinds else "calls"
            if FrameKind.ITERATION in kinds or FrameKind.MACRO in kinds:
                return f"in {len(offsets)} of {times[number]} {what}: "
    return ""
