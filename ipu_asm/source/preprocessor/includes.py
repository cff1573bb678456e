"""Search for the file that an include directive names, within the folders that may be read."""

from __future__ import annotations

import os

from ipu_asm.source.expansion import SourceSettings
from ipu_asm.source.source_map import MAIN


class IncludeSearch:
    """Finds headers for one file. `path` is the analysed file, None for a text in none."""

    def __init__(self, path: str | None, settings: SourceSettings) -> None:
        self._folder = os.path.dirname(os.path.abspath(path)) if path else None
        self._settings = settings
        root = settings.root or self._folder
        allowed = [*([root] if root else []), *settings.include_paths]
        self._allowed = [os.path.join(os.path.realpath(each), "") for each in allowed]
        self._found: dict[tuple[str, str | None], str | None] = {}

    def find(self, name: str, is_angled: bool, includer: str) -> str | None:
        """Return the absolute path of a header; None if there is none that may be read.

        `includer` is the path of the file with the directive. In angle brackets, the include paths
        are searched alone.
        """
        folder = None if is_angled else self._folder_of(includer)
        key = (name, folder)
        if key not in self._found:
            self._found[key] = self._search(name, folder)
        return self._found[key]

    def _folder_of(self, includer: str) -> str | None:
        return self._folder if includer == MAIN else os.path.dirname(includer)

    def _search(self, name: str, folder: str | None) -> str | None:
        if not name or "\0" in name:
            return None
        for each in (*([folder] if folder else []), *self._settings.include_paths):
            path = os.path.normpath(os.path.join(each, name))
            if self._settings.reader.stamp(path) is not None and self._is_allowed(path):
                return path
        return None

    def _is_allowed(self, path: str) -> bool:
        real = os.path.realpath(path)
        return any(real.startswith(folder) for folder in self._allowed)
