"""Hover and signature help: pages about the symbol or instruction at a position."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as t

from ipu_asm.ide import hover as ide_hover
from ipu_asm.ide import signature_help as ide_signature_help
from ipu_asm.ide.configuration_file import key_hover
from ipu_asm.ide.symbols.header_names import name_at
from ipu_lsp.json_types import Json
from ipu_lsp.server.convert import markup
from ipu_lsp.server.session import LspSession


def hover(session: LspSession, params: t.HoverParams) -> dict[str, Any] | None:
    """Return the documentation of the token at a position, with the token's range."""
    file = session.configuration_files.get(params.text_document.uri)
    if file is not None:
        page = key_hover(file.text, file.coordinates.offset(params.position))
        return page and {
            "contents": markup(page[0], session.client.hover_markdown),
            "range": file.coordinates.range(page[1]),
        }
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    offset = view.coordinates.offset(params.position)
    readings = session.readings(params.text_document.uri)
    found = ide_hover.hover_in_files(readings, offset)
    if found is None and (
        not session.is_foreign(params.text_document.uri) or name_at(readings, offset)
    ):
        found = ide_hover.hover(view.analysis, offset)
    if found is None:
        return None
    return {
        "contents": markup(found.markdown, session.client.hover_markdown),
        "range": view.coordinates.range(found.span),
    }


def signature_help(session: LspSession, params: t.SignatureHelpParams) -> Json | None:
    """Return the instruction's syntax lines, best match first, with the next operand active."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    found = ide_signature_help.signatures(view.analysis, view.coordinates.offset(params.position))
    if not found:
        return None
    first = found[0]
    # Clients without support for null take an index past the last parameter as no active one.
    return {
        "signatures": [_signature(session, signature) for signature in found],
        "activeSignature": 0,
        "activeParameter": len(first.parameters) if first.active is None else first.active,
    }


def _signature(session: LspSession, signature: ide_signature_help.Signature) -> Json:
    client = session.client
    active: int | None = signature.active
    if active is None and not client.signature_without_active:
        active = len(signature.parameters)
    return {
        "label": signature.label,
        "documentation": markup(signature.summary, client.signature_markdown),
        "parameters": [_parameter(session, parameter) for parameter in signature.parameters],
        "activeParameter": active,
    }


def _parameter(session: LspSession, parameter: ide_signature_help.SignatureParameter) -> Json:
    # Never offsets as labels: eglot of Emacs 30 drops the documentation of such signatures.
    return {
        "label": parameter.label,
        "documentation": markup(parameter.markdown, session.client.signature_markdown),
    }
