"""`ipu/listing` and `workspace/textDocumentContent`: addresses, words and source side by side."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from lsprotocol import types as t

from ipu_asm.assembler.encode import encode_without_errors
from ipu_asm.ide import listing as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.custom import DocumentParams
from ipu_lsp.server.session import LspSession, View

SCHEME = "ipu-listing"
OPTIONS = t.TextDocumentContentRegistrationOptions(schemes=[SCHEME])


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


def text_document_content(session: LspSession, params: t.TextDocumentContentParams) -> Json:
    """Return the listing for a URI such as `ipu-listing:/kernel.lst?file%3A%2F%2F...`.

    The client is asked to refresh it once when the source changes.
    """
    source = source_of(session, params.uri)
    view = None if source is None else session.view(source)
    if source is None or view is None:
        return {"text": "# the program of this listing is not open\n"}
    session.listings.add(source, params.uri)
    return {"text": _found(view).text}


def source_of(session: LspSession, uri: str) -> str | None:
    """Return the URI of the open document that the query of a listing's URI names, if any."""
    try:
        query = unquote(urlsplit(uri).query)
    except ValueError:
        return None
    if query in session.documents:
        return query
    # Clients percent-encode URIs differently.
    return next((known for known in session.documents if unquote(known) == unquote(query)), None)


def _found(view: View) -> ide.Listing:
    return ide.listing(view.analysis, encode_without_errors(ide.listed_program(view.analysis)))
