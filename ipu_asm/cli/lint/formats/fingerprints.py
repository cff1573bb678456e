"""Fingerprints by which a build server recognizes a finding after other lines have moved."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

from ipu_asm.cli.lint.formats import FileFindings
from ipu_asm.cli.paths import project_path
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.text import SourceFile, Span

_REACH = 200  # code points of the line on each side of the finding that go into its fingerprint


def fingerprints(findings: FileFindings) -> list[str]:
    """Return a fingerprint for each finding, unique in the file and independent of line numbers.

    It is a hash of the path, the code, the text and its line, and the number of earlier findings
    with the same values.
    """
    path = project_path(findings.source.path)
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for diagnostic in findings.diagnostics:
        identity = _identity(diagnostic, findings.source)
        seen[identity] += 1
        result.append(_digest(path, *identity, str(seen[identity])))
    return result


def _identity(diagnostic: Diagnostic, source: SourceFile) -> tuple[str, ...]:
    start, end = diagnostic.span
    line = source.lines.line_span(source.lines.position(start).line)
    around = Span(max(line.start, start - _REACH), min(line.end, start + _REACH))
    culprit = source.text[start : min(end, start + _REACH)]
    return diagnostic.code, _squeezed(culprit), _squeezed(source.text[around.start : around.end])


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _digest(*parts: str) -> str:
    content = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(content).hexdigest()[:32]
