"""The folders that globs in ``include-paths`` mean, found within bounds."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import Iterable, Iterator

from ipu_asm.named_tuple import NamedTuple

MOST_FOLDERS = 100
"""The folders that are searched for a header."""
MOST_READ = 1_000
"""The folders whose entries are read for one list of globs."""
_WILD = frozenset("*?[")


class IncludeFolders(NamedTuple):
    """The folders that are searched for headers; not `is_complete` if there were too many."""

    folders: tuple[str, ...]
    is_complete: bool


def include_folders(paths: Iterable[str], base: str) -> IncludeFolders:
    """Return the absolute folders that paths and globs relative to `base` mean, each once.

    A path without a glob is not looked at. Globs take no hidden folders and no links; what they
    find is in the order of names.
    """
    search = _Search()
    found: dict[str, None] = {}
    for path in paths:
        whole = os.path.normpath(os.path.join(base, path))
        for folder in search.matches(whole) if _WILD.intersection(path) else (whole,):
            found[folder] = None
    is_complete = search.is_complete and len(found) <= MOST_FOLDERS
    return IncludeFolders(tuple(found)[:MOST_FOLDERS], is_complete)


class _Search:
    """Searches for folders until it has read too many."""

    def __init__(self) -> None:
        self._left = MOST_READ

    @property
    def is_complete(self) -> bool:
        """Whether it has read all that it wanted to."""
        return self._left >= 0

    def matches(self, pattern: str) -> Iterator[str]:
        """Yield the folders that an absolute glob matches."""
        head, *parts = pattern.split(os.sep)
        folders: Iterable[str] = [head + os.sep]
        for part in parts:
            folders = self._step(folders, part)
        return iter(dict.fromkeys(folders))

    def _step(self, folders: Iterable[str], part: str) -> Iterator[str]:
        for folder in folders:
            if part == "**":
                yield from self._all_below(folder)
            elif _WILD.intersection(part):
                names = self._folders_in(folder)
                yield from (os.path.join(folder, name) for name in names if fnmatchcase(name, part))
            elif os.path.isdir(path := os.path.join(folder, part)):
                yield path

    def _all_below(self, folder: str) -> Iterator[str]:
        waiting = [folder]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += [os.path.join(found, name) for name in reversed(self._folders_in(found))]

    def _folders_in(self, folder: str) -> list[str]:
        """The names of the folders in a folder, sorted; none when the search has read enough."""
        self._left -= 1
        if self._left < 0:
            return []
        try:
            with os.scandir(folder) as entries:
                names = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            return []
        return sorted(name for name in names if not name.startswith("."))
