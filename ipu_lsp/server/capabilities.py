"""Server capabilities, derived from the registered handlers."""

from __future__ import annotations

from copy import copy
from typing import Any

from lsprotocol import types as t
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.feature_manager import FeatureManager

from ipu_lsp.server.client import LanguageClient
from ipu_lsp.server.custom import READERS


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
