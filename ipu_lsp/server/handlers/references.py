"""Occurrences of a label or register: `textDocument/references` and `documentHighlight`."""

from __future__ import annotations

from typing import Generator, Iterable

from lsprotocol import types as t

from ipu_asm.ide import references as ide
from ipu_asm.ide.names.lookup import FileReading, FoundName, name_of_several_files
from ipu_asm.ide.occurrences import OccurrenceKind
from ipu_lsp.server.file_names import occurrences_everywhere
from ipu_lsp.server.messages import EncodedJson, json_array, json_text
from ipu_lsp.server.session import LspSession

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
    found = ide.references(view.analysis, offset, params.context.include_declaration)
    address, range_of = json_text(uri), view.coordinates.encoded_range
    return _array(f'{{"uri":{address},"range":{range_of(span)}}}' for span in found)


def document_highlight(
    session: LspSession, params: t.DocumentHighlightParams
) -> EncodedJson | None:
    """Return the occurrences in the document, each as a read or a write."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    found = ide.highlights(view.analysis, view.coordinates.offset(params.position))
    range_of = view.coordinates.encoded_range
    return _array(f'{{"range":{range_of(span)},"kind":{_KINDS[kind]}}}' for span, kind in found)


def _of_name(
    session: LspSession, readings: list[FileReading], name: FoundName, with_definition: bool
) -> Generator[None, None, EncodedJson | None]:
    locations: dict[str, None] = {}
    for wanted in name.definitions:
        for found in occurrences_everywhere(session, readings, wanted):
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
