"""Where a label or a register is named: as a list, and lit up in the window."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as t

from ipu_asm.ide import references as ide
from ipu_asm.ide.occurrences import Access
from ipu_lsp.server.session import Session

Json = dict[str, Any]

_KINDS = {
    Access.READS: t.DocumentHighlightKind.Read,
    Access.WRITES: t.DocumentHighlightKind.Write,
    Access.CHANGES: t.DocumentHighlightKind.Write,
    Access.DEFINES: t.DocumentHighlightKind.Write,
    Access.NAMES: t.DocumentHighlightKind.Read,
    Access.GOES_THERE: t.DocumentHighlightKind.Read,
}


def references(session: Session, params: t.ReferenceParams) -> list[Json] | None:
    """Every place that names what is at a position."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset = view.coordinates.offset(params.position)
    found = ide.references(view.analysis, offset, params.context.include_declaration)
    return [{"uri": uri, "range": view.coordinates.range(span)} for span in found] or None


def document_highlight(session: Session, params: t.DocumentHighlightParams) -> list[Json] | None:
    """The same places, as places that read and places that write."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    found = ide.highlights(view.analysis, view.coordinates.offset(params.position))
    return [
        {"range": view.coordinates.range(span), "kind": _KINDS[access].value}
        for span, access in found
    ] or None
