"""The outline of a document."""

from __future__ import annotations

from typing import Any, Iterator

from lsprotocol import types as t

from ipu_asm.ide import symbols as ide
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.session import Session

Json = dict[str, Any]

_KINDS = {ide.LABEL: t.SymbolKind.Function}


def document_symbols(session: Session, params: t.DocumentSymbolParams) -> list[Json] | None:
    """The document's symbols: a tree, or a list for clients that do not know trees."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    found = ide.symbols(view.analysis)
    if session.client.nested_symbols:
        return [_nested(symbol, view.coordinates) for symbol in found]
    return [entry for symbol in found for entry in _flat(symbol, None, uri, view.coordinates)]


def _nested(symbol: ide.Symbol, coordinates: Coordinates) -> Json:
    return {
        "name": symbol.name,
        "kind": _KINDS[symbol.kind].value,
        "detail": symbol.detail,
        "range": coordinates.range(symbol.span),
        "selectionRange": coordinates.range(symbol.name_span),
        "children": [_nested(child, coordinates) for child in symbol.children],
    }


def _flat(
    symbol: ide.Symbol, parent: str | None, uri: str, coordinates: Coordinates
) -> Iterator[Json]:
    entry: Json = {
        "name": symbol.name,
        "kind": _KINDS[symbol.kind].value,
        "location": {"uri": uri, "range": coordinates.range(symbol.span)},
    }
    if parent is not None:
        entry["containerName"] = parent
    yield entry
    for child in symbol.children:
        yield from _flat(child, symbol.name, uri, coordinates)
