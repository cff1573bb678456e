"""Search for sources in files and folders, following no link out of a folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable, Iterable, Iterator, Sequence

from ipu_asm.config.configuration import DEFAULT_EXCLUDE
from ipu_asm.config.files import STANDARD_INPUT, FileError, Target, file_error, source_extensions

if TYPE_CHECKING:
    from ipu_asm.config.globs import Exclusion


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
    exclusion = exclusion or _exclusion()
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
    exclusion = exclusion or _exclusion()
    for files in sources_below(folder, closed.append, paths, exclusion):
        found = found or bool(files)
        yield from (Target(file, asked_for=False) for file in files)
    for error in closed:
        report(file_error(error.filename, error))
    if not found and not closed:
        rest = ", but some that are excluded" if exclusion.has_excluded else ""
        report(FileError(f"no source files in this folder{rest}", folder))


def _exclusion() -> Exclusion:
    from ipu_asm.config.globs import Exclusion  # most runs lint one file

    return Exclusion()


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
