"""`ipu/reference`: the instruction reference, opened at the instruction under the cursor."""

from __future__ import annotations

from ipu_asm.ide.syntax_element import instruction_at
from ipu_asm.reports.reference import anchor_of, reference_body, reference_title
from ipu_lsp.json_types import Json
from ipu_lsp.server.custom import DocumentParams
from ipu_lsp.server.session import LspSession


def reference(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the reference of a document's instruction set; None if it is not open."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    spec = None
    if params.position is not None:
        spec = instruction_at(view.analysis, view.coordinates.offset(params.position))
    isa = view.analysis.isa
    return {
        "isa": isa.name,
        "title": reference_title(isa),
        "mnemonic": spec and spec.mnemonic,
        "anchor": spec and anchor_of(isa, spec),
        "body": reference_body(isa),
    }
