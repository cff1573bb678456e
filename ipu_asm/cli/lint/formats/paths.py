"""File names as build servers want them: relative to the project, with slashes."""

from __future__ import annotations

import os


def project_path(path: str) -> str:
    """`path` seen from the working directory where it is inside, otherwise as it was given."""
    inside = path_inside(path)
    return path.replace(os.sep, "/") if inside is None else inside


def path_inside(path: str) -> str | None:
    """`path` seen from the working directory, or None where it is not inside."""
    absolute, prefix = absolute_path(path), os.path.join(absolute_path("."), "")
    inside = absolute.startswith(prefix) and len(absolute) > len(prefix)
    return absolute[len(prefix) :].replace(os.sep, "/") if inside else None


def absolute_path(path: str) -> str:
    """`path` from the root of the file system on."""
    try:
        folder = os.getcwd()
    except OSError:  # somebody has deleted it
        folder = os.sep
    return os.path.normpath(os.path.join(folder, path))
