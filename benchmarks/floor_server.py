"""A language server that does nothing: what pygls itself costs.

It keeps documents as pygls does and answers every change with the same finding. Run it as a
script; it speaks over standard input and output.
"""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("floor", "1")

FINDING = types.Diagnostic(
    range=types.Range(types.Position(0, 0), types.Position(0, 1)), message="nothing was looked at"
)


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(params: types.DidOpenTextDocumentParams) -> None:
    """Publish for a document that was opened."""
    _publish(params.text_document.uri, params.text_document.version)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(params: types.DidChangeTextDocumentParams) -> None:
    """Publish for a document after pygls has applied its changes."""
    _publish(params.text_document.uri, params.text_document.version)


for _method in (
    types.TEXT_DOCUMENT_HOVER,
    types.TEXT_DOCUMENT_COMPLETION,
    types.TEXT_DOCUMENT_SIGNATURE_HELP,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,
    types.TEXT_DOCUMENT_FORMATTING,
):
    server.feature(_method)(lambda _params: None)


def _no_word() -> types.SemanticTokens:
    """No colours."""
    return types.SemanticTokens(data=[], result_id="1")


_LEGEND = types.SemanticTokensLegend([], [])
server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _LEGEND)(lambda _params: _no_word())
server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA)(lambda _params: _no_word())


def _publish(uri: str, version: int) -> None:
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=[FINDING])
    )


if __name__ == "__main__":
    server.start_io()
