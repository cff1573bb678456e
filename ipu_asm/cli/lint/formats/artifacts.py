"""Files as SARIF names them: by URI references."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

from ipu_asm.cli.lint.formats.paths import absolute_path, path_inside

ROOT = "%SRCROOT%"
"""The base that stands for the root of the checked project, by convention."""

# Surrogates that do not stand for undecodable bytes of a file name.
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def artifact_location(path: str) -> dict[str, str]:
    """`path` seen from the root of the project, or absolute where it is elsewhere."""
    inside = path_inside(path)
    if inside is None:
        return {"uri": _file_uri(absolute_path(path))}
    return {"uri": _quoted(inside), "uriBaseId": ROOT}


def root_uri() -> str:
    """The working directory as the base of relative references, so with a slash at its end."""
    return _file_uri(os.path.join(absolute_path("."), ""))


def _file_uri(absolute: str) -> str:
    path = absolute.replace(os.sep, "/")
    if path.startswith("//"):  # a Windows share: its host is the authority
        return f"file:{_quoted(path)}"
    return f"file://{'' if path.startswith('/') else '/'}{_quoted(path, '/:')}"


def _quoted(path: str, safe: str = "/") -> str:
    return quote(_NO_BYTE.sub("\ufffd", path).encode("utf-8", "surrogateescape"), safe)
