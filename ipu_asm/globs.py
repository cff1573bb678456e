"""Patterns for paths, as `.gitignore` reads them: what a project's configuration is written in."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import groupby
from typing import Sequence

_STAR = re.compile(r"\*+")
_PIECE = re.compile(r"\?|\[([!^]?)([^\]/]+)\]|.", re.DOTALL)
_ANY_FOLDERS = "**"
_PART_ENDS = "(?![^/])"


def path_matches(pattern: str, path: str, folder: str) -> bool:
    """Whether a pattern that is relative to `folder` stands for `path`.

    Without a slash (but at its end) it names files and folders at any depth, with one it begins at
    `folder`; a folder stands for all that is in it. `*` and `?` stop at slashes; `**` alone between
    slashes, or at the beginning of a name, stands for any number of folders.
    """
    path = os.path.abspath(path)
    inside = os.path.relpath(path, folder) if path.startswith(folder) else path
    return _expression(pattern).fullmatch(inside.replace(os.sep, "/")) is not None


@lru_cache(maxsize=2_048)
def _expression(pattern: str) -> re.Pattern[str]:
    """The expression for a pattern; no pattern takes more than quadratic time.

    Each star takes the shortest stretch that what follows it up to the next star allows, and is
    not tried again: a longer one could only leave less for the stars behind it. So every such
    stretch is an atomic group, as in `fnmatch`.
    """
    try:
        return re.compile(_written(_parts(pattern)), re.DOTALL)
    except re.error:  # a range such as `[z-a]`
        return re.compile(re.escape(pattern))


def _parts(pattern: str) -> list[str]:
    """What stands between slashes; `**` is any number of folders."""
    parts: list[str] = [] if "/" in pattern.rstrip("/") else [_ANY_FOLDERS]
    for part in pattern.removeprefix("./").strip("/").split("/"):
        if part.startswith(_ANY_FOLDERS):
            parts.append(_ANY_FOLDERS)
            part = part.lstrip("*") and f"*{part.lstrip('*')}"
        if part:
            parts.append(part)
    return parts


def _written(parts: Sequence[str]) -> str:
    written = ""
    for is_folders, group in groupby(parts, _ANY_FOLDERS.__eq__):
        if is_folders:
            continue
        names = "/".join(map(_name, group))
        slash = "/" if written else ""
        is_anchored = not written and parts[0] != _ANY_FOLDERS
        written += names if is_anchored else f"{slash}(?>(?:[^/]*/)*?{names})"
    if not written:
        return ".*"
    return written + ("/.*" if parts[-1] == _ANY_FOLDERS else "(?:/.*)?")


def _name(part: str) -> str:
    """A file's or folder's name, from its beginning to its end."""
    first, *rest = (_fixed(piece) for piece in _STAR.split(part))
    if not rest:
        return first + _PART_ENDS
    *middle, last = rest
    stretches = "".join(f"(?>[^/]*?{piece})" for piece in middle)
    return f"{first}{stretches}(?>[^/]*?{last}{_PART_ENDS})"


def _fixed(piece: str) -> str:
    """What has no star in it, so that its length is known."""
    return "".join(map(_character, _PIECE.finditer(piece)))


def _character(match: re.Match[str]) -> str:
    if match[0] == "?":
        return "[^/]"
    if match[2] is None:
        return re.escape(match[0])
    # Escaped are those which mean, or will mean, something else in an expression's set.
    inner = re.sub(r"[\\\[&~|]", r"\\\g<0>", re.sub("-+", "-", match[2]))
    return f"(?!/)[{'^' if match[1] else ''}{inner}]"
