"""`textDocument/documentLink`: the files that includes name."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import definition as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.session import LspSession
from ipu_lsp.server.workspace import uri_of


def document_links(session: LspSession, params: t.DocumentLinkParams) -> list[Json] | None:
    """Return a link for each include whose file is found."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    range_ = view.coordinates.range
    return [
        {"range": range_(link.span), "target": target}
        for link in ide.document_links(view.analysis)
        if (target := uri_of(link.path)) is not None
    ]
