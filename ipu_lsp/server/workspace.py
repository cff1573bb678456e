"""The folders that the client works in: which sources are there, and what is known about them."""

from __future__ import annotations

import os
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NamedTuple

from ipu_asm.config.configuration_file import FILE_NAMES
from ipu_asm.config.file_search import sources_below
from ipu_asm.config.files import Stamp, stamp_of
from ipu_lsp.server.documents import path_of

TIME_SLICE_S = 0.01
"""How long a request that takes longer works before others have their turn."""


class TimeSlice:
    """The time that is left until others have to have their turn."""

    def __init__(self) -> None:
        self._end = time.monotonic() + TIME_SLICE_S

    def pause(self) -> Iterator[None]:
        """To be yielded from: nothing as long as there is time left, else one pause."""
        if time.monotonic() > self._end:
            yield
            self._end = time.monotonic() + TIME_SLICE_S


class CachedAnswers(NamedTuple):
    """What was found out about a file that had this stamp, in these circumstances."""

    stamp: Stamp
    circumstances: object
    answers: dict[str, Any]


class Workspace:
    """Folders by their addresses; and answers about files, for as long as these do not change."""

    def __init__(self) -> None:
        self.folders: dict[str, str] = {}
        self._known: dict[str, CachedAnswers] = {}

    def add(self, uris: Iterable[object]) -> None:
        """More folders; what is no folder of a file system is none of ours."""
        for uri in uris:
            path = path_of(uri) if isinstance(uri, str) else None
            if isinstance(uri, str) and path and os.path.isabs(path):
                self.folders[uri] = os.path.normpath(path)

    def remove(self, uris: Iterable[str]) -> None:
        """Folders that the client has left."""
        for uri in uris:
            self.folders.pop(uri, None)

    def sources(self, time_slice: TimeSlice) -> Iterator[str | None]:
        """The sources in all folders, each once; None wherever others should have their turn."""
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
        """The files with settings at the top of the folders, there or not."""
        for folder in self.folders.values():
            yield from (os.path.join(folder, name) for name in FILE_NAMES)

    def forget(self, path: str) -> None:
        """Forget what is known about a file: it has changed, even if it does not look so."""
        self._known.pop(path, None)

    def is_known(self, path: str, circumstances: object, key: str) -> bool:
        """Whether an answer about a file is remembered that still holds."""
        known = self._known.get(path)
        return known is not None and key in known.answers and _holds(known, path, circumstances)

    def answer(
        self, path: str, circumstances: object, key: str, make: Callable[[], Any]
    ) -> Any | None:
        """The answer of that name about a file, made if there is none that still holds.

        None for a file that is not there, no plain file or too large.
        """
        known = self._known.get(path)
        if known is None or not _holds(known, path, circumstances):
            stamp = stamp_of(path)
            if stamp is None:
                return None
            known = self._known[path] = CachedAnswers(stamp, circumstances, {})
        if key not in known.answers:
            known.answers[key] = make()
        return known.answers[key]


@lru_cache(maxsize=20_000)
def address_of(path: str) -> str | None:
    """The address of a file; None where its name cannot be written as one."""
    try:
        path.encode()
        return Path(path).as_uri()
    except ValueError:
        return None


def _holds(known: CachedAnswers, path: str, circumstances: object) -> bool:
    return known.circumstances == circumstances and known.stamp == stamp_of(path)


def _outermost(folders: Iterable[str]) -> list[str]:
    """The folders that lie in no other of them."""
    found: list[str] = []
    for folder in sorted(set(folders)):
        if not any(folder.startswith(os.path.join(other, "")) for other in found):
            found.append(folder)
    return found
