"""`textDocument/completion`; the documentation of an item is only computed when it is resolved."""

from __future__ import annotations

from lsprotocol import types as t

from ipu_asm.ide.completion import completion as ide
from ipu_asm.ide.completion import snippets
from ipu_asm.ide.configuration_file import key_completions
from ipu_asm.text import TextEdit
from ipu_lsp.json_types import Json
from ipu_lsp.plain_text import plain
from ipu_lsp.server.client import LanguageClient
from ipu_lsp.server.convert import plain_text
from ipu_lsp.server.documents import Document
from ipu_lsp.server.session import LspSession, View

# A space, because an operand follows it; a dot, because editors end words there although it is
# part of a mnemonic; and the first characters of some sets' operands. Not the separator: the key
# after `;;` is mostly Enter, which would accept the first item.
_KINDS = {
    snippets.INSTRUCTION: t.CompletionItemKind.Function,
    snippets.REGISTER: t.CompletionItemKind.Variable,
    snippets.KEYWORD: t.CompletionItemKind.EnumMember,
    snippets.LABEL: t.CompletionItemKind.Reference,
    snippets.DISTANCE: t.CompletionItemKind.Value,
    snippets.MACRO: t.CompletionItemKind.Function,
    snippets.VALUE: t.CompletionItemKind.Constant,
    snippets.DIRECTIVE: t.CompletionItemKind.Keyword,
    snippets.PARAMETER: t.CompletionItemKind.Property,
    snippets.TEMPLATE_NAME: t.CompletionItemKind.Variable,
    snippets.SNIPPET: t.CompletionItemKind.Snippet,
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
    if is_indent and any(item.kind == snippets.INSTRUCTION for item in found):
        found = []
    if not session.client.completion_snippets:
        found = [item for item in found if item.kind != snippets.SNIPPET]
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


def _key(item: snippets.CompletionItem, file: Document) -> Json:
    return {
        "label": item.label,
        "kind": _KINDS[item.kind].value,
        "documentation": plain(item.detail),
        "textEdit": file.coordinates.edit(TextEdit(item.span, item.insert_text)),
    }


def _item(item: snippets.CompletionItem, view: View, uri: str, client: LanguageClient) -> Json:
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
