"""`textDocument/signatureHelp`: the operands of the instruction at the cursor."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide import signature_help as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.markup import markup
from ipu_lsp.server.session import LspSession

# One set of characters for all instruction sets: at `initialize` no document is open yet.


def signature_help(session: LspSession, params: t.SignatureHelpParams) -> Json | None:
    """Return the instruction's syntax lines, best match first, with the next operand active."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    found = ide.signatures(view.analysis, view.coordinates.offset(params.position))
    if not found:
        return None
    first = found[0]
    # Clients without support for null take an index past the last parameter as no active one.
    return {
        "signatures": [_signature(session, signature) for signature in found],
        "activeSignature": 0,
        "activeParameter": len(first.parameters) if first.active is None else first.active,
    }


def _signature(session: LspSession, signature: ide.Signature) -> Json:
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


def _parameter(session: LspSession, parameter: ide.SignatureParameter) -> Json:
    # Never offsets as labels: eglot of Emacs 30 drops the documentation of such signatures.
    return {
        "label": parameter.label,
        "documentation": markup(parameter.markdown, session.client.signature_markdown),
    }
