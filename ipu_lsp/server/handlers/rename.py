"""`textDocument/rename` and `prepareRename` of labels and macros."""

from __future__ import annotations

from typing import Generator

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

from ipu_asm.ide import rename as ide
from ipu_asm.ide.names.lookup import name_of_several_files
from ipu_lsp.json_types import Json
from ipu_lsp.server.documents import workspace_edit
from ipu_lsp.server.renaming import check_renameable, rename_everywhere
from ipu_lsp.server.session import LspSession


def prepare_rename(session: LspSession, params: t.PrepareRenameParams) -> Json | None:
    """Return the range and name of the label or macro at a position.

    Raises `JsonRpcException` (`RequestFailed`) if it cannot be renamed.
    """
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset, readings = view.coordinates.offset(params.position), session.readings(uri)
    name = name_of_several_files(readings, offset)
    try:
        if name is not None:
            check_renameable(session, readings[0], name)
            return {"range": view.coordinates.range(name.span), "placeholder": name.name}
        found = ide.prepare_rename(view.analysis, offset)
    except ide.RenameError as error:
        raise _refusal(error) from error
    return {"range": view.coordinates.range(found.span), "placeholder": found.name}


def rename(session: LspSession, params: t.RenameParams) -> Generator[None, None, Json | None]:
    """Return the edits that rename the label or macro at a position, in all files that use it.

    Raises `JsonRpcException` (`RequestFailed`) if it cannot have the new name.
    """
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset, readings = view.coordinates.offset(params.position), session.readings(uri)
    name = name_of_several_files(readings, offset)
    try:
        if name is not None:
            return (yield from rename_everywhere(session, readings, name, params.new_name))
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
