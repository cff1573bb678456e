"""The operands of the instruction that is being written."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as t

from ipu_asm.ide import signature_help as ide
from ipu_lsp.server.markup import markup
from ipu_lsp.server.session import Session

Json = dict[str, Any]

# One set of characters for all instruction sets: the server does not know yet which will be opened.
OPTIONS = t.SignatureHelpOptions(trigger_characters=[" ", ","], retrigger_characters=[" ", ","])


def signature_help(session: Session, params: t.SignatureHelpParams) -> Json | None:
    """The syntax line with the operand that is next."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    found = ide.signature_help(view.analysis, view.coordinates.offset(params.position))
    if found is None:
        return None
    client = session.client
    active: int | None = len(found.parameters) if found.active is None else found.active
    if found.active is None and client.signature_without_active:
        active = None
    signature: Json = {
        "label": found.label,
        "documentation": markup(found.summary, client.signature_markdown),
        "parameters": [_parameter(session, parameter) for parameter in found.parameters],
        "activeParameter": active,
    }
    # Clients that know no signature without one take the operand behind the last for none.
    return {
        "signatures": [signature],
        "activeSignature": 0,
        "activeParameter": len(found.parameters) if active is None else active,
    }


def _parameter(session: Session, parameter: ide.Parameter) -> Json:
    # Never offsets: eglot of Emacs 30 loses the documentation of a signature that has them.
    return {
        "label": parameter.label,
        "documentation": markup(parameter.markdown, session.client.signature_markdown),
    }
