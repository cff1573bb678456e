"""What we tell the client that we can do: exactly what has a handler."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as t
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.feature_manager import FeatureManager

from ipu_lsp.server.client import Client


def server_capabilities(
    registry: FeatureManager, client: Client, declared: t.ClientCapabilities
) -> t.ServerCapabilities:
    """The capabilities that follow from the registered features, for one client."""
    methods = set(registry.features)
    if not client.pulls_diagnostics:
        # It gets its findings pushed; one that asked for them as well would show them twice.
        methods -= {t.TEXT_DOCUMENT_DIAGNOSTIC, t.WORKSPACE_DIAGNOSTIC}
    options: dict[str, Any] = registry.feature_options
    commands = list(registry.commands)
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
    if not commands:
        capabilities.execute_command_provider = None
    # One server is enough for any number of folders; that they change does not concern us.
    folders = t.WorkspaceFoldersServerCapabilities(supported=True)
    capabilities.workspace = t.WorkspaceOptions(workspace_folders=folders)
    return capabilities
