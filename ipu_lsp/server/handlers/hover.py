"""`textDocument/hover`."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as t

from ipu_asm.ide import hover as ide
from ipu_asm.ide.names.lookup import name_at
from ipu_asm.ide.names.page import name_hover
from ipu_lsp.server.markup import markup
from ipu_lsp.server.session import LspSession


def hover(session: LspSession, params: t.HoverParams) -> dict[str, Any] | None:
    """Return the documentation of the token at a position, with the token's range."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    offset = view.coordinates.offset(params.position)
    readings = session.readings(params.text_document.uri)
    found = name_hover(readings, offset)
    if found is None and (
        not session.is_foreign(params.text_document.uri) or name_at(readings, offset)
    ):
        found = ide.hover(view.analysis, offset)
    if found is None:
        return None
    return {
        "contents": markup(found.markdown, session.client.hover_markdown),
        "range": view.coordinates.range(found.span),
    }
