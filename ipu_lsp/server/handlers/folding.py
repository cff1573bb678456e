"""`textDocument/foldingRange`."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import folding as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.session import LspSession

_KINDS = {ide.COMMENT: t.FoldingRangeKind.Comment, ide.REGION: t.FoldingRangeKind.Region}


def folding_ranges(session: LspSession, params: t.FoldingRangeParams) -> list[Json] | None:
    """Return the line ranges that fold, at most as many as the client's limit."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    folds = ide.folding(view.analysis)[: session.client.most_folds]
    return [
        {"startLine": fold.first, "endLine": fold.last, "kind": _KINDS[fold.kind].value}
        for fold in folds
    ]
