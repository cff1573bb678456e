"""The structure of a document: symbols, folding ranges and selection ranges."""

from __future__ import annotations

import re
from typing import Generator, Iterable, Iterator

from lsprotocol import types as t

from ipu_asm.ide import folding as ide_folding
from ipu_asm.ide import outline
from ipu_asm.ide.blocks import (
    BUNDLE,
    FUNCTION,
    LABEL,
    LOOP,
    MACRO,
    REGISTER,
    REGISTERS,
    DocumentSymbol,
)
from ipu_asm.ide.symbols.header_names import header_macros
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.server.workspace import TimeSlice
from ipu_lsp.transport import Json, plain

_FOLDING_KINDS = {
    ide_folding.COMMENT: t.FoldingRangeKind.Comment,
    ide_folding.REGION: t.FoldingRangeKind.Region,
}
_DISTANCE = "+"
_LABELS, _MACROS = "labels", "macros"
_KINDS = {
    LABEL: t.SymbolKind.Function,
    FUNCTION: t.SymbolKind.Function,
    LOOP: t.SymbolKind.Function,
    BUNDLE: t.SymbolKind.Event,
    REGISTER: t.SymbolKind.Variable,
    REGISTERS: t.SymbolKind.Namespace,
    MACRO: t.SymbolKind.Function,
}


def document_symbols(session: LspSession, params: t.DocumentSymbolParams) -> list[Json] | None:
    """Return the symbols of a document: a tree, or a flat list for clients that need one.

    Bundles are not among them: there may be thousands, and editors show each that is in sight.
    """
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    found = [*_without_bundles(outline.symbols(view.analysis))]
    if session.client.nested_symbols:
        return [_nested(symbol, view.coordinates) for symbol in found]
    return [entry for symbol in found for entry in _flat(symbol, None, uri, view.coordinates)]


def workspace_symbols(
    session: LspSession, params: t.WorkspaceSymbolParams
) -> Generator[None, None, list[Json]]:
    """Return all labels and macros whose names contain the letters of the query in order.

    Those of headers are among them, and for a query such as `row+2` the bundles of open documents.
    """
    found: list[Json] = []
    headers: dict[str, None] = {}
    known: set[tuple[str, str]] = set()
    time_slice = TimeSlice()
    for answer in session.map_workspace(_LABELS, _labels, time_slice):
        if answer is None:
            yield
            continue
        uri, (labels, included) = answer
        known.update((uri, entry["name"]) for entry in labels)
        headers.update(dict.fromkeys(included))
        found += [entry for entry in labels if _has_letters(entry["name"], params.query)]
    for uri in [*session.documents] if _DISTANCE in params.query else ():
        yield from time_slice.pause()
        view = session.view(uri)
        for symbol in outline.symbols(view.analysis) if view else ():
            entries = _flat(symbol, None, uri, view.coordinates) if view else ()
            found += [each for each in entries if _has_letters(each["name"], params.query)]
    for path in headers:
        yield from time_slice.pause()
        found += [
            entry
            for entry in _macros_of_header(session, path)
            if (entry["location"]["uri"], entry["name"]) not in known
            and _has_letters(entry["name"], params.query)
        ]
    return found


def _macros_of_header(session: LspSession, path: str) -> list[Json]:
    def made() -> list[Json]:
        file, place = session.headers.read(path), session.place_in(path)
        if file is None or place is None:
            return []
        uri, coordinates = place
        return [
            {
                "name": symbol.name,
                "kind": _KINDS[MACRO].value,
                "location": {"uri": uri, "range": coordinates.range(symbol.span)},
                "containerName": re.split(r"[/\\]", path)[-1],
            }
            for symbol in header_macros(file)
        ]

    if session.is_open(path):
        return made()
    dependencies = session.projects.dependencies(path)
    return session.workspace.answer(path, dependencies, _MACROS, made) or []


def _labels(uri: str, view: View) -> tuple[list[Json], tuple[str, ...]]:
    """Return the labels and macros of a file, and the headers that it reads."""
    file = re.split(r"[/\\]", view.analysis.source.path)[-1]
    labels = [
        {
            "name": symbol.name,
            "kind": _KINDS[symbol.kind].value,
            "location": {"uri": uri, "range": view.coordinates.range(symbol.name_span)},
            "containerName": file,
        }
        for symbol in (*outline.label_symbols(view.analysis), *outline.macro_symbols(view.analysis))
    ]
    return labels, tuple(view.analysis.headers)


def _has_letters(name: str, letters: str) -> bool:
    """Return whether a name contains all letters as a subsequence, ignoring case and spaces."""
    rest = iter(name.lower())
    return all(letter in rest for letter in letters.lower() if not letter.isspace())


def _without_bundles(symbols: Iterable[DocumentSymbol]) -> Iterator[DocumentSymbol]:
    for symbol in symbols:
        if symbol.kind != BUNDLE:
            yield symbol._replace(children=(*_without_bundles(symbol.children),))


def _nested(symbol: DocumentSymbol, coordinates: Coordinates) -> Json:
    return {
        "name": symbol.name,
        "kind": _KINDS[symbol.kind].value,
        "detail": plain(symbol.detail),
        "range": coordinates.range(symbol.span),
        "selectionRange": coordinates.range(symbol.name_span),
        "children": [_nested(child, coordinates) for child in symbol.children],
    }


def _flat(
    symbol: DocumentSymbol, parent: str | None, uri: str, coordinates: Coordinates
) -> Iterator[Json]:
    entry: Json = {
        "name": symbol.name,
        "kind": _KINDS[symbol.kind].value,
        "location": {"uri": uri, "range": coordinates.range(symbol.span)},
    }
    if parent is not None:
        entry["containerName"] = parent
    yield entry
    for child in symbol.children:
        yield from _flat(child, symbol.name, uri, coordinates)


def folding_ranges(session: LspSession, params: t.FoldingRangeParams) -> list[Json] | None:
    """Return the line ranges that fold, at most as many as the client's limit."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    folds = ide_folding.folding(view.analysis)[: session.client.most_folds]
    return [
        {"startLine": fold.first, "endLine": fold.last, "kind": _FOLDING_KINDS[fold.kind].value}
        for fold in folds
    ]


def selection_ranges(session: LspSession, params: t.SelectionRangeParams) -> list[Json] | None:
    """Return for each position the ranges around it, innermost first, each with its parent."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    found = []
    for position in params.positions:
        chain: Json = {}
        spans = ide_folding.selection_ranges(view.analysis, view.coordinates.offset(position))
        for span in reversed(spans):
            chain = {"range": view.coordinates.range(span), **({"parent": chain} if chain else {})}
        found.append(chain)
    return found
