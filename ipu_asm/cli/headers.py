"""Headers of analysed files, under the names by which messages show them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable, Iterator

from ipu_asm.cli.paths import path_inside
from ipu_asm.source.expansion import Expansion
from ipu_asm.text import SourceFile

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis
    from ipu_asm.diagnostics import Diagnostic


def headers_of(expansions: Iterable[Expansion]) -> dict[str, SourceFile]:
    """Return the headers that expansions read, by absolute path.

    Their names are relative to the working directory, if they are inside of it.
    """
    return {
        path: SourceFile(file.text, path_inside(path) or path)
        for expansion in expansions
        for path, file in expansion.files.items()
    }


def headers_in(findings: Iterable[Diagnostic], analysis: Analysis) -> dict[str, SourceFile]:
    """Return the headers with places of findings of an analysis, by absolute path."""
    if not analysis.expanded:
        return {}
    paths = {path for f in findings for path in (f.path, *(r.path for r in f.related)) if path}
    headers = headers_of(each.expansion for each in analysis.expanded)
    return {path: headers[path] for path in paths if path in headers}


def header_paths(analysis: Analysis) -> Iterator[str]:
    """Yield the headers that an analysis has read, and where it has missed one."""
    for expansion, _ in analysis.expanded:
        yield from expansion.files
        for place, name, path in expansion.includes:
            if path is None:
                folder = os.path.dirname(os.path.abspath(place.path or analysis.source.path))
                for each in (folder, *analysis.settings.include_paths):
                    yield os.path.join(each, name)
