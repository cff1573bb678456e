"""Definitions, references, highlights, links and renaming of the symbol at a position."""

from __future__ import annotations

import os
from typing import Generator, Iterable, Iterator, Sequence

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

from ipu_asm.config.files import scanned_text
from ipu_asm.ide import navigation
from ipu_asm.ide.symbols import OccurrenceKind, RenameError
from ipu_asm.ide.symbols.header_names import (
    DefinedAt,
    FileOccurrence,
    FileReading,
    HeaderName,
    code_words,
    edits_by_file,
    keeps_expansions,
    name_of_several_files,
    occurrences_of,
)
from ipu_asm.isa.operands import quoted
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import TextEdit, apply_edits
from ipu_lsp.server.documents import workspace_edit, workspace_edit_of_files
from ipu_lsp.server.messages import EncodedJson, json_array, json_text
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.uris import uri_of
from ipu_lsp.server.workspace import TimeSlice
from ipu_lsp.transport import Json

_READS, _WRITES = (
    json_text(kind.value) for kind in (t.DocumentHighlightKind.Read, t.DocumentHighlightKind.Write)
)
_KINDS = {
    OccurrenceKind.READS: _READS,
    OccurrenceKind.WRITES: _WRITES,
    OccurrenceKind.READS_AND_WRITES: _WRITES,
    OccurrenceKind.DEFINES: _WRITES,
    OccurrenceKind.NAMES: _READS,
    OccurrenceKind.TARGETS_BY_DISTANCE: _READS,
}


def definition(session: LspSession, params: t.DefinitionParams) -> Json | list[Json] | None:
    """Return the definition at a position: a `LocationLink` where supported, else a location."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset = view.coordinates.offset(params.position)
    found = navigation.definitions(session.readings(uri), offset)
    links = []
    for origin, name, full_span, path in found:
        place = (uri, view.coordinates) if path == MAIN else session.place_in(path)
        if place is None:
            continue
        target, coordinates = place
        selected = coordinates.range(name)
        link = {
            "originSelectionRange": view.coordinates.range(origin),
            "targetUri": target,
            "targetRange": coordinates.range(full_span),
            "targetSelectionRange": selected,
        }
        location = {"uri": target, "range": selected}
        links.append(link if session.client.definition_links else location)
    if not found:
        return None
    is_here = found[0].path == MAIN
    is_one = is_here and len(links) == 1
    return links[0] if is_one and not session.client.definition_links else links


def references(
    session: LspSession, params: t.ReferenceParams
) -> Generator[None, None, EncodedJson | None]:
    """Return the locations of all occurrences of the symbol at a position, in all files."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset = view.coordinates.offset(params.position)
    readings = session.readings(uri)
    name = name_of_several_files(readings, offset)
    if name is not None:
        return (yield from _of_name(session, readings, name, params.context.include_declaration))
    found = navigation.references(view.analysis, offset, params.context.include_declaration)
    address, range_of = json_text(uri), view.coordinates.encoded_range
    return _array(f'{{"uri":{address},"range":{range_of(span)}}}' for span in found)


def document_highlight(
    session: LspSession, params: t.DocumentHighlightParams
) -> EncodedJson | None:
    """Return the occurrences in the document, each as a read or a write."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    found = navigation.highlights(view.analysis, view.coordinates.offset(params.position))
    range_of = view.coordinates.encoded_range
    return _array(f'{{"range":{range_of(span)},"kind":{_KINDS[kind]}}}' for span, kind in found)


def _of_name(
    session: LspSession, readings: list[FileReading], name: HeaderName, with_definition: bool
) -> Generator[None, None, EncodedJson | None]:
    locations: dict[str, None] = {}
    for wanted in name.definitions:
        for found in _occurrences_everywhere(session, readings, wanted):
            if found is None:
                yield
                continue
            place = session.place_in(found.path) if with_definition or not found.defines else None
            if place is not None:
                uri, coordinates = place
                range_ = coordinates.encoded_range(found.span)
                locations[f'{{"uri":{json_text(uri)},"range":{range_}}}'] = None
    return _array(locations)


def _array(items: Iterable[str]) -> EncodedJson | None:
    """Join JSON texts to an array, None if empty. A register may have thousands of occurrences."""
    written = list(items)
    return json_array(written) if written else None


def document_links(session: LspSession, params: t.DocumentLinkParams) -> list[Json] | None:
    """Return a link for each include whose file is found."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    range_ = view.coordinates.range
    return [
        {"range": range_(link.span), "target": target}
        for link in navigation.document_links(view.analysis)
        if (target := uri_of(link.path)) is not None
    ]


def prepare_rename(session: LspSession, params: t.PrepareRenameParams) -> Json | None:
    """Return the range and name of the label or macro at a position.

    Raises `JsonRpcException` (`RequestFailed`) if it cannot be renamed.
    """
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset, readings = view.coordinates.offset(params.position), session.readings(uri)
    name = name_of_several_files(readings, offset)
    try:
        if name is not None:
            _check_renameable(session, readings[0], name)
            return {"range": view.coordinates.range(name.span), "placeholder": name.name}
        found = navigation.prepare_rename(view.analysis, offset)
    except RenameError as error:
        raise _refusal(error) from error
    return {"range": view.coordinates.range(found.span), "placeholder": found.name}


def rename(session: LspSession, params: t.RenameParams) -> Generator[None, None, Json | None]:
    """Return the edits that rename the label or macro at a position, in all files that use it.

    Raises `JsonRpcException` (`RequestFailed`) if it cannot have the new name.
    """
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset, readings = view.coordinates.offset(params.position), session.readings(uri)
    name = name_of_several_files(readings, offset)
    try:
        if name is not None:
            return (yield from _rename_everywhere(session, readings, name, params.new_name))
        edits = navigation.rename(view.analysis, offset, params.new_name)
    except RenameError as error:
        raise _refusal(error) from error
    return workspace_edit(
        session.documents[uri],
        [view.coordinates.edit(edit) for edit in edits],
        versioned=session.client.document_changes,
    )


def _refusal(error: RenameError) -> JsonRpcException:
    return JsonRpcException(str(error), t.LSPErrorCodes.RequestFailed.value)


def _check_renameable(session: LspSession, reading: FileReading, name: HeaderName) -> None:
    """Raise `RenameError` for a name that cannot be renamed at all."""
    name.check_renameable(reading)
    for each in name.definitions:
        _check_editable(session, each.file.path, f"defines {quoted(name.name)}")


def _check_editable(session: LspSession, path: str, use: str) -> None:
    """Raise `RenameError` for a file outside of the workspace, whose use of a name is `use`."""
    if session.workspace.folder_of(path) is None and not session.is_open(path):
        raise RenameError(f"{_shown(path)} is outside of the workspace and {use}")


def _rename_everywhere(
    session: LspSession, readings: list[FileReading], name: HeaderName, new: str
) -> Generator[None, None, Json]:
    """Return the edits that rename a name in all files; raise `RenameError` if that is unsafe."""
    _check_renameable(session, readings[0], name)
    name.check_new_name(readings[0], new)
    found = []
    for wanted in name.definitions:
        for occurrence in _occurrences_everywhere(session, readings, wanted):
            if occurrence is None:
                yield
            else:
                found.append(occurrence)
    edits = edits_by_file(found, new)
    files = {path: file for path in edits if (file := session.headers.read(path)) is not None}
    for path in edits:
        _check_editable(session, path, f"uses {quoted(name.name)}")
    edited = {path: apply_edits(files[path].text, changes) for path, changes in edits.items()}
    yield from _check_meaning(session, readings[0], name, new, edited)
    return workspace_edit_of_files(
        _converted(session, edits), versioned=session.client.document_changes
    )


def _check_meaning(
    session: LspSession, reading: FileReading, name: HeaderName, new: str, edited: dict[str, str]
) -> Generator[None, None, None]:
    """Raise `RenameError` if a file has the new name already, or its expansion changes."""
    readers = dict.fromkeys((*edited, reading.analysis.source.path))
    for definition in name.definitions:
        for path in _readers_of(session, definition.file.path, [new], TimeSlice()):
            if path is None:
                yield
            else:
                readers[path] = None
    for path in readers:
        file = session.headers.read(path)
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


def _view(session: LspSession, path: str) -> View | None:
    document = session.headers.document(path) or session.file(path)
    return None if document is None else session.view_of(document)


def _occurrences_everywhere(
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
    for path in _readers_of(session, wanted.file.path, [name], TimeSlice()):
        place = None if path is None else session.place_in(path)
        if path is None or place is None:
            yield None
        elif path not in seen:
            seen.add(path)
            text = place[1].text
            for span in code_words(readings[0].analysis.isa, text, name):
                yield FileOccurrence(path, span, False)


def _readers_of(
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
