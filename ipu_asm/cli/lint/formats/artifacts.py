"""SARIF artifact locations: files as URI references."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

from ipu_asm.cli.paths import absolute_path, path_inside

ROOT = "%SRCROOT%"
"""The conventional name of the base URI for the root of the project."""

# Surrogates other than those that represent undecodable bytes of a file name.
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def artifact_location(path: str) -> dict[str, str]:
    """Return the location of `path` relative to the project root, or absolute if outside of it."""
    inside = path_inside(path)
    if inside is None:
        return {"uri": _file_uri(absolute_path(path))}
    return {"uri": _quoted(inside), "uriBaseId": ROOT}


def root_uri() -> str:
    """Return the URI of the working directory, with the final slash that a base needs."""
    return _file_uri(os.path.join(absolute_path("."), ""))


def _file_uri(absolute: str) -> str:
    path = absolute.replace(os.sep, "/")
    if path.startswith("//"):  # a Windows share: its host is the URI's authority
        return f"file:{_quoted(path)}"
    return f"file://{'' if path.startswith('/') else '/'}{_quoted(path, '/:')}"


def _quoted(path: str, safe: str = "/") -> str:
    return quote(_NO_BYTE.sub("\ufffd", path).encode("utf-8", "surrogateescape"), safe)
