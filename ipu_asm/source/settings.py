"""Settings of an expansion, from the configuration of a file and from the command line."""

from __future__ import annotations

import os
from typing import Mapping, Sequence, TypeVar

from ipu_asm.config.configuration import Configuration, Context, Value
from ipu_asm.config.files import scanned_text, stamp_of
from ipu_asm.config.source_keys import ProjectFolders, include_folders
from ipu_asm.source.expansion import SourceReader, SourceSettings
from ipu_asm.text import SourceFile


class DiskReader:
    """Reads regular text files, up to the size limit of a search in the workspace."""

    def read(self, path: str) -> SourceFile | None:
        """Return a regular file of source text; None if there is none, or it may not be read."""
        text = scanned_text(path) if stamp_of(path) is not None else None
        return None if text is None else SourceFile(text, path)

    def stamp(self, path: str) -> object:
        """Return a value that changes when the file does; None for a file that cannot be read."""
        return stamp_of(path)


_T = TypeVar("_T")
DEFAULT_INCLUDE_PATHS = ("include",)
"""Where nothing is configured, relative to the root."""
_VERSION_CONTROL = (".git", ".hg", ".jj", ".svn")


def source_settings(
    path: str | None,
    configuration: Configuration | None = None,
    overrides: Mapping[str, Value] | None = None,
    reader: SourceReader | None = None,
) -> SourceSettings:
    """Return the settings of a file; `overrides` are given for this run, as by ``--define``.

    `path` is None for a text that is in no file: no header is read for it. Every tool asks this
    function, so that all of them read the same. Globs of include paths are looked up on the disk
    at each call; the result depends on nothing else there but the root.
    """
    ours = configuration or Configuration()
    given = overrides or {}
    if path is None:
        return SourceSettings(ours.defines, (), given)
    kernel = _first_match(path, ours.kernels, ours)
    root = root_of(path, ours.folder)
    project = None
    if ours.include_paths is None:
        project = ProjectFolders(root)
        folders = include_folders(DEFAULT_INCLUDE_PATHS, root).folders
    else:
        folders = include_folders(ours.include_paths, ours.folder).folders
    contexts = template_contexts(path, ours)
    return SourceSettings(
        ours.defines,
        contexts,
        given,
        folders,
        root,
        reader or DiskReader(),
        configurations=kernel,
        project=project,
    )


def template_contexts(path: str, configuration: Configuration) -> tuple[Context, ...]:
    """Return the contexts that a configuration declares for a file: the first matching glob."""
    return _first_match(path, configuration.templates, configuration)


def _first_match(
    path: str, by_glob: Sequence[tuple[str, tuple[_T, ...]]], configuration: Configuration
) -> tuple[_T, ...]:
    if not by_glob:
        return ()
    from ipu_asm.config.globs import path_matches

    for glob, found in by_glob:
        if path_matches(glob, path, configuration.folder):
            return found
    return ()


def root_of(path: str, configured: str = "") -> str:
    """Return the folder that limits header search, besides the include paths.

    It is the folder of its configuration, `configured`, if the file is in there; else the nearest
    one above with version control, else the file's own.
    """
    own = os.path.dirname(os.path.abspath(path))
    if configured and (own == configured or own.startswith(os.path.join(configured, ""))):
        return configured
    folder = own
    while True:
        if any(os.path.lexists(os.path.join(folder, name)) for name in _VERSION_CONTROL):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return own
        folder = parent
