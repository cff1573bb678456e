"""`ipu/listing`: addresses, words and source side by side."""

from __future__ import annotations

from ipu_asm.assembler.encode import encode_without_errors
from ipu_asm.ide import listing as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.custom import DocumentParams
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.settings import NO_WORDS


def listing(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the listing of a document, with the address and source line of each of its lines.

    None for a document that is not open.
    """
    view = session.view(params.text_document.uri)
    return None if view is None else shown_listing(session, view)


def shown_listing(session: LspSession, view: View) -> Json:
    """Return the listing of a program as the setting `ipu.listing.words` wants it."""
    return listing_of(view, has_words=session.projects.settings.listing_words != NO_WORDS)


def listing_of(view: View, *, has_words: bool = True) -> Json:
    """Return the listing of a program, which may have errors."""
    found = _found(view, has_words)
    lines = [{"address": line.address, "line": line.line} for line in found.lines]
    return {"text": found.text, "lines": lines}


def _found(view: View, has_words: bool) -> ide.Listing:
    words = encode_without_errors(ide.listed_program(view.analysis))
    return ide.listing(view.analysis, words, has_words=has_words)
