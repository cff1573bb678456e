"""How a session begins and ends."""

from __future__ import annotations

from lsprotocol import types as t
from pygls.exceptions import JsonRpcInvalidParams, JsonRpcInvalidRequest

from ipu_asm import __version__
from ipu_lsp.json_types import Json
from ipu_lsp.server.capabilities import server_capabilities
from ipu_lsp.server.client import LanguageClient, structured
from ipu_lsp.server.handlers import configuration
from ipu_lsp.server.session import LspSession
from ipu_lsp.server.settings import section_of
from ipu_lsp.watchdog import watch_process


def initialize(session: LspSession, params: Json) -> Json:
    """Get to know the client, and tell it what we can do."""
    protocol = session.protocol
    if protocol.is_initialized:
        raise JsonRpcInvalidRequest("the server is initialized already")
    capabilities = params.get("capabilities", {})
    if not isinstance(capabilities, dict):
        raise JsonRpcInvalidParams("the capabilities of a client are an object")
    session.client = LanguageClient.of(capabilities)
    session.first_settings = section_of(params.get("initializationOptions"))
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
    """Ask for what only an initialized client answers."""
    configuration.subscribe(session)
    if session.client.gives_configuration:
        session.expect_settings()
    configuration.pull(session)
    configuration.look_for_mistakes(session, session.workspace.configuration_files())


def did_change_workspace_folders(
    session: LspSession, params: t.DidChangeWorkspaceFoldersParams
) -> None:
    """The client works in other folders now."""
    session.workspace.remove(folder.uri for folder in params.event.removed)
    session.workspace.add(folder.uri for folder in params.event.added)
    configuration.look_for_mistakes(session, session.workspace.configuration_files())
    session.refresh_diagnostics()


def shutdown(session: LspSession, _params: None) -> None:
    """Answer nothing more but `exit`."""
    session.protocol.abandon()
    session.protocol.is_shut_down = True


def leave(session: LspSession, _params: None) -> None:
    """End: well if the client has announced it, else not."""
    session.protocol.abandon()
    session.exit_status = 0 if session.protocol.is_shut_down else 1


def _roots(params: Json) -> list[object]:
    """The addresses of the folders that a client works in, in the newest words that it knows."""
    folders = params.get("workspaceFolders")
    if isinstance(folders, list) and folders:
        return [folder.get("uri") for folder in folders if isinstance(folder, dict)]
    return [params.get("rootUri")]
