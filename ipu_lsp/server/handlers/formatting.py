"""Formatting of documents, of ranges, and on type."""

from __future__ import annotations

from typing import Iterable, Sequence

from lsprotocol import types as t

from ipu_asm.ide.formatting import formatting as ide
from ipu_asm.ide.formatting.atoms import KEEP_CASE
from ipu_asm.ide.formatting.on_type import formatting_on_type
from ipu_asm.text import TextEdit
from ipu_lsp.json_types import Json
from ipu_lsp.server.session import LspSession, View


def formatting(session: LspSession, params: t.DocumentFormattingParams) -> list[Json] | None:
    """Return the edits that format a document."""
    return _tidied(session, params.text_document.uri, None)


def range_formatting(
    session: LspSession, params: t.DocumentRangeFormattingParams
) -> list[Json] | None:
    """Return the edits that format the bundles which a range touches."""
    return _tidied(session, params.text_document.uri, [params.range])


def ranges_formatting(
    session: LspSession, params: t.DocumentRangesFormattingParams
) -> list[Json] | None:
    """Return the edits for several ranges; a bundle that two of them touch is formatted once."""
    return _tidied(session, params.text_document.uri, params.ranges)


def on_type_formatting(
    session: LspSession, params: t.DocumentOnTypeFormattingParams
) -> list[Json] | None:
    """Return the edits that format the line or bundle which a typed character completed."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    offset = view.coordinates.offset(params.position)
    style, case = _settings(session, uri)
    return _edits(view, formatting_on_type(view.analysis, offset, params.ch, style, case))


def _tidied(session: LspSession, uri: str, ranges: Sequence[t.Range] | None) -> list[Json] | None:
    """Return the edits that format a document, or the bundles that some ranges of it touch."""
    view = session.view(uri)
    if view is None:
        return None
    spans = [None] if ranges is None else [view.coordinates.span(range_) for range_ in ranges]
    style, case = _settings(session, uri)
    found = {edit for span in spans for edit in ide.formatting(view.analysis, style, span, case)}
    return _edits(view, sorted(found))


def _settings(session: LspSession, uri: str) -> tuple[str, str]:
    """The layout style and the case of mnemonics that the project of a document configures."""
    configuration = session.projects.of(session.documents[uri]).configuration
    return configuration.format_style or ide.KEEP, configuration.mnemonic_case or KEEP_CASE


def _edits(view: View, edits: Iterable[TextEdit]) -> list[Json]:
    return [view.coordinates.edit(edit) for edit in edits]
