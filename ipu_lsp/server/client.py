"""Capabilities of the client, read once from its `initialize` request.

They are read from plain JSON, so that unknown or malformed capabilities do not fail the request.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lsprotocol import types as t

from ipu_lsp.json_types import Json
from ipu_lsp.server import messages
from ipu_lsp.server.convert import Encoding

_FORMATS = (t.MarkupKind.Markdown.value, t.MarkupKind.PlainText.value)


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
    document_changes: bool = False
    gives_configuration: bool = False
    registers_configuration: bool = False
    registers_watched_files: bool = False
    shows_progress: bool = False

    @classmethod
    def of(cls, capabilities: Json) -> LanguageClient:
        """Return the capabilities of a client."""

        def has(path: str) -> bool:
            return _at(capabilities, path) is True

        def lists(path: str, wanted: object) -> bool:
            found = _at(capabilities, path)
            return isinstance(found, list) and wanted in found

        document, diagnostics = "textDocument.", "textDocument.publishDiagnostics."
        item = "textDocument.completion.completionItem."
        signature = "textDocument.signatureHelp.signatureInformation."
        pulls = isinstance(_at(capabilities, "textDocument.diagnostic"), dict)
        # A client may declare this for pulled diagnostics only.
        findings = (diagnostics, document + "diagnostic.")
        return cls(
            encoding=_encoding(_at(capabilities, "general.positionEncodings")),
            pulls_diagnostics=pulls,
            refreshes_diagnostics=has("workspace.diagnostics.refreshSupport"),
            refreshes_hints=has("workspace.inlayHint.refreshSupport"),
            refreshes_lenses=has("workspace.codeLens.refreshSupport"),
            refreshes_tokens=has("workspace.semanticTokens.refreshSupport"),
            shows_content=isinstance(_at(capabilities, "workspace.textDocumentContent"), dict),
            related_information=any(has(f"{place}relatedInformation") for place in findings),
            code_description=any(has(f"{place}codeDescriptionSupport") for place in findings),
            diagnostic_tags=tuple(
                tag.value
                for tag in t.DiagnosticTag
                if any(lists(f"{place}tagSupport.valueSet", tag) for place in findings)
            ),
            hover_markdown=_prefers_markdown(_at(capabilities, document + "hover.contentFormat")),
            completion_snippets=has(item + "snippetSupport"),
            completion_markdown=_prefers_markdown(_at(capabilities, item + "documentationFormat")),
            completion_tags=lists(item + "tagSupport.valueSet", t.CompletionItemTag.Deprecated),
            signature_markdown=_prefers_markdown(
                _at(capabilities, signature + "documentationFormat")
            ),
            signature_without_active=has(signature + "noActiveParameterSupport"),
            most_folds=_count(_at(capabilities, document + "foldingRange.rangeLimit")),
            definition_links=has(document + "definition.linkSupport"),
            nested_symbols=has(document + "documentSymbol.hierarchicalDocumentSymbolSupport"),
            code_action_literals=isinstance(
                _at(capabilities, document + "codeAction.codeActionLiteralSupport"), dict
            ),
            preferred_code_actions=has(document + "codeAction.isPreferredSupport"),
            disabled_code_actions=has(document + "codeAction.disabledSupport"),
            document_changes=has("workspace.workspaceEdit.documentChanges"),
            gives_configuration=has("workspace.configuration"),
            registers_configuration=has("workspace.didChangeConfiguration.dynamicRegistration"),
            registers_watched_files=has("workspace.didChangeWatchedFiles.dynamicRegistration"),
            shows_progress=has("window.workDoneProgress"),
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
