"""Findings that know their rows and columns: those that the public Python API returns."""

from __future__ import annotations

from types import MappingProxyType
from typing import Iterable, Mapping

from ipu_asm.diagnostics import Diagnostic, Location
from ipu_asm.text import SourceFile

_NO_HEADERS: Mapping[str, SourceFile] = MappingProxyType({})


class LocatedDiagnostic(Diagnostic):
    """A finding together with the file that it is in; equal to the same finding without it."""

    source: SourceFile

    @property
    def location(self) -> Location:
        """Where the finding begins."""
        return _location(self.source, self.span.start)

    @property
    def end_location(self) -> Location:
        """Where the finding ends, exclusive."""
        return _location(self.source, self.span.end)


def located(
    findings: Iterable[Diagnostic],
    source: SourceFile,
    headers: Mapping[str, SourceFile] = _NO_HEADERS,
) -> tuple[Diagnostic, ...]:
    """Return findings of a file and of its headers, which are given by path, with their files.

    Those of an unknown header remain without.
    """
    return tuple([_located(finding, source, headers) for finding in findings])


def _located(
    finding: Diagnostic, source: SourceFile, headers: Mapping[str, SourceFile]
) -> Diagnostic:
    file = source if finding.path is None else headers.get(finding.path)
    if file is None:
        return finding
    found = LocatedDiagnostic(*finding)
    found.source = file
    return found


def _location(source: SourceFile, offset: int) -> Location:
    line, column = source.lines.position(offset)
    return Location(line + 1, column + 1)
