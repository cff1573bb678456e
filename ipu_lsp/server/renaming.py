"""Rename of a name in all files that use it: its headers, open documents and workspace files."""

from __future__ import annotations

import os
from typing import Generator, Iterator

from ipu_asm.ide.symbols.base import RenameError
from ipu_asm.ide.symbols.header_names import (
    FileReading,
    HeaderName,
    code_words,
    edits_by_file,
    keeps_expansions,
)
from ipu_asm.isa.operands import quoted
from ipu_asm.text import SourceFile, TextEdit, apply_edits
from ipu_lsp.json_types import Json
from ipu_lsp.server.documents import workspace_edit_of_files
from ipu_lsp.server.file_names import occurrences_everywhere, readers_of
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
