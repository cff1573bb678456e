"""Conversion between URIs and paths, also of folders that a host has copied for its client."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from pygls.uris import to_fs_path

from ipu_asm.config.files import may_name_file

_mounted: dict[str, str] = {}


def mount(uri: str, folder: str) -> None:
    """Convert URIs below that of a folder to paths below `folder`, and the reverse.

    For a host that has copied the folder of its client, such as the worker of a browser.
    """
    _mounted[uri.rstrip("/")] = folder
    uri_of.cache_clear()


def file_schemes() -> list[str]:
    """Return the schemes of URIs that have paths."""
    return sorted({"file", *(urlsplit(uri).scheme for uri in _mounted)})


def path_of(uri: str) -> str | None:
    """Return the path of a URI that is `file` or below a mounted folder, None for any other."""
    for root, folder in _mounted.items():
        if uri == root or uri.startswith(f"{root}/"):
            return _usable(folder + unquote(uri[len(root) :]).rstrip("/"))
    try:
        return _usable(to_fs_path(uri))
    except ValueError:
        # For example `http://[`, which is no valid URI.
        return None


def _usable(path: str | None) -> str | None:
    return path if path and may_name_file(path) else None


@lru_cache(maxsize=20_000)
def uri_of(path: str) -> str | None:
    """Return the URI of a file; None if its name cannot be encoded."""
    try:
        path.encode()
        for root, folder in _mounted.items():
            if path == folder or path.startswith(f"{folder}/"):
                return root + quote(path[len(folder) :])
        return Path(path).as_uri()
    except ValueError:
        return None
