"""`workspace/textDocumentContent`: listings, expansions and memory maps as documents."""

from __future__ import annotations

from typing import Callable, Mapping
from urllib.parse import unquote, urlsplit

from lsprotocol import types as t

from ipu_asm.ide.listing import ExpansionLine, expansion_view
from ipu_asm.source.source_map import MAIN
from ipu_lsp.json_types import Json
from ipu_lsp.server.custom import (
    EXPANSION_SCHEME,
    LISTING_SCHEME,
    MEMORY_MAP_SCHEME,
    ExpansionParams,
)
from ipu_lsp.server.handlers.listing import shown_listing
from ipu_lsp.server.handlers.memory_map import memory_map_of
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.workspace import uri_of

_MAKERS: Mapping[str, Callable[[LspSession, View], Json]] = {
    LISTING_SCHEME: shown_listing,
    EXPANSION_SCHEME: lambda _, view: expansion_of(view),
    MEMORY_MAP_SCHEME: lambda _, view: memory_map_of(view),
}


def text_document_content(session: LspSession, params: t.TextDocumentContentParams) -> Json:
    """Return the text of a URI such as `ipu-listing:/kernel.lst?file%3A%2F%2F...`.

    The client is asked to refresh it once when the source changes.
    """
    scheme, source = _parts(session, params.uri)
    view = None if source is None else session.view(source)
    if source is None or view is None:
        return {"text": f"# the program of this {scheme} is not open\n"}
    session.shown_texts.add(source, params.uri)
    make = _MAKERS.get(f"ipu-{scheme}", shown_listing)
    return {"text": make(session, view)["text"]}


def _parts(session: LspSession, uri: str) -> tuple[str, str | None]:
    """Return what a URI shows, and the URI of the open document that its query names, if any."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return "listing", None
    shows = parts.scheme.removeprefix("ipu-") or "listing"
    query = unquote(parts.query)
    if query in session.documents:
        return shows, query
    # Clients percent-encode URIs differently.
    return shows, next((known for known in session.documents if unquote(known) == query), None)


def expansion(session: LspSession, params: ExpansionParams) -> Json | None:
    """Return the expansion of a document; None for a document that is not open."""
    view = session.view(params.text_document.uri)
    return None if view is None else expansion_of(view, params.context)


def expansion_of(view: View, context: int = 0) -> Json:
    """Return the text of an expansion with the written place of each of its lines."""
    found = expansion_view(view.analysis, context)
    return {
        "text": found.text,
        "lines": [_line(line) for line in found.lines],
        "context": found.context,
        "contexts": list(found.contexts),
    }


def _line(line: ExpansionLine) -> Json:
    if line.path == MAIN:
        return {"line": line.line}
    return {"line": line.line, "uri": uri_of(line.path)}
