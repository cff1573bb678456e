"""File names for build servers: relative to the project, with forward slashes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable, Iterator

from ipu_asm.source.expansion import Expansion
from ipu_asm.text import SourceFile

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis
    from ipu_asm.diagnostics import Diagnostic


def project_path(path: str) -> str:
    """Return `path` relative to the working directory if it is inside, else as given."""
    inside = path_inside(path)
    return path.replace(os.sep, "/") if inside is None else inside


def path_inside(path: str) -> str | None:
    """Return `path` relative to the working directory, or None if it is not inside."""
    absolute, prefix = absolute_path(path), os.path.join(absolute_path("."), "")
    inside = absolute.startswith(prefix) and len(absolute) > len(prefix)
    return absolute[len(prefix) :].replace(os.sep, "/") if inside else None


def absolute_path(path: str) -> str:
    """Return the absolute, normalized form of `path`."""
    try:
        folder = os.getcwd()
    except OSError:  # the working directory has been deleted
        folder = os.sep
    return os.path.normpath(os.path.join(folder, path))


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
    settings = analysis.settings
    for expansion, _ in analysis.expanded:
        yield from expansion.files
        for place, name, path in expansion.includes:
            if path is None:
                folder = os.path.dirname(os.path.abspath(place.path or analysis.source.path))
                elsewhere = settings.project.folders if settings.project is not None else ()
                for each in (folder, *settings.include_paths, *elsewhere):
                    yield os.path.join(each, name)
