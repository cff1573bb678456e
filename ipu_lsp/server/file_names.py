"""Names of headers in all files of a session: open documents, headers and workspace files."""

from __future__ import annotations

from typing import Iterable, Iterator, Sequence

from ipu_asm.config.files import scanned_text
from ipu_asm.ide.symbols.header_names import (
    DefinedAt,
    FileOccurrence,
    FileReading,
    code_words,
    occurrences_of,
)
from ipu_lsp.server.session import LspSession
from ipu_lsp.server.workspace import TimeSlice


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
    name = wanted.definition.name
    for path in readers_of(session, wanted.file.path, [name], TimeSlice()):
        place = None if path is None else session.place_in(path)
        if path is None or place is None:
            yield None
        elif path not in seen:
            seen.add(path)
            text = place[1].text
            for span in code_words(readings[0].analysis.isa, text, name):
                yield FileOccurrence(path, span, False)


def readers_of(
    session: LspSession, header: str, words: Sequence[str], time_slice: TimeSlice
) -> Iterator[str | None]:
    """Yield the paths of the files with one of some words that read a header, or are read with it.

    Yields None when the time slice ends. Which headers a file of the workspace reads is only asked
    for files with one of the words: the others need not be analysed.
    """
    yielded = set()

    def fresh(paths: Iterable[str]) -> Iterator[str]:
        for path in paths:
            if path not in yielded:
                yielded.add(path)
                yield path

    for document in list(session.documents.values()):
        yield from time_slice.pause()
        view = session.view_of(document)
        if view is not None and header in view.analysis.headers:
            yield from fresh([document.key, *view.analysis.headers])
    for path in session.workspace.sources(time_slice):
        yield from time_slice.pause()
        if path is None or session.is_open(path):
            continue
        text = scanned_text(path)
        if text is not None and any(word in text for word in words):
            headers = session.headers_of(path)
            if header in headers:
                yield from fresh([path, *headers])
