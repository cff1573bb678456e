"""Inputs of an expansion besides its text: predefined macros and headers."""

from __future__ import annotations

import os
from itertools import takewhile
from typing import Mapping

from ipu_asm.config.files import may_name_file
from ipu_asm.isa.surface import Surface
from ipu_asm.source.expansion import SourceReader, SourceSettings, Value
from ipu_asm.source.preprocessor.conditions import Assumptions
from ipu_asm.source.preprocessor.lines import FileLines
from ipu_asm.source.preprocessor.tokens import Macro, macro_from_outside
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import change_between


class IncludeSearch:
    """Finds headers for one file. `path` is the analysed file, None for a text in none."""

    def __init__(self, path: str | None, settings: SourceSettings) -> None:
        self._folder = os.path.dirname(os.path.abspath(path)) if path else None
        self._settings = settings
        root = settings.root or self._folder
        allowed = [*([root] if root else []), *settings.include_paths]
        folders = [os.path.realpath(each) for each in allowed if may_name_file(each)]
        self._allowed = [os.path.join(folder, "") for folder in folders]
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
        if not may_name_file(name):
            return None
        for each in (*([folder] if folder else []), *self._settings.include_paths):
            path = os.path.normpath(os.path.join(each, name))
            if may_name_file(path) and self._is_readable(path):
                return path
        return self._search_project(name, folder or self._folder or "")

    def _search_project(self, name: str, folder: str) -> str | None:
        """Return the header in the project that is nearest to a folder; None if two are as near."""
        project = self._settings.project
        if project is None or os.path.isabs(name) or ".." in name.split("/"):
            return None
        paths = (os.path.normpath(os.path.join(each, name)) for each in project.folders)
        found = [path for path in paths if self._is_readable(path)]
        nearness = [_count_shared(path, folder) for path in found]
        nearest = [path for path, near in zip(found, nearness) if near == max(nearness)]
        return nearest[0] if len(nearest) == 1 else None

    def _is_readable(self, path: str) -> bool:
        return self._settings.reader.stamp(path) is not None and self._is_allowed(path)

    def _is_allowed(self, path: str) -> bool:
        real = os.path.realpath(path)
        return any(real.startswith(folder) for folder in self._allowed)


def _count_shared(path: str, folder: str) -> int:
    """Return the number of folders at the beginning of two paths that are the same."""
    pairs = zip(path.split(os.sep), folder.split(os.sep))
    return len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])


class Environment:
    """Predefined macros of settings and of the instruction set, and header search.

    `choices` are predefined names with several possible values.
    """

    def __init__(self, surface: Surface, path: str | None, settings: SourceSettings) -> None:
        defines = {name: _text(value) for name, value in settings.all_defines.items()}
        predefined = {n: v for n, v in surface.predefined.items() if n not in defines}
        self.choices: dict[str, tuple[int, ...]] = {
            name: tuple(map(int, values)) for name, values in predefined.items() if len(values) > 1
        }
        first = {name: values[0] for name, values in predefined.items()}
        self._texts: Mapping[str, str] = {**first, **defines}
        self._macros = {name: macro_from_outside(name, text) for name, text in self._texts.items()}
        self._chosen: dict[tuple[str, str], Macro] = {}
        self.search = IncludeSearch(path, settings)
        self.settings = settings
        self.path = path

    def macros(self, assumptions: Assumptions) -> dict[str, Macro]:
        """Return the predefined macros; `assumptions` selects the values of choices."""
        macros = dict(self._macros)
        for name in self.choices:
            if name in assumptions:
                text = str(assumptions[name])
                key = name, text
                macros[name] = self._chosen.setdefault(key, macro_from_outside(name, text))
        return macros

    def again(self, path: str | None, settings: SourceSettings) -> bool:
        """Adopt new settings; return False if they change the predefined macros."""
        if path != self.path or settings.all_defines != self.settings.all_defines:
            return False
        self.search = IncludeSearch(path, settings)
        self.settings = settings
        return True


class FileStore:
    """The lines of headers; unchanged headers are reused from an earlier expansion.

    What is known about a line is kept with the line.
    """

    def __init__(self, reader: SourceReader, before: FileStore | None = None) -> None:
        self._reader = reader
        self._before: Mapping[str, tuple[object, FileLines]] = before._files if before else {}
        self._files: dict[str, tuple[object, FileLines]] = {}

    def read(self, path: str) -> FileLines | None:
        """Return the lines of a header; None if it cannot be read."""
        known = self._files.get(path)
        if known is None:
            known = self._read(path)
            if known is None:
                return None
            self._files[path] = known
        return known[1]

    def _read(self, path: str) -> tuple[object, FileLines] | None:
        stamp = self._reader.stamp(path)
        known = self._before.get(path)
        if known is not None and known[0] == stamp and stamp is not None:
            return known
        source = self._reader.read(path)
        if source is None:
            return None
        if known is None:
            return stamp, FileLines.of(path, source.text)
        change = change_between(known[1].text, source.text)
        return stamp, known[1].after(source.text, change)


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return str(value)
