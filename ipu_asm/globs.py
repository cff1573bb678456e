"""Patterns for paths, as `.gitignore` reads them: what a project's configuration is written in."""

from __future__ import annotations

import os
import re
from functools import lru_cache

_PIECE = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[!?[^\]/]+\]|.", re.DOTALL)
_MEANINGS = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def path_matches(pattern: str, path: str, folder: str) -> bool:
    """Whether a pattern that is relative to `folder` stands for `path`.

    Without a slash (but at its end) it names files and folders at any depth, with one it begins at
    `folder`; a folder stands for all that is in it. `*` and `?` stop at slashes, `**` does not.
    """
    path = os.path.abspath(path)
    inside = os.path.relpath(path, folder) if path.startswith(folder) else path
    return _expression(pattern).fullmatch(inside.replace(os.sep, "/")) is not None


@lru_cache(maxsize=200)
def _expression(pattern: str) -> re.Pattern[str]:
    anywhere = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    pieces = _PIECE.findall(pattern.removeprefix("./").strip("/"))
    written = f"{anywhere}{''.join(map(_meaning, pieces))}(?:/.*)?"
    try:
        return re.compile(written, re.DOTALL)
    except re.error:  # a range such as `[z-a]`
        return re.compile(re.escape(pattern))


def _meaning(piece: str) -> str:
    if piece.startswith("[") and len(piece) > 2:
        return piece.replace("[!", "[^", 1).replace("\\", "\\\\")
    return _MEANINGS.get(piece) or re.escape(piece)
