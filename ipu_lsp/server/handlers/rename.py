"""`textDocument/rename` and `prepareRename` of labels and macros."""

from __future__ import annotations

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

from ipu_asm.ide import rename as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.documents import workspace_edit
from ipu_lsp.server.session import LspSession

OPTIONS = t.RenameOptions(prepare_provider=True)


def prepare_rename(session: LspSession, params: t.PrepareRenameParams) -> Json | None:
    """Return the range and name of the label or macro at a position.

    Raises `JsonRpcException` (`RequestFailed`) if it cannot be renamed.
    """
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    try:
        found = ide.prepare_rename(view.analysis, view.coordinates.offset(params.position))
    except ide.RenameError as error:
        raise _refusal(error) from error
    return {"range": view.coordinates.range(found.span), "placeholder": found.name}


def rename(session: LspSession, params: t.RenameParams) -> Json | None:
    """Return the edits that rename the label or macro at a position.

    Raises `JsonRpcException` (`RequestFailed`) if it cannot have the new name.
    """
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset = view.coordinates.offset(params.position)
    try:
        edits = ide.rename(view.analysis, offset, params.new_name)
    except ide.RenameError as error:
        raise _refusal(error) from error
    return workspace_edit(
        session.documents[uri],
        [view.coordinates.edit(edit) for edit in edits],
        versioned=session.client.document_changes,
    )


def _refusal(error: ide.RenameError) -> JsonRpcException:
    return JsonRpcException(str(error), t.LSPErrorCodes.RequestFailed.value)
