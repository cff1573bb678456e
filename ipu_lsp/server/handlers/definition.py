"""`textDocument/definition` of labels, distances, macros and includes."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import definition as ide
from ipu_asm.ide.names import definition as names
from ipu_lsp.json_types import Json
from ipu_lsp.server.session import LspSession, View


def definition(session: LspSession, params: t.DefinitionParams) -> Json | list[Json] | None:
    """Return the definition at a position: a `LocationLink` where supported, else a location."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    range_ = view.coordinates.range
    offset = view.coordinates.offset(params.position)
    elsewhere = names.definitions_elsewhere(session.readings(uri), offset)
    if elsewhere:
        return _elsewhere(session, view, elsewhere)
    found = ide.definition(view.analysis, offset)
    if found is None:
        return None
    if not session.client.definition_links:
        return {"uri": uri, "range": range_(found.name)}
    link = {
        "originSelectionRange": range_(found.origin),
        "targetUri": uri,
        "targetRange": range_(found.full_span),
        "targetSelectionRange": range_(found.name),
    }
    return [link]


def _elsewhere(session: LspSession, view: View, found: list[names.FileDefinition]) -> list[Json]:
    links = []
    for origin, path, name, full_span in found:
        place = session.place_in(path)
        if place is None:
            continue
        uri, coordinates = place
        link = {
            "originSelectionRange": view.coordinates.range(origin),
            "targetUri": uri,
            "targetRange": coordinates.range(full_span),
            "targetSelectionRange": coordinates.range(name),
        }
        location = {"uri": uri, "range": link["targetSelectionRange"]}
        links.append(link if session.client.definition_links else location)
    return links
