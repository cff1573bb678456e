"""`ipu/runTotals`: cycles and bundles of a program, for a status bar."""

from __future__ import annotations

from ipu_asm.ide import run_inputs as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.custom import DocumentParams
from ipu_lsp.server.session import LspSession


def run_totals(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the totals of a document; None for a document that is not open."""
    view = session.view(params.text_document.uri)
    return None if view is None else ide.run_totals(view.analysis.effective_program)._asdict()
