"""Comments that silence findings: ``# ipu: ignore[name, CODE] reason``, ``# ipu: ignore-file[..]``.

One on a line of code silences findings that begin on that line, one alone on its line those of the
next line of code; `ignore-file` above the first bundle silences the whole file. A name that
silences nothing is itself a finding.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ipu_asm.diagnostics import Diagnostic, Fix, Kind, Severity
from ipu_asm.isa.operands import quoted
from ipu_asm.program import Program
from ipu_asm.text import SourceFile, Span, TextEdit

UNUSED_SUPPRESSION = Kind("W001", "unused-suppression", Severity.WARNING)
_MARK = "ipu:"


class Suppression(NamedTuple):
    """One name in one suppressing comment; `line` is the 0-based line it is for, None: the file."""

    name: str
    span: Span
    line: int | None
    comment: Span


def suppress(program: Program, source: SourceFile, findings: list[Diagnostic]) -> list[Diagnostic]:
    """The findings that no comment silences, and one for each comment that silences nothing."""
    if _MARK not in program.text:
        return findings
    suppressions = list(find_suppressions(program, source))
    if not suppressions:
        return findings
    used: set[Suppression] = set()
    kept = []
    for finding in findings:
        line = source.lines.position(finding.span.start).line
        by = [s for s in suppressions if s.line in (None, line) and s.name in finding.kind[:2]]
        used.update(by)
        if not by:
            kept.append(finding)
    unused = [s for s in suppressions if s not in used and s.name not in UNUSED_SUPPRESSION[:2]]
    return kept + [_unused(suppression) for suppression in unused]


def find_suppressions(program: Program, source: SourceFile) -> list[Suppression]:
    """All suppressions of a text, in their order."""
    marks = "|".join(map(re.escape, program.isa.surface.comments))
    pattern = re.compile(
        rf"(?:{marks})[^\S\r\n]*{_MARK}[^\S\r\n]*(ignore(?:-file)?)\[([^\]\r\n]*)\][^\r\n]*"
    )
    top = _first_token(program)
    found: list[Suppression] = []
    for match in pattern.finditer(program.text):
        line = None if match[1] == "ignore-file" else _line_meant(program, source, match.start())
        if line is None and match.start() > top:
            continue
        for name in re.finditer(r"[^\s,]+", match[2]):
            start = match.start(2) + name.start()
            span = Span(start, start + len(name[0]))
            found.append(Suppression(name[0], span, line, Span(match.start(), match.end())))
    return found


def _first_token(program: Program) -> int:
    for number, bundle in enumerate(program.bundles):
        if bundle.syntax.words:
            return program.span(number, bundle.first_token).start
    return len(program.text)


def _line_meant(program: Program, source: SourceFile, offset: int) -> int:
    """The comment's line if there is code on it, else the next line that is not all comment."""
    line = source.lines.position(offset).line
    comments = program.isa.surface.comments
    text = source.text[source.lines.line_span(line).start : offset].strip()
    last = len(source.lines.starts) - 1
    while not text and line < last:
        line += 1
        following = source.line_text(line).strip()
        if following and not following.startswith(comments):
            break
    return line


def _unused(suppression: Suppression) -> Diagnostic:
    message = f"suppression of {quoted(suppression.name)} silences no finding"
    fix = Fix("remove the suppression", (TextEdit(suppression.comment, ""),))
    return Diagnostic(UNUSED_SUPPRESSION, message, suppression.span, fix=fix, tags=("unnecessary",))
