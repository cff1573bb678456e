"""`textDocument/selectionRange`."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import folding as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.session import LspSession


def selection_ranges(session: LspSession, params: t.SelectionRangeParams) -> list[Json] | None:
    """Return for each position the ranges around it, innermost first, each with its parent."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    found = []
    for position in params.positions:
        chain: Json = {}
        spans = ide.selection_ranges(view.analysis, view.coordinates.offset(position))
        for span in reversed(spans):
            chain = {
                "range": view.coordinates.range(span),
                **({"parent": chain} if chain else {}),
            }
        found.append(chain)
    return found
