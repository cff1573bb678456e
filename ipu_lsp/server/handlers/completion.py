"""Completion, hover and signature help; an item's documentation is computed when it is resolved."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as t

from ipu_asm.ide import completion as items
from ipu_asm.ide import hover as ide_hover
from ipu_asm.ide import signature_help as ide_signature_help
from ipu_asm.ide.completion import completion as ide
from ipu_asm.ide.configuration_file import key_completions, key_hover
from ipu_asm.ide.symbols.header_names import name_at
from ipu_asm.text import TextEdit
from ipu_lsp.server.client import LanguageClient
from ipu_lsp.server.convert import markup, plain_text
from ipu_lsp.server.documents import Document
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.transport import Json, plain

# A space, because an operand follows it; a dot, because editors end words there although it is
# part of a mnemonic; and the first characters of some sets' operands. Not the separator: the key
# after `;;` is mostly Enter, which would accept the first item.
_KINDS = {
    items.INSTRUCTION: t.CompletionItemKind.Function,
    items.REGISTER: t.CompletionItemKind.Variable,
    items.KEYWORD: t.CompletionItemKind.EnumMember,
    items.LABEL: t.CompletionItemKind.Reference,
    items.DISTANCE: t.CompletionItemKind.Value,
    items.MACRO: t.CompletionItemKind.Function,
    items.VALUE: t.CompletionItemKind.Constant,
    items.DIRECTIVE: t.CompletionItemKind.Keyword,
    items.PARAMETER: t.CompletionItemKind.Property,
    items.TEMPLATE_NAME: t.CompletionItemKind.Variable,
    items.SNIPPET: t.CompletionItemKind.Snippet,
}


def completions(session: LspSession, params: t.CompletionParams) -> Json | None:
    """Return all items at a position; the client filters them while a word is typed."""
    uri = params.text_document.uri
    file = session.configuration_files.get(uri)
    if file is not None:
        keys = key_completions(file.text, file.coordinates.offset(params.position))
        return {"isIncomplete": False, "items": [_key(item, file) for item in keys]}
    view = session.view(uri)
    if view is None:
        return None
    offset = view.coordinates.offset(params.position)
    found = ide.completions(view.analysis, offset)
    is_indent = _was_blank_typed(params.context) and not _bundle_continues(view, offset)
    if is_indent and any(item.kind == items.INSTRUCTION for item in found):
        found = []
    if not session.client.completion_snippets:
        found = [item for item in found if item.kind != items.SNIPPET]
    written = [_item(item, view, uri, session.client) for item in found]
    return {"isIncomplete": False, "items": written}


def resolve(session: LspSession, item: t.CompletionItem) -> t.CompletionItem:
    """Return an item with its documentation added."""
    data = item.data if isinstance(item.data, dict) else {}
    uri, kind = data.get("uri"), data.get("kind")
    view = session.view(uri) if isinstance(uri, str) else None
    if view is not None and isinstance(kind, str):
        page = ide.resolve(view.analysis, item.label, kind)
        if page is not None:
            item.documentation = _documentation(page, session.client)
    return item


def _documentation(page: str, client: LanguageClient) -> t.MarkupContent | str:
    """Return Markdown, or plain text for clients that do not declare a documentation format."""
    if client.completion_markdown:
        return t.MarkupContent(t.MarkupKind.Markdown, page)
    return plain_text(page)


def _was_blank_typed(context: t.CompletionContext | None) -> bool:
    return context is not None and context.trigger_character == " "


def _bundle_continues(view: View, offset: int) -> bool:
    """Return whether a bundle continues on this line; else a typed space is indentation."""
    coordinates, surface = view.coordinates, view.analysis.isa.surface
    line = coordinates.lines.position(offset).line
    before = coordinates.text[coordinates.lines.starts[line] : offset].rstrip()
    if not surface.separator or not before.endswith(surface.separator):
        return False
    return not (surface.bundle_end and before.endswith(surface.bundle_end))


def _key(item: items.CompletionItem, file: Document) -> Json:
    return {
        "label": item.label,
        "kind": _KINDS[item.kind].value,
        "documentation": plain(item.detail),
        "textEdit": file.coordinates.edit(TextEdit(item.span, item.insert_text)),
    }


def _item(item: items.CompletionItem, view: View, uri: str, client: LanguageClient) -> Json:
    snippet = item.snippet if client.completion_snippets else None
    edit = TextEdit(item.span, item.insert_text if snippet is None else snippet)
    written: Json = {
        "label": item.label,
        "kind": _KINDS[item.kind].value,
        "detail": plain(item.detail),
        "sortText": item.sort_text,
        "filterText": item.filter_text,
        "textEdit": view.coordinates.edit(edit),
        "data": {"uri": uri, "kind": item.kind},
    }
    end = view.analysis.isa.surface.bundle_end
    if item.removed and edit.new_text.endswith(end):
        removal = view.coordinates.edit(TextEdit(item.removed, ""))
        written["additionalTextEdits"] = [removal]
    if snippet is not None:
        written["insertTextFormat"] = t.InsertTextFormat.Snippet.value
    if item.slots and client.completion_label_details:
        written["labelDetails"] = {"description": plain(item.slots)}
    if item.deprecated and client.completion_tags:
        written["tags"] = [t.CompletionItemTag.Deprecated.value]
    return written


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
