"""`textDocument/codeLens`: lines above labels, limited to the families that the settings enable."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import code_lens as ide
from ipu_lsp.json_types import Json
from ipu_lsp.plain_text import plain
from ipu_lsp.server.session import LspSession


def code_lenses(session: LspSession, params: t.CodeLensParams) -> list[Json] | None:
    """Return the lenses of a document. They are text only: their commands are empty."""
    families = session.projects.settings.code_lenses
    view = session.view(params.text_document.uri)
    if view is None or not families:
        return None
    return [
        {
            "range": view.coordinates.range(lens.span),
            "command": {"title": plain(lens.text), "command": ""},
        }
        for lens in ide.code_lenses(view.analysis, families)
    ]
