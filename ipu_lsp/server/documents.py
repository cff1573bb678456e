"""The documents that are open in the client."""

from __future__ import annotations

import os
from collections import deque
from itertools import takewhile
from typing import Any, Final, Iterable, Mapping, Sequence
from urllib.parse import unquote

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Change
from ipu_lsp.server.convert import Coordinates, Encoding
from ipu_lsp.server.uris import path_of
from ipu_lsp.transport import Json

MOST_CHANGES: Final = 256
MOST_CHARACTERS: Final = 1 << 20


class AppliedChange(NamedTuple):
    """A change of a text, and the text that it replaced."""

    change: Change
    replaced: str

    def undone(self, coordinates: Coordinates) -> tuple[Coordinates, Change]:
        """Return the coordinates before the change, and the change back to them."""
        start, old_end, new_end = self.change
        text = coordinates.text
        back = Change(start, new_end, old_end)
        before = text[:start] + self.replaced + text[new_end:]
        return Coordinates(before, coordinates.encoding, (coordinates.lines, back)), back


class Notification(NamedTuple):
    """The changes that the client sent with one version, and what they did to the text."""

    version: int | None
    changes: Sequence[Json]
    applied: tuple[AppliedChange, ...]

    @property
    def has_whole_text(self) -> bool:
        """Whether the text after it does not depend on the text before it."""
        return any(change.get("range") is None for change in self.changes)

    @property
    def characters(self) -> int:
        """The characters that it keeps."""
        sent = sum(len(change["text"]) for change in self.changes)
        return sent + sum(len(each.replaced) for each in self.applied)


class ChangeOrder:
    """The last notifications of a document in the order of their versions."""

    def __init__(self, version: int | None) -> None:
        self._kept: deque[Notification] = deque()
        self._characters = 0
        # No notification up to this version is kept; None if versions are not known.
        self._first = version
        self._is_first_whole = False

    @property
    def latest(self) -> int | None:
        """The highest version."""
        return self._kept[-1].version if self._kept else self._first

    def is_obsolete(self, version: int | None) -> bool:
        """Return whether a later version has replaced the whole text already."""
        return self._is_first_whole and self._is_before_first(version)

    def is_too_late(self, version: int | None) -> bool:
        """Return whether the changes after a version are not known any more."""
        return not self._is_first_whole and self._is_before_first(version)

    def later_than(self, version: int | None) -> list[Notification]:
        """Return the notifications with a higher version, in order."""
        later: list[Notification] = []
        if version is not None:
            later += takewhile(lambda each: (each.version or 0) > version, reversed(self._kept))
        return later[::-1]

    def replace(self, count: int, notifications: Iterable[Notification]) -> None:
        """Keep notifications in the place of the last `count` ones."""
        for _ in range(count):
            self._characters -= self._kept.pop().characters
        for each in notifications:
            if each.version is None or each.has_whole_text:
                self.restart(each.version, each.has_whole_text)
                continue
            self._kept.append(each)
            self._characters += each.characters
        while len(self._kept) > MOST_CHANGES or self._characters > MOST_CHARACTERS:
            oldest = self._kept.popleft()
            self._characters -= oldest.characters
            self._first, self._is_first_whole = oldest.version, False

    def restart(self, version: int | None, is_whole: bool = False) -> None:
        """Forget all before a version, which has replaced the whole text if `is_whole`."""
        self._kept.clear()
        self._characters = 0
        self._first, self._is_first_whole = version, is_whole

    def _is_before_first(self, version: int | None) -> bool:
        return version is not None and self._first is not None and version < self._first


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
        self.saved = text
        """The text at the last save, or when the document was opened."""
        self._earlier: dict[str, Document] = {}
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

    def with_earlier(self, text: str) -> Document:
        """Return the document with an earlier text, of the last save or of a commit.

        One object for each of the last two texts, so that its analysis is made once.
        """
        found = self._earlier.pop(text, None)
        if found is None:
            encoding = self.coordinates.encoding
            found = Document(self.uri, self.language, None, text, encoding)
        self._earlier[text] = found
        for forgotten in list(self._earlier)[:-2]:
            del self._earlier[forgotten]
        return found

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
        """Drop the analyses, because their settings changed."""
        self.analysis = self.edit = None
        self._earlier.clear()

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
