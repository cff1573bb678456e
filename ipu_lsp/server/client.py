"""The client: messages to its user, and its capabilities, read once from `initialize`.

They are read from plain JSON, so that unknown or malformed capabilities do not fail the request.
"""

from __future__ import annotations

import logging
import os
from typing import Any

from lsprotocol import types as t

from ipu_asm.diagnostics.rendering import printable
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.server import messages
from ipu_lsp.server.convert import Encoding
from ipu_lsp.server.protocol import LspProtocol
from ipu_lsp.server.uris import uri_of
from ipu_lsp.transport import Json, plain

MAX_SHOWN_MESSAGES = 10
"""Maximum number of warnings in boxes between two changes of settings; the rest is logged."""


class UserWarnings:
    """Warnings about mistakes that the user can correct, each shown once."""

    def __init__(self, protocol: LspProtocol) -> None:
        self._protocol = protocol
        self._sent: set[str] = set()
        self._shown = 0

    def warn(self, message: str, path: str = "") -> None:
        """Show a warning that has not been shown; log it if there were too many.

        With a `path`, it has a button that opens that file.
        """
        if message in self._sent:
            return
        self._sent.add(message)
        method = (
            t.WINDOW_LOG_MESSAGE if self._shown >= MAX_SHOWN_MESSAGES else t.WINDOW_SHOW_MESSAGE
        )
        self._shown += 1
        params = {"type": t.MessageType.Warning.value, "message": plain(printable(message))}
        if not path or method == t.WINDOW_LOG_MESSAGE:
            self._protocol.notify(method, params)
            return
        action = {"title": f"Open {os.path.basename(path)}"}

        def show(chosen: object) -> None:
            if chosen == action:
                target = {"uri": uri_of(path), "takeFocus": True}
                self._protocol.ask(t.WINDOW_SHOW_DOCUMENT, target)

        asked = {**params, "actions": [action]}
        self._protocol.ask(t.WINDOW_SHOW_MESSAGE_REQUEST, asked, show)

    def settings_changed(self) -> None:
        """Show up to `MAX_SHOWN_MESSAGES` warnings again."""
        self._shown = 0


class ClientLog(logging.Handler):
    """Sends warnings and errors of the server to the client's log.

    Never to a message box: the user has made no mistake.
    """

    def __init__(self, protocol: LspProtocol) -> None:
        super().__init__(logging.WARNING)
        self._protocol = protocol

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record, once the client is initialized."""
        if not self._protocol.is_initialized:
            return
        is_error = record.levelno >= logging.ERROR
        kind = t.MessageType.Error if is_error else t.MessageType.Warning
        params = {"type": kind.value, "message": plain(self.format(record))}
        self._protocol.notify(t.WINDOW_LOG_MESSAGE, params)


_FORMATS = (t.MarkupKind.Markdown.value, t.MarkupKind.PlainText.value)
# A client may declare what it does with findings for those that it pulls only.
_FINDINGS = ("textDocument.publishDiagnostics", "textDocument.diagnostic")
_ITEM = "textDocument.completion.completionItem"
_REGISTERED = {
    "registers_headers": ("synchronization", "hover", "definition", "references", "rename"),
    "registers_keys": ("synchronization", "hover", "completion"),
}
"""Capabilities that are there if some features can be registered for further files."""
_EDIT = "workspace.workspaceEdit"
_CODE_ACTION = "textDocument.codeAction"
_SIGNATURE = "textDocument.signatureHelp.signatureInformation"
_FLAGS = {
    "refreshes_diagnostics": "workspace.diagnostics.refreshSupport",
    "refreshes_hints": "workspace.inlayHint.refreshSupport",
    "refreshes_lenses": "workspace.codeLens.refreshSupport",
    "refreshes_tokens": "workspace.semanticTokens.refreshSupport",
    "completion_snippets": f"{_ITEM}.snippetSupport",
    "completion_label_details": f"{_ITEM}.labelDetailsSupport",
    "signature_without_active": f"{_SIGNATURE}.noActiveParameterSupport",
    "definition_links": "textDocument.definition.linkSupport",
    "nested_symbols": "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport",
    "preferred_code_actions": "textDocument.codeAction.isPreferredSupport",
    "disabled_code_actions": "textDocument.codeAction.disabledSupport",
    "document_changes": f"{_EDIT}.documentChanges",
    "gives_configuration": "workspace.configuration",
    "registers_configuration": "workspace.didChangeConfiguration.dynamicRegistration",
    "registers_watched_files": "workspace.didChangeWatchedFiles.dynamicRegistration",
    "shows_progress": "window.workDoneProgress",
    "opens_documents": "window.showDocument.support",
}
"""Capabilities that are true or absent."""

_OBJECTS = {
    "pulls_diagnostics": "textDocument.diagnostic",
    "shows_content": "workspace.textDocumentContent",
    "code_action_literals": "textDocument.codeAction.codeActionLiteralSupport",
}
"""Capabilities that are an object or absent."""

_FORMAT_LISTS = {
    "hover_markdown": "textDocument.hover.contentFormat",
    "completion_markdown": f"{_ITEM}.documentationFormat",
    "signature_markdown": f"{_SIGNATURE}.documentationFormat",
}
"""Lists of formats, the preferred one first."""


class LanguageClient(NamedTuple):
    """The capabilities of the client that affect our messages; by default it has none."""

    encoding: Encoding = Encoding.UTF_16
    pulls_diagnostics: bool = False
    refreshes_diagnostics: bool = False
    refreshes_hints: bool = False
    refreshes_lenses: bool = False
    refreshes_tokens: bool = False
    shows_content: bool = False
    related_information: bool = False
    code_description: bool = False
    diagnostic_tags: tuple[int, ...] = ()
    hover_markdown: bool = False
    completion_snippets: bool = False
    completion_label_details: bool = False
    completion_markdown: bool = False
    completion_tags: bool = False
    signature_markdown: bool = False
    signature_without_active: bool = False
    most_folds: int | None = None
    definition_links: bool = False
    nested_symbols: bool = False
    code_action_literals: bool = False
    preferred_code_actions: bool = False
    disabled_code_actions: bool = False
    resolves_edits: bool = False
    document_changes: bool = False
    creates_files: bool = False
    gives_configuration: bool = False
    registers_configuration: bool = False
    registers_watched_files: bool = False
    registers_headers: bool = False
    registers_keys: bool = False
    shows_progress: bool = False
    opens_documents: bool = False

    @classmethod
    def of(cls, capabilities: Json) -> LanguageClient:
        def at(path: str) -> Any:
            return _at(capabilities, path)

        return cls(
            encoding=_encoding(at("general.positionEncodings")),
            most_folds=_count(at("textDocument.foldingRange.rangeLimit")),
            related_information=any(
                at(f"{place}.relatedInformation") is True for place in _FINDINGS
            ),
            code_description=any(
                at(f"{place}.codeDescriptionSupport") is True for place in _FINDINGS
            ),
            diagnostic_tags=tuple(
                tag.value
                for tag in t.DiagnosticTag
                if any(_lists(at(f"{place}.tagSupport.valueSet"), tag) for place in _FINDINGS)
            ),
            creates_files=at(f"{_EDIT}.documentChanges") is True
            and _lists(at(f"{_EDIT}.resourceOperations"), t.ResourceOperationKind.Create),
            resolves_edits=at(f"{_CODE_ACTION}.dataSupport") is True
            and _lists(at(f"{_CODE_ACTION}.resolveSupport.properties"), "edit"),
            **{
                name: all(at(f"textDocument.{each}.dynamicRegistration") is True for each in needed)
                for name, needed in _REGISTERED.items()
            },
            completion_tags=_lists(
                at(f"{_ITEM}.tagSupport.valueSet"), t.CompletionItemTag.Deprecated
            ),
            **{name: at(path) is True for name, path in _FLAGS.items()},
            **{name: isinstance(at(path), dict) for name, path in _OBJECTS.items()},
            **{name: _prefers_markdown(at(path)) for name, path in _FORMAT_LISTS.items()},
        )


def structured(capabilities: Json) -> t.ClientCapabilities:
    """Convert the capabilities to the protocol's types; all are dropped if one is malformed."""
    try:
        typed: t.ClientCapabilities = messages.converter().structure(
            capabilities, t.ClientCapabilities
        )
    except Exception:
        return t.ClientCapabilities()
    return typed


def _at(capabilities: Json, path: str) -> Any:
    found: Any = capabilities
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _lists(values: object, wanted: object) -> bool:
    return isinstance(values, list) and wanted in values


def _count(number: object) -> int | None:
    return number if type(number) is int and number > 0 else None


def _prefers_markdown(formats: object) -> bool:
    """Return whether Markdown is the first known format."""
    known = [f for f in formats if f in _FORMATS] if isinstance(formats, list) else []
    return known[:1] == [_FORMATS[0]]


def _encoding(offered: object) -> Encoding:
    """Return the client's first choice among the supported encodings."""
    known = [encoding.value for encoding in Encoding]
    for name in offered if isinstance(offered, list) else ():
        if name in known:
            return Encoding(name)
    return Encoding.UTF_16
