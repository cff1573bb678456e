"""The client's workspace folders: source files, headers, and cached results about these."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Iterable, Iterator, Mapping

from ipu_asm.config.configuration_file import FILE_NAMES
from ipu_asm.config.files import Stamp, scanned_text, stamp_of
from ipu_asm.config.globs import sources_below
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile
from ipu_lsp.server.documents import Document
from ipu_lsp.server.uris import path_of

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
        """Return whether the modification stamp of every file equals the recorded one."""
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


TIME_SLICE_S = 0.01
"""Seconds that a long request works before other messages get their turn."""


class TimeSlice:
    """The remaining time of a long request until other messages get their turn."""

    def __init__(self) -> None:
        self._end = time.monotonic() + TIME_SLICE_S

    def pause(self) -> Iterator[None]:
        """Yield once if the time is over, then start a new slice; for use with `yield from`."""
        if time.monotonic() > self._end:
            yield
            self._end = time.monotonic() + TIME_SLICE_S


class CachedAnswers(NamedTuple):
    """Results about a file.

    They are valid for a stamp of the file, the settings in `dependencies`, and the stamps of the
    headers that it includes.
    """

    stamp: Stamp
    dependencies: object
    answers: dict[str, Any]
    headers: dict[str, object]


class Workspace:
    """The workspace folders by URI, and cached results about files.

    `deleted` has the URIs of files that went since the last report about the workspace: a client
    that closed one just before keeps findings under it that it tells of in no request.
    """

    def __init__(self, headers: Headers) -> None:
        self.folders: dict[str, str] = {}
        self.deleted: set[str] = set()
        self._headers = headers
        self._known: dict[str, CachedAnswers] = {}

    def add(self, uris: Iterable[object]) -> None:
        """Add folders; URIs that are no folder of the file system are ignored."""
        for uri in uris:
            path = path_of(uri) if isinstance(uri, str) else None
            if isinstance(uri, str) and path and os.path.isabs(path):
                self.folders[uri] = os.path.normpath(path)

    def remove(self, uris: Iterable[str]) -> None:
        """Remove folders."""
        for uri in uris:
            self.folders.pop(uri, None)

    def folder_of(self, path: str) -> str | None:
        """Return the innermost workspace folder that contains a file."""
        around = (f for f in self.folders.values() if path.startswith(os.path.join(f, "")))
        return max(around, key=len, default=None)

    def sources(self, time_slice: TimeSlice) -> Iterator[str | None]:
        """Yield the source files in all folders, each once; None when other work is due."""
        seen: set[str] = set()
        for folder in _outermost(self.folders.values()):
            for paths in sources_below(folder, named=self.folders.values()):
                yield from time_slice.pause()
                fresh = [path for path in sorted(paths) if path not in seen]
                seen.update(fresh)
                yield from fresh
        for path in self._known.keys() - seen:
            del self._known[path]

    def configuration_files(self) -> Iterator[str]:
        """Yield the possible configuration files at the top of the folders."""
        for folder in self.folders.values():
            yield from (os.path.join(folder, name) for name in FILE_NAMES)

    def forget(self, path: str) -> None:
        """Drop the results about a file, which may have changed without a new stamp."""
        self._known.pop(path, None)

    def is_known(self, path: str, dependencies: object, key: str) -> bool:
        """Return whether a valid result about a file is cached."""
        known = self._known.get(path)
        if known is None or key not in known.answers:
            return False
        return self._holds(known, path, dependencies)

    def answer(
        self, path: str, dependencies: object, key: str, make: Callable[[], Any]
    ) -> Any | None:
        """Return the result `key` about a file, computed by `make` if no valid one is cached.

        None for a file that does not exist, is no regular file or is too large.
        """
        known = self._known.get(path)
        if known is None or not self._holds(known, path, dependencies):
            stamp = stamp_of(path)
            if stamp is None:
                return None
            known = self._known[path] = CachedAnswers(stamp, dependencies, {}, {})
        if key not in known.answers:
            known.answers[key] = make()
        return known.answers[key]

    def includes(self, path: str, headers: Stamps) -> None:
        """Make the results about a file depend on the stamps of headers."""
        if path in self._known:
            self._known[path].headers.update(headers)

    def reads(self, path: str) -> bool:
        """Return whether results about a file depend on a header."""
        return any(path in known.headers for known in self._known.values())

    def _holds(self, known: CachedAnswers, path: str, dependencies: object) -> bool:
        is_same = known.dependencies == dependencies and known.stamp == stamp_of(path)
        return is_same and self._headers.are_unchanged(known.headers)


def _outermost(folders: Iterable[str]) -> list[str]:
    """Return the folders that are in no other of them."""
    found: list[str] = []
    for folder in sorted(set(folders)):
        if not any(folder.startswith(os.path.join(other, "")) for other in found):
            found.append(folder)
    return found
