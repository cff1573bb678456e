"""Start and end of a session, its folders, and the documents that are open."""

from __future__ import annotations

import logging
from copy import copy
from typing import Any

from lsprotocol import types as t
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.feature_manager import FeatureManager

from ipu_asm import __version__
from ipu_lsp.command import watch_process
from ipu_lsp.server.client import LanguageClient, structured
from ipu_lsp.server.custom import READERS
from ipu_lsp.server.documents import Document
from ipu_lsp.server.handlers import configuration, diagnostics
from ipu_lsp.server.session import LspSession
from ipu_lsp.server.settings import unwrap_section
from ipu_lsp.transport import Json

log = logging.getLogger("ipu_lsp")
_TOO_LATE = (
    "%s: the changes of version %s arrived after those of version %s, too late to be put in order: "
    "the editor may show another text than the one that is checked; close the file and open it "
    "again"
)


def initialize(session: LspSession, params: Json) -> Json:
    """Read the client's capabilities and options; return the server's capabilities.

    Raises `JsonRpcInvalidRequest` on a second call and `JsonRpcInvalidParams` for capabilities
    that are not an object.
    """
    protocol = session.protocol
    if protocol.is_initialized:
        raise JsonRpcInvalidRequest("the server is initialized already")
    capabilities = params.get("capabilities", {})
    if not isinstance(capabilities, dict):
        raise JsonRpcInvalidParams("`capabilities` is an object")
    session.client = LanguageClient.of(capabilities)
    session.settings_files.encoding = session.client.encoding
    session.first_settings = unwrap_section(params.get("initializationOptions"))
    configuration.apply(session, session.first_settings)
    process_id = params.get("processId")
    if type(process_id) is int and process_id > 0:
        reason = f"process {process_id} has ended"
        watch_process(process_id, lambda: protocol.inbox.end(reason))
    session.workspace.add(_roots(params))
    ours = server_capabilities(protocol.fm, session.client, structured(capabilities))
    protocol.is_initialized = True
    return {"capabilities": ours, "serverInfo": {"name": "ipu-lsp", "version": __version__}}


def initialized(session: LspSession, _params: t.InitializedParams) -> None:
    """Send the requests that a client may only receive after `initialized`."""
    configuration.subscribe(session)
    if session.client.gives_configuration:
        session.publish_queue.await_settings()
    configuration.pull(session)
    session.settings_files.check_again(session.workspace.configuration_files())


def did_change_workspace_folders(
    session: LspSession, params: t.DidChangeWorkspaceFoldersParams
) -> None:
    """Update the workspace folders and check the configuration files at their top."""
    session.workspace.remove(folder.uri for folder in params.event.removed)
    session.workspace.add(folder.uri for folder in params.event.added)
    session.settings_files.check_again(session.workspace.configuration_files())
    session.refresh_diagnostics()


def shutdown(session: LspSession, _params: None) -> None:
    """Cancel pending requests; from now on only `exit` is accepted."""
    session.protocol.abandon()
    session.protocol.is_shut_down = True


def leave(session: LspSession, _params: None) -> None:
    """Set the exit status: 0 after a `shutdown` request, else 1."""
    session.protocol.abandon()
    session.exit_status = 0 if session.protocol.is_shut_down else 1


def _roots(params: Json) -> list[object]:
    """The URIs of the client's folders: `workspaceFolders`, or the older `rootUri`."""
    folders = params.get("workspaceFolders")
    if isinstance(folders, list) and folders:
        return [folder.get("uri") for folder in folders if isinstance(folder, dict)]
    return [params.get("rootUri")]


def server_capabilities(
    registry: FeatureManager, client: LanguageClient, declared: t.ClientCapabilities
) -> t.ServerCapabilities:
    """Return the capabilities for a client, derived from the registered features."""
    methods = set(registry.features)
    if not client.pulls_diagnostics:
        # Push only: a client that received both would show each finding twice.
        methods -= {t.TEXT_DOCUMENT_DIAGNOSTIC, t.WORKSPACE_DIAGNOSTIC}
    options: dict[str, Any] = registry.feature_options
    commands = list(options[t.WORKSPACE_EXECUTE_COMMAND].commands)
    builder: Any = ServerCapabilitiesBuilder(
        declared,
        methods,
        options,
        commands,
        t.TextDocumentSyncKind.Incremental,
        None,
        client.encoding.value,
    )
    capabilities: t.ServerCapabilities = builder.build()
    pulled = capabilities.diagnostic_provider
    if pulled is not None:
        # An edit of a header changes the findings of other documents. Clients that can be told so
        # need not ask about all documents after each edit of any.
        pulled = capabilities.diagnostic_provider = copy(pulled)
        pulled.inter_file_dependencies = not client.refreshes_diagnostics
    is_told = t.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS in methods
    folders = t.WorkspaceFoldersServerCapabilities(
        supported=True, change_notifications=is_told or None
    )
    content = options[t.WORKSPACE_TEXT_DOCUMENT_CONTENT] if client.shows_content else None
    capabilities.workspace = t.WorkspaceOptions(
        workspace_folders=folders, text_document_content=content
    )
    capabilities.experimental = {method: True for method in READERS if method in methods}
    return capabilities


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
        file = session.configuration_files.get(uri)
        document = file or session.documents.get(uri)
        if document is None:
            log.warning("ignored an edit of %s: it is not open", uri)
            return
        if not document.change(version, params["contentChanges"]):
            log.warning(_TOO_LATE, uri, version, document.version)
    except (KeyError, TypeError, AttributeError) as error:
        raise JsonRpcInvalidParams(f"invalid edit: {error!r}") from error
    if file is not None:
        return
    session.text_changed([uri])
    session.file_changed(document.key)


def did_save(session: LspSession, params: t.DidSaveTextDocumentParams) -> None:
    """Remember the saved text; reload configuration for clients that cannot watch files."""
    document = session.documents.get(params.text_document.uri)
    if document is not None:
        document.saved = document.text
    if not session.client.registers_watched_files:
        session.settings_changed()


def did_close(session: LspSession, params: t.DidCloseTextDocumentParams) -> None:
    """Remove a document and clear its diagnostics."""
    uri = params.text_document.uri
    if uri in session.documents:
        session.close(uri)
        diagnostics.withdraw(session, uri)
    session.configuration_files.pop(uri, None)
