"""`ipu/expansion`: what the assembler reads of a file, and where each line was written."""

from __future__ import annotations

from ipu_asm.ide.expansion_view import ExpansionLine, expansion_view
from ipu_asm.source.source_map import MAIN
from ipu_lsp.json_types import Json
from ipu_lsp.server.custom import ExpansionParams
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.workspace import uri_of


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
