"""`textDocument/definition` of labels, distances and macros."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import definition as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.session import LspSession


def definition(session: LspSession, params: t.DefinitionParams) -> Json | list[Json] | None:
    """Return the definition at a position: a `LocationLink` where supported, else a location."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    range_ = view.coordinates.range
    found = ide.definition(view.analysis, view.coordinates.offset(params.position))
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
