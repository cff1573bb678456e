"""`textDocument/inlineValue`: values shown behind the lines while a debug session is stopped."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import inline_values as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.session import LspSession


def inline_values(session: LspSession, params: t.InlineValueParams) -> list[Json] | None:
    """Return the registers in a range, each as an expression that the debug adapter evaluates."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    coordinates = view.coordinates
    span = coordinates.span(params.range)
    stopped = coordinates.offset(params.context.stopped_location.start)
    return [
        {"range": coordinates.range(value.span), "expression": value.expression}
        for value in ide.inline_values(view.analysis, span, stopped)
    ]
