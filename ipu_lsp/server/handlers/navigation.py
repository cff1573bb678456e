"""Definitions, references, highlights, links and renaming of the symbol at a position."""

from __future__ import annotations

from typing import Generator, Iterable

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

from ipu_asm.ide import navigation
from ipu_asm.ide.symbols.base import OccurrenceKind, RenameError
from ipu_asm.ide.symbols.header_names import FileReading, HeaderName, name_of_several_files
from ipu_asm.source.source_map import MAIN
from ipu_lsp.json_types import Json
from ipu_lsp.server.documents import workspace_edit
from ipu_lsp.server.messages import EncodedJson, json_array, json_text
from ipu_lsp.server.renaming import check_renameable, occurrences_everywhere, rename_everywhere
from ipu_lsp.server.session import LspSession
from ipu_lsp.server.workspace import uri_of

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
    return links[0] if is_here and not session.client.definition_links else links


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
            check_renameable(session, readings[0], name)
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
            return (yield from rename_everywhere(session, readings, name, params.new_name))
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
