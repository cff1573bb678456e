"""Findings of a run by the files that they are in: those in a header once for all includers."""

from __future__ import annotations

import os
from typing import Mapping, Sequence

from ipu_asm.cli.lint.formats import FileFindings
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.text import SourceFile, Span


def findings_by_file(linted: Sequence[FileFindings]) -> list[FileFindings]:
    """Return findings by file; if there are some in headers, sorted by file name.

    The findings of a linted file may be in one of its `others`, the headers that it includes. A
    header that is linted itself, or included by several files, has each of its findings once.
    """
    files = [_File(source, _own(findings)) for source, findings, _ in linted]
    if all(len(file.findings) == len(each.diagnostics) for file, each in zip(files, linted)):
        return list(linted)
    by_path = {os.path.abspath(file.source.path): file for file in reversed(files)}
    others: dict[str, SourceFile] = {}
    for source, findings, headers in linted:
        main = os.path.abspath(source.path)
        others |= {**headers, main: source}
        for finding in findings:
            if finding.path is not None:
                file = by_path.get(finding.path)
                if file is None:
                    file = by_path[finding.path] = _File(headers[finding.path], [])
                    files.append(file)
                file.add(_in_header(finding, main))
    return sorted((file.sorted(others) for file in files), key=lambda each: each.source.path)


class _File:
    """A file and its findings."""

    def __init__(self, source: SourceFile, findings: list[Diagnostic]) -> None:
        self.source = source
        self.findings = findings
        self._known = {(finding.code, finding.span) for finding in findings}

    def add(self, finding: Diagnostic) -> None:
        """Add a finding of a file that includes this one, if it is a new one."""
        key: tuple[str, Span] = (finding.code, finding.span)
        if key not in self._known:
            self._known.add(key)
            self.findings.append(finding)

    def sorted(self, others: Mapping[str, SourceFile]) -> FileFindings:
        """Return the findings by position; `others` are the files of related places."""
        findings = sorted(self.findings, key=lambda finding: finding.span)
        return FileFindings(self.source, findings, others)


def _own(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [finding for finding in findings if finding.path is None]


def _in_header(finding: Diagnostic, main: str) -> Diagnostic:
    """Return a finding as one of its header: related places without a path are in it."""
    related = tuple(
        place._replace(path=None if place.path == finding.path else place.path or main)
        for place in finding.related
    )
    return finding._replace(path=None, related=related)
