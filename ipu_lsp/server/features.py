"""The server as one table: what it answers and hears, and who does it.

A new feature is a module in `ipu_asm/ide` that knows the answer, a module of the same name in
`handlers` that turns it into the protocol's words, and a row here. What is advertised to clients
follows from the rows.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from lsprotocol import types as t

from ipu_lsp.server.handlers import (
    code_actions,
    completion,
    configuration,
    definition,
    diagnostics,
    hover,
    lifecycle,
    symbols,
    synchronization,
)


class Feature(NamedTuple):
    """A method of the protocol, its handler ``(session, params) -> answer``, and its options."""

    method: str
    handler: Callable[..., Any]
    options: Any = None


FEATURES = (
    Feature(t.INITIALIZE, lifecycle.initialize),
    Feature(t.INITIALIZED, lifecycle.initialized),
    Feature(t.SHUTDOWN, lifecycle.shutdown),
    Feature(t.EXIT, lifecycle.leave),
    Feature(t.TEXT_DOCUMENT_DID_OPEN, synchronization.did_open),
    Feature(t.TEXT_DOCUMENT_DID_CHANGE, synchronization.did_change),
    Feature(t.TEXT_DOCUMENT_DID_CLOSE, synchronization.did_close),
    Feature(t.TEXT_DOCUMENT_DID_SAVE, synchronization.did_save, t.SaveOptions(include_text=False)),
    Feature(t.WORKSPACE_DID_CHANGE_CONFIGURATION, configuration.did_change_configuration),
    Feature(t.WORKSPACE_DID_CHANGE_WATCHED_FILES, configuration.did_change_watched_files),
    Feature(t.TEXT_DOCUMENT_DIAGNOSTIC, diagnostics.of_document, diagnostics.OPTIONS),
    Feature(t.WORKSPACE_DIAGNOSTIC, diagnostics.of_workspace),
    Feature(t.TEXT_DOCUMENT_HOVER, hover.hover),
    Feature(t.TEXT_DOCUMENT_COMPLETION, completion.completions, completion.OPTIONS),
    Feature(t.COMPLETION_ITEM_RESOLVE, completion.resolve),
    Feature(t.TEXT_DOCUMENT_DEFINITION, definition.definition),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_SYMBOL, symbols.document_symbols),
    Feature(t.TEXT_DOCUMENT_CODE_ACTION, code_actions.code_actions, code_actions.OPTIONS),
)
