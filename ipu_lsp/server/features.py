"""The table of all methods that the server handles.

A new feature is a module in `ipu_asm/ide` that computes the result, a module of the same name in
`handlers` that encodes it, and a row here. The advertised capabilities are derived from the rows.
"""

from __future__ import annotations

from typing import Any, Callable

from lsprotocol import types as t

from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.server.custom import (
    EXPANSION,
    LISTING,
    MEMORY_MAP,
    REFERENCE,
    RUN_INPUTS,
    RUN_TOTALS,
    SLOT_GRID,
)
from ipu_lsp.server.handlers import (
    code_actions,
    code_lens,
    commands,
    completion,
    configuration,
    content,
    definition,
    diagnostics,
    document_links,
    expansion_view,
    folding,
    formatting,
    hover,
    inlay_hints,
    inline_values,
    lifecycle,
    listing,
    memory_map,
    reference,
    references,
    rename,
    run_inputs,
    run_totals,
    selection_range,
    semantic_tokens,
    signature_help,
    slot_grid,
    symbols,
    synchronization,
)


class Feature(NamedTuple):
    """A method of the protocol, its handler ``(session, params) -> result``, and its options."""

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
    Feature(t.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, lifecycle.did_change_workspace_folders),
    Feature(t.TEXT_DOCUMENT_DIAGNOSTIC, diagnostics.of_document, diagnostics.OPTIONS),
    Feature(t.WORKSPACE_DIAGNOSTIC, diagnostics.of_workspace),
    Feature(t.TEXT_DOCUMENT_HOVER, hover.hover),
    Feature(t.TEXT_DOCUMENT_COMPLETION, completion.completions, completion.OPTIONS),
    Feature(t.COMPLETION_ITEM_RESOLVE, completion.resolve),
    Feature(t.TEXT_DOCUMENT_DEFINITION, definition.definition),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_LINK, document_links.document_links, document_links.OPTIONS),
    Feature(t.TEXT_DOCUMENT_REFERENCES, references.references),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, references.document_highlight),
    Feature(t.TEXT_DOCUMENT_PREPARE_RENAME, rename.prepare_rename),
    Feature(t.TEXT_DOCUMENT_RENAME, rename.rename, rename.OPTIONS),
    Feature(t.TEXT_DOCUMENT_SIGNATURE_HELP, signature_help.signature_help, signature_help.OPTIONS),
    Feature(t.TEXT_DOCUMENT_FOLDING_RANGE, folding.folding_ranges),
    Feature(t.TEXT_DOCUMENT_SELECTION_RANGE, selection_range.selection_ranges),
    Feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic_tokens.full, semantic_tokens.legend()),
    Feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, semantic_tokens.delta),
    Feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, semantic_tokens.in_range),
    Feature(t.TEXT_DOCUMENT_FORMATTING, formatting.formatting),
    Feature(
        t.TEXT_DOCUMENT_RANGE_FORMATTING, formatting.range_formatting, formatting.RANGE_OPTIONS
    ),
    Feature(t.TEXT_DOCUMENT_RANGES_FORMATTING, formatting.ranges_formatting),
    Feature(
        t.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        formatting.on_type_formatting,
        formatting.ON_TYPE_OPTIONS,
    ),
    Feature(t.TEXT_DOCUMENT_INLAY_HINT, inlay_hints.inlay_hints, inlay_hints.OPTIONS),
    Feature(t.TEXT_DOCUMENT_INLINE_VALUE, inline_values.inline_values),
    Feature(t.TEXT_DOCUMENT_CODE_LENS, code_lens.code_lenses, code_lens.OPTIONS),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_SYMBOL, symbols.document_symbols),
    Feature(t.WORKSPACE_SYMBOL, symbols.workspace_symbols),
    Feature(t.TEXT_DOCUMENT_CODE_ACTION, code_actions.code_actions, code_actions.OPTIONS),
    Feature(t.CODE_ACTION_RESOLVE, code_actions.resolve),
    Feature(t.WORKSPACE_EXECUTE_COMMAND, commands.execute, commands.OPTIONS),
    Feature(t.WORKSPACE_TEXT_DOCUMENT_CONTENT, content.text_document_content, content.OPTIONS),
    Feature(LISTING, listing.listing),
    Feature(EXPANSION, expansion_view.expansion),
    Feature(SLOT_GRID, slot_grid.slot_grid),
    Feature(REFERENCE, reference.reference),
    Feature(MEMORY_MAP, memory_map.memory_map),
    Feature(RUN_TOTALS, run_totals.run_totals),
    Feature(RUN_INPUTS, run_inputs.run_inputs),
)
