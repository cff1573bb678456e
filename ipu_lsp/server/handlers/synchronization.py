"""Notifications about the client's documents: opened, changed, saved, closed."""

from __future__ import annotations

import logging
from typing import Any

from lsprotocol import types as t
from pygls.exceptions import JsonRpcInvalidParams

from ipu_lsp.server.documents import Document
from ipu_lsp.server.handlers import diagnostics
from ipu_lsp.server.session import LspSession

log = logging.getLogger("ipu_lsp")

_TOO_LATE = (
    "%s: the changes of version %s arrived after those of version %s, too late to be put in order: "
    "the editor may show another text than the one that is checked; close the file and open it "
    "again"
)


def did_open(session: LspSession, params: t.DidOpenTextDocumentParams) -> None:
    """Add a document. Until it is closed, the client's text takes precedence over the file."""
    item = params.text_document
    encoding = session.client.encoding
    session.open(Document(item.uri, item.language_id, item.version, item.text, encoding))


def did_change(session: LspSession, params: dict[str, Any]) -> None:
    """Apply edits, given as plain JSON.

    Raises `JsonRpcInvalidParams` for malformed edits. Edits of closed documents are logged.
    """
    try:
        uri, version = params["textDocument"]["uri"], params["textDocument"].get("version")
        document = session.documents.get(uri)
        if document is None:
            log.warning("ignored an edit of %s: it is not open", uri)
            return
        if not document.change(version, params["contentChanges"]):
            log.warning(_TOO_LATE, uri, version, document.version)
    except (KeyError, TypeError, AttributeError) as error:
        raise JsonRpcInvalidParams(f"invalid edit: {error!r}") from error
    session.text_changed([uri])
    session.file_changed(document.key)


def did_save(session: LspSession, _params: t.DidSaveTextDocumentParams) -> None:
    """Reload configuration for clients that cannot watch files."""
    if not session.client.registers_watched_files:
        session.settings_changed()


def did_close(session: LspSession, params: t.DidCloseTextDocumentParams) -> None:
    """Remove a document and clear its diagnostics."""
    uri = params.text_document.uri
    if uri in session.documents:
        session.close(uri)
        diagnostics.withdraw(session, uri)
