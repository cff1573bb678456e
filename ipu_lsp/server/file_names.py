"""Names of headers in all files of a session: open documents, headers and workspace files."""

from __future__ import annotations

from typing import Iterator

from ipu_asm.ide.names.lookup import DefinedAt, FileReading, code_words
from ipu_asm.ide.names.occurrences import FileOccurrence, occurrences_of
from ipu_lsp.server.documents import path_of
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.workspace import TimeSlice

_HEADERS = "headers"


def occurrences_everywhere(
    session: LspSession, readings: list[FileReading], wanted: DefinedAt
) -> Iterator[FileOccurrence | None]:
    """Yield where files name what a definition defines; None when other work is due.

    Files that are not open are looked at as texts: which words a file has in branches that are not
    taken does not depend on what it includes.
    """
    seen = set()
    for reading in readings:
        for found in occurrences_of(reading, wanted):
            seen.add(found.path)
            yield found
    for path in readers_of(session, wanted.file.path, TimeSlice()):
        place = None if path is None else session.place_in(path)
        if path is None or place is None:
            yield None
        elif path not in seen:
            seen.add(path)
            text = place[1].text
            for span in code_words(readings[0].analysis.isa, text, wanted.definition.name):
                yield FileOccurrence(path, span, False)


def readers_of(session: LspSession, header: str, time_slice: TimeSlice) -> Iterator[str | None]:
    """Yield the paths of the files that read a header, and of the headers that they read with it.

    Yields None when the time slice ends.
    """
    yielded = set()
    for answer in session.map_workspace(_HEADERS, _headers, time_slice):
        if answer is None:
            yield None
            continue
        uri, headers = answer
        if header in headers:
            fresh = [path for path in (path_of(uri), *headers) if path and path not in yielded]
            yielded.update(fresh)
            yield from fresh


def _headers(_uri: str, view: View) -> tuple[str, ...]:
    return tuple(view.analysis.headers)
