"""The settings of source expansion: ``include-paths``, ``[defines]`` and template contexts.

include-paths = ["include", "libs/*/include"]   # folders of headers; globs of folders
[defines]
TILE_WORDS = 64                                 # a template variable, or a preprocessor macro
[template."kernels/*.asm"]                      # the first match wins
contexts = [{cpr = 3, rows = 8}, {cpr = 4, rows = 16}]   # the file is checked in each of them
"""

from __future__ import annotations

import math
import os
import re
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Callable, Iterable, Iterator, Mapping

from ipu_asm.config import MOST_CONTEXTS, Context, Value
from ipu_asm.config.files import may_name_file
from ipu_asm.config.schema import SettingError, list_of_strings, shortened, shown
from ipu_asm.named_tuple import NamedTuple

MOST_DEFINES = 1_000
MOST_INCLUDE_PATHS = 100
LONGEST_VALUE = 1_000
LONGEST_LIST = 10_000
LONGEST_NAME = 100
MOST_TEMPLATE_GLOBS = 200
_DECIMAL = r"(?:0|[1-9](?:_?[0-9])*)"
_INTEGER = re.compile(
    rf"[+-]?{_DECIMAL}|0x[\da-fA-F](?:_?[\da-fA-F])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*"
)
_FLOAT = re.compile(rf"[+-]?{_DECIMAL}(?:\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?")
_LONGEST_NUMBER = 64


def parse_define(text: str) -> tuple[str, Value]:
    """Return the name and the value of ``NAME=VALUE``. Raises `SettingError`.

    A value that TOML reads as an integer, a float or a boolean is one; in quotes it is a string,
    and so is everything else.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise SettingError(f"expected NAME=VALUE, found `{shortened(text)}`")
    check_name(name)
    return name, define_value(_written_value(value))


def checked_values(values: Mapping[str, Any]) -> dict[str, Value]:
    """Return names and values that a program gives. Raises `SettingError` for unusable ones."""
    for name in values:
        if not isinstance(name, str):
            raise SettingError(f"expected a name, found {shown(name)}")
        check_name(name)
    return {name: _at(f"`{name}`", context_value, value) for name, value in values.items()}


def check_name(name: str) -> None:
    """Raise `SettingError` for what is no name in a template and in an assembler source."""
    if not name.isidentifier():
        found = f"`{shortened(name)}`" if name else "none"
        raise SettingError(f"expected a name of letters, digits and underscores, found {found}")
    if len(name) > LONGEST_NAME:
        raise SettingError(f"a name has at most {LONGEST_NAME} characters, found {len(name):,}")


def define_value(value: Any) -> Value:
    """Return the value of a define, a number, boolean or string. Raises `SettingError`."""
    if isinstance(value, list | dict):
        raise SettingError("expected a number, a boolean or a string", value)
    return context_value(value)


def context_value(value: Any) -> Value:
    """Return a value that a template can use. Raises `SettingError`."""
    if isinstance(value, list | tuple | dict) and len(str(value)) > LONGEST_LIST:
        message = f"a list or table has at most {LONGEST_LIST:,} characters, found more"
        raise SettingError(message)
    if isinstance(value, list | tuple):
        return [context_value(item) for item in value]
    if isinstance(value, dict):
        return {name: context_value(item) for name, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        raise SettingError(f"expected a finite number, found {value}")
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        message = f"a string has at most {LONGEST_VALUE:,} characters, found {len(value):,}"
        raise SettingError(message)
    if isinstance(value, bool | int | float | str):
        return value
    found = f"{type(value).__name__} {shown(value)}"
    raise SettingError(f"expected a number, a boolean or a string, found the {found}")


def include_paths(value: Any) -> tuple[str, ...]:
    """Return the folders and globs of a list. Raises `SettingError`."""
    paths = list_of_strings('a list of folders such as ["include", "libs/*/include"]')(value)
    if len(paths) > MOST_INCLUDE_PATHS:
        message = f"expected at most {MOST_INCLUDE_PATHS} folders, found {len(paths):,}"
        raise SettingError(message)
    return tuple(map(_include_path, paths))


def contexts(value: Any) -> tuple[Context, ...]:
    """Return the contexts of a list of tables. Raises `SettingError`."""
    if not isinstance(value, list):
        raise SettingError("expected a list of tables such as [{cols = 4}]", value)
    if len(value) > MOST_CONTEXTS:
        raise SettingError(f"expected at most {MOST_CONTEXTS} contexts, found {len(value):,}")
    return tuple(_at(f"context {number}", _context, each) for number, each in enumerate(value, 1))


def _context(value: Any) -> Context:
    if not isinstance(value, dict):
        raise SettingError("expected a table such as {cols = 4}", value)
    if len(value) > MOST_DEFINES:
        raise SettingError(f"expected at most {MOST_DEFINES:,} names, found {len(value):,}")
    for name in value:
        check_name(name)
    return {name: _at(f"`{name}`", context_value, item) for name, item in value.items()}


def _at(place: str, read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except SettingError as error:
        raise SettingError(f"{place}: {error}") from error


def _include_path(path: str) -> str:
    if not may_name_file(path):
        raise SettingError(f"expected the name of a folder, found {shown(path)}")
    if len(path) > LONGEST_VALUE:
        message = f"a path has at most {LONGEST_VALUE:,} characters, found {len(path):,}"
        raise SettingError(message)
    if os.path.normpath(path) in (os.sep, os.sep * 2):
        raise SettingError("expected folders of headers, found the root of the file system")
    return path


def _written_value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    if len(text) > _LONGEST_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) and math.isfinite(float(text)) else text


MOST_FOLDERS = 100
"""The folders that are searched for a header."""

MOST_READ = 1_000
"""The folders whose entries are read for one list of globs."""

PROJECT_FOLDERS = "**/include"
"""Where headers of a project may be, relative to its root."""

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


class ProjectFolders:
    """The folders called `include` below the root of a project, looked up on the first use.

    Headers that no folder has in which they are searched may be in one of them. Equal to one of
    the same root.
    """

    def __init__(self, root: str) -> None:
        self.root = root

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProjectFolders) and other.root == self.root

    def __hash__(self) -> int:
        return hash(self.root)

    def __repr__(self) -> str:
        return f"ProjectFolders({self.root!r})"

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """The absolute folders, as many as `include_folders` finds."""
        return include_folders((PROJECT_FOLDERS,), self.root).folders

    @property
    def is_searched(self) -> bool:
        """Whether the folders were used."""
        return "folders" in self.__dict__


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
        folders = [head + os.sep]
        for part in parts:
            folders = [*self._step(folders, part)]
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
