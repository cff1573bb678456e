"""The documents that are open in the client."""

from __future__ import annotations

import os
from typing import Any, Iterable, Mapping, Sequence
from urllib.parse import unquote

from pygls.uris import to_fs_path

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.text import Change
from ipu_lsp.json_types import Json
from ipu_lsp.server.change_order import AppliedChange, ChangeOrder, Notification
from ipu_lsp.server.convert import Coordinates, Encoding


class Document:
    """An open document.

    `path` is its file, None for other URIs. `analysis` is the last analysis, of this or an earlier
    text, and `headers` are the stamps of the headers that it read.
    """

    def __init__(
        self, uri: str, language: str, version: int | None, text: str, encoding: Encoding
    ) -> None:
        self.uri = uri
        self.language = language
        self.version = version
        self.path = path_of(uri)
        self.coordinates = Coordinates(text, encoding)
        self.analysis: Analysis | None = None
        self.headers: Mapping[str, object] = {}
        self.edit: Change | None = None
        """The client's edits since `analysis`, merged; None if there were none."""
        self._order = ChangeOrder(version)
        self._header_findings: tuple[Diagnostic, ...] = ()
        self.context: str | None = None
        """The context that features answer in, None for the first."""
        self.tokens: Any = None
        """The last response with semantic tokens, the base of the next delta."""

    @property
    def text(self) -> str:
        """The current text."""
        return self.coordinates.text

    @property
    def key(self) -> str:
        """The normalized path, by which headers are known; empty if there is none."""
        return "" if self.path is None else os.path.normpath(self.path)

    @property
    def name(self) -> str:
        """The path, or the URI if there is none, for messages."""
        return self.path or unquote(self.uri)

    def change(self, version: int | None, changes: Sequence[Json]) -> bool:
        """Apply the client's changes in order, each of a range or of the whole text.

        Changes of a version below the current one are made before those of the later versions.
        Where that is not possible any more they are made now, and False is returned. Raises
        `KeyError` or `TypeError` if one of them is malformed; then none is applied.
        """
        order = self._order
        if order.is_obsolete(version):
            return True
        is_too_late = order.is_too_late(version)
        later = [] if is_too_late else order.later_than(version)
        coordinates, edits = _undone(self.coordinates, later)
        made = []
        for each in ((version, changes), *((late.version, late.changes) for late in later)):
            coordinates, applied = _made(coordinates, each[1])
            made.append(Notification(*each, applied))
            edits += [change for change, _ in applied]
        for edit in edits:
            self.edit = edit if self.edit is None else self.edit.then(edit)
        self.coordinates = coordinates
        if is_too_late:
            order.restart(version)
        else:
            order.replace(len(later), made)
            self.version = order.latest
        return not is_too_late

    def forget(self) -> None:
        """Drop the analysis, because its settings changed."""
        self.analysis = self.edit = None

    def keep(self, analysis: Analysis, headers: Mapping[str, object]) -> None:
        """Store the analysis of the current text."""
        self.analysis, self.headers, self.edit = analysis, headers, None
        self.coordinates.adopt(analysis.source.lines)

    def are_header_findings_new(self) -> bool:
        """Return whether findings in headers have changed since the last call."""
        findings = self.analysis.diagnostics if self.analysis and self.headers else ()
        known = self._header_findings
        self._header_findings = tuple(f for f in findings if f.path is not None)
        return known != self._header_findings


def _undone(
    coordinates: Coordinates, notifications: Sequence[Notification]
) -> tuple[Coordinates, list[Change]]:
    """Return the coordinates before the last notifications, and the changes back to them."""
    edits = []
    for each in reversed(notifications):
        for applied in reversed(each.applied):
            coordinates, back = applied.undone(coordinates)
            edits.append(back)
    return coordinates, edits


def _made(
    coordinates: Coordinates, changes: Sequence[Json]
) -> tuple[Coordinates, tuple[AppliedChange, ...]]:
    """Return the coordinates after the changes of a notification, and what they replaced."""
    applied = []
    for change in changes:
        text = coordinates.text
        coordinates, edit = _changed(coordinates, change)
        applied.append(AppliedChange(edit, text[edit.start : edit.old_end]))
    return coordinates, tuple(applied)


def _changed(coordinates: Coordinates, change: Json) -> tuple[Coordinates, Change]:
    new_text = change["text"]
    if not isinstance(new_text, str):
        raise TypeError(f"a change has a text, found {type(new_text).__name__}")
    range_ = change.get("range")
    if range_ is None:
        whole = Change(0, len(coordinates.text), len(new_text))
        return Coordinates(new_text, coordinates.encoding), whole
    return coordinates.edited(range_, new_text)


def workspace_edit(document: Document, edits: list[Json], *, versioned: bool) -> Json:
    """Return a `WorkspaceEdit` of a document; with `versioned`, for its current version only."""
    file = (document.uri, document.version, edits)
    return workspace_edit_of_files([file], versioned=versioned)


def workspace_edit_of_files(
    edits: Iterable[tuple[str, int | None, list[Json]]], *, versioned: bool
) -> Json:
    """Return a `WorkspaceEdit` of files: their URIs, versions (None for those not open), edits."""
    if not versioned:
        return {"changes": {uri: changes for uri, _, changes in edits}}
    documents = [
        {"textDocument": {"uri": uri, "version": version}, "edits": changes}
        for uri, version, changes in edits
    ]
    return {"documentChanges": documents}


def path_of(uri: str) -> str | None:
    """Return the path of a `file` URI, None for any other URI."""
    try:
        return to_fs_path(uri)
    except ValueError:
        # For example `http://[`, which is no valid URI.
        return None
