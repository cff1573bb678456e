"""Texts beside the source: inlay hints, code lenses, values of a debug session."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import hints
from ipu_lsp.json_types import Json
from ipu_lsp.plain_text import plain
from ipu_lsp.server.convert import markup
from ipu_lsp.server.session import LspSession


def inlay_hints(session: LspSession, params: t.InlayHintParams) -> list[Json] | None:
    """Return the hints in a range. No hints are `[]`: Neovim keeps the old ones on null."""
    families = session.projects.settings.inlay_hints
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    if not families:
        return []
    span = view.coordinates.span(params.range)
    return [
        {
            "position": view.coordinates.position(hint.offset),
            "label": hint.text.strip(),
            "tooltip": markup(hint.tooltip, session.client.hover_markdown),
            "paddingLeft": hint.text.startswith(" "),
        }
        for hint in hints.inlay_hints(view.analysis, span, families)
    ]


def code_lenses(session: LspSession, params: t.CodeLensParams) -> list[Json] | None:
    """Return the lenses of a document. They are text only: their commands are empty."""
    families = session.projects.settings.code_lenses
    view = session.view(params.text_document.uri)
    if view is None or not families:
        return None
    return [
        {
            "range": view.coordinates.range(lens.span),
            "command": {"title": plain(lens.text), "command": ""},
        }
        for lens in hints.code_lenses(view.analysis, families)
    ]


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
        for value in hints.inline_values(view.analysis, span, stopped)
    ]
