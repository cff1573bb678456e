"""Glob patterns for paths, with the semantics of `.gitignore`, and the sources that a search finds.

By hand, because pathspec compiles a pattern with many stars to an expression of exponential time
(`*a` 40 times never ends), takes `[!b]` for a slash and raises for `[z-a]`. A search follows no
link out of a folder.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from functools import lru_cache
from itertools import groupby
from typing import Callable, Iterable, Iterator, Protocol, Sequence

from ipu_asm.config import DEFAULT_EXCLUDE, Configuration, ConfigurationError
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.files import (
    STANDARD_INPUT,
    FileError,
    Target,
    file_error,
    read_beginning,
    source_extensions,
)
from ipu_asm.named_tuple import NamedTuple

_STAR = re.compile(r"\*+")
_PIECE = re.compile(r"\?|\[([!^]?)([^\]/]+)\]|.", re.DOTALL)
_ANY_FOLDERS = "**"
_PART_ENDS = "(?![^/])"


def path_matches(pattern: str, path: str, folder: str) -> bool:
    """Whether a pattern that is relative to `folder` matches `path`.

    A pattern without a slash, except at its end, matches names at any depth; one with a slash
    begins at `folder`. A match of a folder includes all files in it. `*` and `?` match no slash;
    `**` alone between slashes, or at the beginning of a name, matches any number of folders.
    """
    path = os.path.abspath(path)
    inside = os.path.relpath(path, folder) if path.startswith(folder) else path
    return _expression(pattern).fullmatch(inside.replace(os.sep, "/")) is not None


@lru_cache(maxsize=2_048)
def _expression(pattern: str) -> re.Pattern[str]:
    """The expression for a pattern; no pattern takes more than quadratic time.

    Each star takes the shortest stretch after which the part up to the next star matches, without
    backtracking: a longer stretch could only leave less text for the stars that follow.
    """
    try:
        return re.compile(_Writer().written(_parts(pattern)), re.DOTALL)
    except re.error:  # a range such as `[z-a]`
        return re.compile(re.escape(pattern))


def _parts(pattern: str) -> list[str]:
    """The parts between slashes; `**` matches any number of folders."""
    parts: list[str] = [] if "/" in pattern.rstrip("/") else [_ANY_FOLDERS]
    for part in pattern.removeprefix("./").strip("/").split("/"):
        if part.startswith(_ANY_FOLDERS):
            parts.append(_ANY_FOLDERS)
            part = part.lstrip("*") and f"*{part.lstrip('*')}"
        if part:
            parts.append(part)
    return parts


class _Writer:
    """Writes the regular expression of one pattern; counts its groups."""

    def __init__(self) -> None:
        self._groups = 0

    def written(self, parts: Sequence[str]) -> str:
        """The expression for a path, from the parts of its pattern."""
        written = ""
        for is_folders, group in groupby(parts, _ANY_FOLDERS.__eq__):
            if is_folders:
                continue
            names = "/".join(map(self._name, group))
            is_anchored = not written and parts[0] != _ANY_FOLDERS
            slash = "/" if written else ""
            found = names if is_anchored else self._once(f"(?:[^/]*/)*?{names}")
            written += slash + found
        if not written:
            return ".*"
        return written + ("/.*" if parts[-1] == _ANY_FOLDERS else "(?:/.*)?")

    def _name(self, part: str) -> str:
        """The expression for the whole name of a file or folder."""
        first, *rest = (_fixed(piece) for piece in _STAR.split(part))
        if not rest:
            return first + _PART_ENDS
        *middle, last = rest
        stretches = "".join(self._once(f"[^/]*?{piece}") for piece in middle)
        return first + stretches + self._once(f"[^/]*?{last}{_PART_ENDS}")

    def _once(self, stretch: str) -> str:
        """An expression that matches the first match of a stretch, without backtracking.

        A lookahead is never entered again; the atomic groups of Python 3.11.0 to 3.11.4 are.
        """
        self._groups += 1
        return f"(?=(?P<g{self._groups}>{stretch}))(?P=g{self._groups})"


def _fixed(piece: str) -> str:
    """The expression for a piece without stars, which matches one length only."""
    return "".join(map(_character, _PIECE.finditer(piece)))


def _character(match: re.Match[str]) -> str:
    if match[0] == "?":
        return "[^/]"
    if match[2] is None:
        return re.escape(match[0])
    # Escape what has, or will have, a meaning in the set of a regular expression.
    inner = re.sub(r"[\\\[&~|]", r"\\\g<0>", re.sub("-+", "-", match[2]))
    return f"(?!/)[{'^' if match[1] else ''}{inner}]"


_MAX_BYTES = 1 << 18
_MAX_LINES = 5_000
_LONGEST_LINE = 1_000
_GIT_FOLDER = ".git"
_GIT_FILES = (".gitignore", os.path.join(_GIT_FOLDER, "info", "exclude"))


class ConfigurationSource(Protocol):
    """Returns the configuration of folders."""

    def nearest(self, folder: str) -> Configuration | None:
        """Return the configuration of an absolute folder. Raises `ConfigurationError`."""


class _Ignore(NamedTuple):
    """One line of a `.gitignore`: a pattern that is relative to `folder`."""

    pattern: str
    folder: str
    is_negated: bool
    is_for_folders: bool

    def matches(self, path: str, is_folder: bool) -> bool:
        """Return whether the line decides about a path."""
        if self.is_for_folders and not is_folder:
            return False
        return path_matches(self.pattern, path, self.folder)


class Exclusion:
    """Decides about the files and folders of one search, and remembers what it has read.

    `configurations` gives the configuration of each folder, `fixed` one for all. Mistakes in a
    configuration are not reported here: then only the default is excluded. `has_excluded` states
    whether a file or folder was left out that is not left out by default.
    """

    def __init__(
        self,
        patterns: Sequence[str] = (),
        configurations: ConfigurationSource | None = None,
        fixed: Configuration | None = None,
    ) -> None:
        self._patterns = tuple(patterns)
        self._working_folder = os.getcwd() if patterns else ""
        self._configurations = configurations or Configurations()
        self._fixed = fixed
        self._ignores: dict[str, tuple[_Ignore, ...] | None] = {}
        self.has_excluded = False

    def excludes(self, path: str, is_folder: bool = False) -> bool:
        """Return whether a search leaves a file, or a folder with all that is in it, out."""
        path = os.path.abspath(path)
        folder, name = os.path.split(path)
        settings = self._settings(folder)
        if settings.exclude is None and name in DEFAULT_EXCLUDE:
            return True
        patterns = (*(settings.exclude or ()), *settings.extend_exclude)
        is_excluded = (
            _match(self._patterns, path, self._working_folder)
            or _match(patterns, path, settings.folder or folder)
            or (settings.respect_gitignore and self._is_ignored(path, folder, is_folder))
        )
        self.has_excluded = self.has_excluded or is_excluded
        return is_excluded

    def excludes_named(self, path: str) -> bool:
        """Return whether a search of the whole project would leave a file out."""
        path = os.path.abspath(path)
        project = self._settings(os.path.dirname(path)).folder or os.getcwd()
        above = _folders_between(project, path)
        return any(self.excludes(each, is_folder=True) for each in above) or self.excludes(path)

    def _settings(self, folder: str) -> Configuration:
        if self._fixed is not None:
            return self._fixed
        try:
            return self._configurations.nearest(folder) or Configuration()
        except ConfigurationError:
            return Configuration()

    def _is_ignored(self, path: str, folder: str, is_folder: bool) -> bool:
        """Whether the last line about a path in the files for git ignores it."""
        for line in reversed(self._lines_for(folder) or ()):
            if line.matches(path, is_folder):
                return not line.is_negated
        return False

    def _lines_for(self, folder: str) -> tuple[_Ignore, ...] | None:
        """The lines that apply in a folder, those that count more last; None outside of git."""
        if folder not in self._ignores:
            parent = os.path.dirname(folder)
            above: tuple[_Ignore, ...] | None = None
            if os.path.exists(os.path.join(folder, _GIT_FOLDER)):
                above = tuple(_read_lines(folder, _GIT_FILES[1]))
            elif parent != folder:
                above = self._lines_for(parent)
            own = () if above is None else tuple(_read_lines(folder, _GIT_FILES[0]))
            self._ignores[folder] = None if above is None else above + own
        return self._ignores[folder]


def _match(patterns: Sequence[str], path: str, folder: str) -> bool:
    return any(path_matches(pattern, path, folder) for pattern in patterns)


def _folders_between(folder: str, path: str) -> Iterator[str]:
    """Yield the folders below `folder` that contain a file, the innermost first."""
    path = os.path.dirname(path)
    while path.startswith(os.path.join(folder, "")):
        yield path
        path = os.path.dirname(path)


def _read_lines(folder: str, name: str) -> Iterator[_Ignore]:
    """Yield the lines of a file for git; none if it is missing, unreadable or huge."""
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        return
    try:
        content = read_beginning(Target(path), _MAX_BYTES).removeprefix(BOM_UTF8)
    except FileError:
        return
    for line in content.decode("utf-8", "replace").splitlines()[:_MAX_LINES]:
        pattern = line if line.endswith("\\ ") else line.rstrip(" ")
        is_negated = pattern.startswith("!")
        pattern = pattern[is_negated:]
        if pattern.startswith(("\\#", "\\!")):
            pattern = pattern[1:]
        elif pattern.startswith("#"):
            continue
        if pattern.strip("/") and len(pattern) <= _LONGEST_LINE:
            yield _Ignore(pattern, folder, is_negated, pattern.endswith("/"))


def find_targets(
    paths: Sequence[str],
    stdin_name: str,
    report: Callable[[FileError], None],
    exclusion: Exclusion | None = None,
) -> list[Target]:
    """Return the files at the paths, sorted by name, each once.

    Folders are searched for sources as `sources_below` does.
    """
    found: dict[str, Target] = {}
    for path in paths:
        for target in _targets(path, paths, stdin_name, report, exclusion):
            key = "" if target.is_standard_input else os.path.abspath(target.name)
            if target.asked_for or key not in found:
                found.setdefault(key, target)
    return sorted(found.values())


def sources_below(
    folder: str,
    report: Callable[[OSError], None] = lambda _: None,
    named: Iterable[str] = (),
    exclusion: Exclusion | None = None,
) -> Iterator[list[str]]:
    """Yield the sources of a folder and of each folder below it, one list for each.

    Skipped are hidden files and folders, what `exclusion` (by default that of the configurations)
    leaves out, links to folders, files that are not regular, and links to files that are neither
    below `folder` nor below one of the other `named` paths. `report` is called with the error of
    each unreadable folder.
    """
    exclusion = exclusion or Exclusion()
    roots = [os.path.realpath(path) for path in {folder, *named} if path != STANDARD_INPUT]
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        files, folders = [], []
        for entry in _entries(place, report):
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and not exclusion.excludes(entry.path, True):
                    folders.append(entry.path)
            elif (
                is_source_name(entry.name)
                and _is_wanted(entry, roots)
                and not exclusion.excludes(entry.path)
            ):
                files.append(os.path.normpath(entry.path))
        yield files
        waiting += sorted(folders, reverse=True)


def files_named(folder: str, name: str) -> Iterator[str | None]:
    """Yield the paths of files below a folder whose end is `name`, and None for each folder read.

    `name` may have folders in it. Hidden files and folders and links are skipped.
    """
    ending = os.path.join("", *name.replace(os.sep, "/").split("/"))
    waiting = [folder]
    while waiting:
        entries = _entries(waiting.pop(), lambda _: None)
        yield None
        for entry in sorted(entries, key=lambda entry: entry.name, reverse=True):
            if entry.name.startswith(".") or entry.name in DEFAULT_EXCLUDE:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.path.endswith(os.sep + ending) and entry.is_file(follow_symlinks=False):
                yield entry.path


def is_source_name(name: str) -> bool:
    """Return whether a search takes a file with this name, given without its folder."""
    return name[:1] != "." and os.path.splitext(name)[1] in source_extensions()


def _targets(
    path: str,
    paths: Sequence[str],
    stdin_name: str,
    report: Callable[[FileError], None],
    exclusion: Exclusion | None,
) -> Iterator[Target]:
    if path == STANDARD_INPUT or not os.path.isdir(path):
        yield Target.of_argument(path, stdin_name)
    else:
        yield from _search(path, paths, report, exclusion)


def _search(
    folder: str,
    paths: Sequence[str],
    report: Callable[[FileError], None],
    exclusion: Exclusion | None,
) -> Iterator[Target]:
    """Yield the sources below a folder, or report why there are none."""
    closed: list[OSError] = []
    found = False
    exclusion = exclusion or Exclusion()
    for files in sources_below(folder, closed.append, paths, exclusion):
        found = found or bool(files)
        yield from (Target(file, asked_for=False) for file in files)
    for error in closed:
        report(file_error(error.filename, error))
    if not found and not closed:
        rest = ", but some that are excluded" if exclusion.has_excluded else ""
        report(FileError(f"no source files in this folder{rest}", folder))


def _entries(folder: str, report: Callable[[OSError], None]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        report(error)
        return []


def _is_wanted(entry: os.DirEntry[str], roots: Sequence[str]) -> bool:
    """Check that an entry is a regular file, or a link to one below the roots of the search."""
    try:
        if entry.is_symlink():
            real = os.path.realpath(entry.path)
            if not any(real == root or real.startswith(os.path.join(root, "")) for root in roots):
                return False
            # One that leads nowhere is taken: reading it says so.
            return entry.is_file() or not os.path.exists(real)
        return entry.is_file()
    except OSError:
        return False
