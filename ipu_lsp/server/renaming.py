"""Rename of a name in all files that use it: its headers, open documents and workspace files."""

from __future__ import annotations

import os
from typing import Generator, Iterable, Iterator, Sequence

from ipu_asm.config.files import scanned_text
from ipu_asm.ide.symbols.base import RenameError
from ipu_asm.ide.symbols.header_names import (
    DefinedAt,
    FileOccurrence,
    FileReading,
    HeaderName,
    code_words,
    edits_by_file,
    keeps_expansions,
    occurrences_of,
)
from ipu_asm.isa.operands import quoted
from ipu_asm.text import SourceFile, TextEdit, apply_edits
from ipu_lsp.json_types import Json
from ipu_lsp.server.documents import workspace_edit_of_files
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.workspace import TimeSlice


def check_renameable(session: LspSession, reading: FileReading, name: HeaderName) -> None:
    """Raise `RenameError` for a name that cannot be renamed at all."""
    name.check_renameable(reading)
    for each in name.definitions:
        path = each.file.path
        if session.workspace.folder_of(path) is None and not session.is_open(path):
            where = f"{_shown(path)} is outside of the workspace"
            raise RenameError(f"{where} and defines {quoted(name.name)}")


def rename_everywhere(
    session: LspSession, readings: list[FileReading], name: HeaderName, new: str
) -> Generator[None, None, Json]:
    """Return the edits that rename a name in all files; raise `RenameError` if that is unsafe."""
    check_renameable(session, readings[0], name)
    name.check_new_name(readings[0], new)
    found = []
    for wanted in name.definitions:
        for occurrence in occurrences_everywhere(session, readings, wanted):
            if occurrence is None:
                yield
            else:
                found.append(occurrence)
    edits = edits_by_file(found, new)
    files = {path: file for path in edits if (file := _file(session, path)) is not None}
    for path in edits:
        if session.workspace.folder_of(path) is None and not session.is_open(path):
            where = f"{_shown(path)} is outside of the workspace"
            raise RenameError(f"{where} and uses {quoted(name.name)}")
    edited = {path: apply_edits(files[path].text, changes) for path, changes in edits.items()}
    yield from _check_meaning(session, readings[0], name, new, edited)
    return workspace_edit_of_files(
        _converted(session, edits), versioned=session.client.document_changes
    )


def _check_meaning(
    session: LspSession,
    reading: FileReading,
    name: HeaderName,
    new: str,
    edited: dict[str, str],
) -> Generator[None, None, None]:
    """Raise `RenameError` if a file has the new name already, or its expansion changes."""
    readers = dict.fromkeys((*edited, reading.analysis.source.path))
    for definition in name.definitions:
        for path in readers_of(session, definition.file.path, [new], TimeSlice()):
            if path is None:
                yield
            else:
                readers[path] = None
    for path in readers:
        file = _file(session, path)
        for span in code_words(reading.analysis.isa, file.text, new) if file else ():
            assert file is not None
            where = f"line {file.lines.position(span.start).line + 1} of {_shown(path)}"
            raise RenameError(f"{where} already has the word {quoted(new)}")
    for path in edited:
        yield
        view = _view(session, path)
        if view and not keeps_expansions(view.analysis, edited, name.name, new):
            raise RenameError(f"{quoted(new)} would change the expansion of {_shown(path)}")


def _converted(
    session: LspSession, edits: dict[str, list[TextEdit]]
) -> Iterator[tuple[str, int | None, list[Json]]]:
    for path, changes in edits.items():
        place = session.place_in(path)
        if place is not None:
            uri, coordinates = place
            document = session.documents.get(uri)
            version = None if document is None else document.version
            yield uri, version, [coordinates.edit(edit) for edit in changes]


def _shown(path: str) -> str:
    return quoted(os.path.basename(path))


def _file(session: LspSession, path: str) -> SourceFile | None:
    return session.headers.read(path)


def _view(session: LspSession, path: str) -> View | None:
    document = session.headers.document(path) or session.file(path)
    return None if document is None else session.view_of(document)


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
