"""The table of all methods that the server handles.

A new feature is a function in `ipu_asm/ide` that computes the result, one in a module of `handlers`
that encodes it, and a row here. The advertised capabilities are derived from the rows.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from lsprotocol import types as t

from ipu_asm.ide.kinds import CODE_ACTION_KINDS, ON_TYPE
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.server import handlers
from ipu_lsp.server.custom import (
    COMMANDS,
    DISASSEMBLY,
    EXPANSION,
    LISTING,
    MEMORY_MAP,
    REFERENCE,
    RUN_INPUTS,
    RUN_TOTALS,
    SCHEMES,
    SLOT_GRID,
)
from ipu_lsp.server.handlers import semantic_tokens
from ipu_lsp.server.settings_files import SOURCE


class Feature(NamedTuple):
    """A method of the protocol, the name of its handler, and the options that are advertised.

    The handler is a function ``(session, params) -> result`` in a module of `handlers`, written
    `module.function`. The module is loaded when the method is first called, so that a server that
    starts waits for none of them.
    """

    method: str
    handler: str
    options: Any = None

    @property
    def module(self) -> str:
        """The full name of the handler's module."""
        return f"{handlers.__name__}.{self.handler.partition('.')[0]}"

    def load(self) -> Callable[..., Any]:
        """Return the handler, after loading its module if need be."""
        handler: Callable[..., Any] = getattr(
            import_module(self.module), self.handler.partition(".")[2]
        )
        return handler


FEATURES = (
    Feature(t.INITIALIZE, "lifecycle.initialize"),
    Feature(t.INITIALIZED, "lifecycle.initialized"),
    Feature(t.SHUTDOWN, "lifecycle.shutdown"),
    Feature(t.EXIT, "lifecycle.leave"),
    Feature(t.TEXT_DOCUMENT_DID_OPEN, "lifecycle.did_open"),
    Feature(t.TEXT_DOCUMENT_DID_CHANGE, "lifecycle.did_change"),
    Feature(t.TEXT_DOCUMENT_DID_CLOSE, "lifecycle.did_close"),
    Feature(t.TEXT_DOCUMENT_DID_SAVE, "lifecycle.did_save", t.SaveOptions(include_text=False)),
    Feature(t.WORKSPACE_DID_CHANGE_CONFIGURATION, "configuration.did_change_configuration"),
    Feature(t.WORKSPACE_DID_CHANGE_WATCHED_FILES, "configuration.did_change_watched_files"),
    Feature(t.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, "lifecycle.did_change_workspace_folders"),
    Feature(
        t.TEXT_DOCUMENT_DIAGNOSTIC,
        "diagnostics.of_document",
        t.DiagnosticOptions(
            identifier=SOURCE,
            inter_file_dependencies=False,
            workspace_diagnostics=True,
            work_done_progress=True,
        ),
    ),
    Feature(t.WORKSPACE_DIAGNOSTIC, "diagnostics.of_workspace"),
    Feature(t.TEXT_DOCUMENT_HOVER, "hover.hover"),
    Feature(
        t.TEXT_DOCUMENT_COMPLETION,
        "completion.completions",
        t.CompletionOptions(trigger_characters=[" ", ".", "[", "#", "$"], resolve_provider=True),
    ),
    Feature(t.COMPLETION_ITEM_RESOLVE, "completion.resolve"),
    Feature(t.TEXT_DOCUMENT_DEFINITION, "navigation.definition"),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_LINK, "navigation.document_links", t.DocumentLinkOptions()),
    Feature(t.TEXT_DOCUMENT_REFERENCES, "navigation.references"),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, "navigation.document_highlight"),
    Feature(t.TEXT_DOCUMENT_PREPARE_RENAME, "navigation.prepare_rename"),
    Feature(t.TEXT_DOCUMENT_RENAME, "navigation.rename", t.RenameOptions(prepare_provider=True)),
    Feature(
        t.TEXT_DOCUMENT_SIGNATURE_HELP,
        "hover.signature_help",
        t.SignatureHelpOptions(trigger_characters=[" ", ",", "("], retrigger_characters=[" ", ","]),
    ),
    Feature(t.TEXT_DOCUMENT_FOLDING_RANGE, "structure.folding_ranges"),
    Feature(t.TEXT_DOCUMENT_SELECTION_RANGE, "structure.selection_ranges"),
    Feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, "semantic_tokens.full", semantic_tokens.legend()),
    Feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, "semantic_tokens.delta"),
    Feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, "semantic_tokens.in_range"),
    Feature(t.TEXT_DOCUMENT_FORMATTING, "formatting.formatting"),
    Feature(
        t.TEXT_DOCUMENT_RANGE_FORMATTING,
        "formatting.range_formatting",
        t.DocumentRangeFormattingOptions(ranges_support=True),
    ),
    Feature(t.TEXT_DOCUMENT_RANGES_FORMATTING, "formatting.ranges_formatting"),
    Feature(
        t.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        "formatting.on_type_formatting",
        t.DocumentOnTypeFormattingOptions(ON_TYPE[0], list(ON_TYPE[1:])),
    ),
    Feature(
        t.TEXT_DOCUMENT_INLAY_HINT, "hints.inlay_hints", t.InlayHintOptions(resolve_provider=False)
    ),
    Feature(t.TEXT_DOCUMENT_INLINE_VALUE, "hints.inline_values"),
    Feature(
        t.TEXT_DOCUMENT_CODE_LENS, "hints.code_lenses", t.CodeLensOptions(resolve_provider=False)
    ),
    Feature(t.TEXT_DOCUMENT_DOCUMENT_SYMBOL, "structure.document_symbols"),
    Feature(t.WORKSPACE_SYMBOL, "structure.workspace_symbols"),
    Feature(
        t.TEXT_DOCUMENT_CODE_ACTION,
        "code_actions.code_actions",
        t.CodeActionOptions(list(CODE_ACTION_KINDS), resolve_provider=True),
    ),
    Feature(t.CODE_ACTION_RESOLVE, "code_actions.resolve"),
    Feature(
        t.WORKSPACE_EXECUTE_COMMAND,
        "commands.execute",
        t.ExecuteCommandRegistrationOptions(list(COMMANDS)),
    ),
    Feature(
        t.WORKSPACE_TEXT_DOCUMENT_CONTENT,
        "views.text_document_content",
        t.TextDocumentContentRegistrationOptions(list(SCHEMES)),
    ),
    Feature(LISTING, "views.listing"),
    Feature(EXPANSION, "views.expansion"),
    Feature(SLOT_GRID, "views.slot_grid"),
    Feature(REFERENCE, "views.reference"),
    Feature(MEMORY_MAP, "views.memory_map"),
    Feature(RUN_TOTALS, "views.run_totals"),
    Feature(RUN_INPUTS, "views.run_inputs"),
    Feature(DISASSEMBLY, "views.disassembly"),
)
