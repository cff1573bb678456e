"""Edits of documents, in the form that a client can take."""

from __future__ import annotations

from ipu_lsp.json_types import Json
from ipu_lsp.server.session import LspSession


def workspace_edit(session: LspSession, uri: str, edits: list[Json]) -> Json:
    """Edits of the version that we know, where the client can refuse them for a later one."""
    if not session.client.document_changes:
        return {"changes": {uri: edits}}
    document = {"uri": uri, "version": session.documents[uri].version}
    return {"documentChanges": [{"textDocument": document, "edits": edits}]}
