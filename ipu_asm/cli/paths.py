"""File names for build servers: relative to the project, with forward slashes."""

from __future__ import annotations

import os


def project_path(path: str) -> str:
    """Return `path` relative to the working directory if it is inside, else as given."""
    inside = path_inside(path)
    return path.replace(os.sep, "/") if inside is None else inside


def path_inside(path: str) -> str | None:
    """Return `path` relative to the working directory, or None if it is not inside."""
    absolute, prefix = absolute_path(path), os.path.join(absolute_path("."), "")
    inside = absolute.startswith(prefix) and len(absolute) > len(prefix)
    return absolute[len(prefix) :].replace(os.sep, "/") if inside else None


def absolute_path(path: str) -> str:
    """Return the absolute, normalized form of `path`."""
    try:
        folder = os.getcwd()
    except OSError:  # the working directory has been deleted
        folder = os.sep
    return os.path.normpath(os.path.join(folder, path))
