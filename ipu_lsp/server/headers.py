"""Headers that documents include: open documents first, then files on the disk."""

from __future__ import annotations

import os
from typing import Iterable, Mapping

from ipu_asm.config.files import scanned_text, stamp_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile
from ipu_lsp.server.documents import Document

Stamps = Mapping[str, object]
"""The stamps of headers by path."""


class _Header(NamedTuple):
    """A header as read, and its stamp at that time."""

    source: SourceFile
    stamp: object


class Headers:
    """The headers of a session, cached by stamp. The stamp of an open document is its text."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._known: dict[str, _Header] = {}

    def open(self, path: str, document: Document) -> None:
        """Read a file from an open document from now on."""
        self._open[path] = document

    def close(self, path: str) -> None:
        """Read a file from the disk again."""
        self._open.pop(path, None)

    def document(self, path: str) -> Document | None:
        """Return the open document of a file."""
        return self._open.get(path)

    def documents(self) -> Iterable[Document]:
        """Return the open documents that are files."""
        return self._open.values()

    def is_open(self, path: str) -> bool:
        """Return whether a file is open in the client."""
        return path in self._open

    def stamp(self, path: str) -> object:
        """Return the stamp of a file; None if it is missing, not regular or too large."""
        document = self._open.get(path)
        if document is None:
            return stamp_of(path)
        known = self._known.get(path)
        # Opening a document, or undoing its edits, is no change.
        return known.stamp if known and known.source.text == document.text else document.text

    def read(self, path: str) -> SourceFile | None:
        """Return a file; None if it has no stamp or is not text."""
        stamp = self.stamp(path)
        known = self._known.get(path)
        if known is not None and known.stamp == stamp:
            return known.source
        document = self._open.get(path)
        text = document.text if document else scanned_text(path) if stamp else None
        if text is None:
            return None
        self._known[path] = _Header(SourceFile(text, path), stamp)
        return self._known[path].source

    def stamps(self, paths: Iterable[str]) -> Stamps:
        """Return the stamps that files had when they were read."""
        return {path: self._known[path].stamp for path in paths if path in self._known}

    def are_unchanged(self, stamps: Stamps) -> bool:
        """Return whether files still have these stamps."""
        return all(self.stamp(path) == stamp for path, stamp in stamps.items())

    def below(self, folders: Iterable[str]) -> HeaderReader:
        """Return a reader that reads only what is in these folders."""
        return HeaderReader(self, folders)


class HeaderReader:
    """Reads headers in some folders; links to files elsewhere are not followed."""

    def __init__(self, headers: Headers, folders: Iterable[str]) -> None:
        self._headers = headers
        self._roots = [os.path.join(os.path.realpath(folder), "") for folder in folders]

    def read(self, path: str) -> SourceFile | None:
        """Return a regular file of source text; None if there is none, or it may not be read."""
        return self._headers.read(path) if self._may_read(path) else None

    def stamp(self, path: str) -> object:
        """Return a value that changes when the file does; None for a file that cannot be read."""
        return self._headers.stamp(path) if self._may_read(path) else None

    def _may_read(self, path: str) -> bool:
        if self._headers.is_open(path):
            return True
        real = os.path.realpath(path)
        return any(real.startswith(root) for root in self._roots)
