"""`ipu/listing`: addresses, words and source side by side."""

from __future__ import annotations

from ipu_asm.assembler.encode import encode_without_errors
from ipu_asm.ide import listing as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.custom import DocumentParams
from ipu_lsp.server.session import LspSession, View


def listing(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the listing of a document, with the address and source line of each of its lines.

    None for a document that is not open.
    """
    view = session.view(params.text_document.uri)
    return None if view is None else listing_of(view)


def listing_of(view: View) -> Json:
    """Return the listing of a program, which may have errors."""
    found = _found(view)
    lines = [{"address": line.address, "line": line.line} for line in found.lines]
    return {"text": found.text, "lines": lines}


def _found(view: View) -> ide.Listing:
    return ide.listing(view.analysis, encode_without_errors(ide.listed_program(view.analysis)))
