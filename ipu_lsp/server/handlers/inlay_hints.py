"""`textDocument/inlayHint`, limited to the families that the settings enable."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import inlay_hints as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.markup import markup
from ipu_lsp.server.session import LspSession


def inlay_hints(session: LspSession, params: t.InlayHintParams) -> list[Json] | None:
    """Return the hints in a range. No hints are `[]`: Neovim keeps the old ones on null."""
    families = session.projects.settings.inlay_hints
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    if not families:
        return []
    span = view.coordinates.span(params.range)
    return [
        {
            "position": view.coordinates.position(hint.offset),
            "label": hint.text.strip(),
            "tooltip": markup(hint.tooltip, session.client.hover_markdown),
            "paddingLeft": hint.text.startswith(" "),
        }
        for hint in ide.inlay_hints(view.analysis, span, families)
    ]
