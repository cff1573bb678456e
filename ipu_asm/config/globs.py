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
    not tried again: a longer one could only leave less for the stars behind it.
    """
    try:
        return re.compile(_Writer().written(_parts(pattern)), re.DOTALL)
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


class _Writer:
    """Writes an expression; counts its groups."""

    def __init__(self) -> None:
        self._groups = 0

    def written(self, parts: Sequence[str]) -> str:
        """The expression for a path, part by part."""
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
        """A file's or folder's name, from its beginning to its end."""
        first, *rest = (_fixed(piece) for piece in _STAR.split(part))
        if not rest:
            return first + _PART_ENDS
        *middle, last = rest
        stretches = "".join(self._once(f"[^/]*?{piece}") for piece in middle)
        return first + stretches + self._once(f"[^/]*?{last}{_PART_ENDS}")

    def _once(self, stretch: str) -> str:
        """An expression that takes the first match of a stretch and never another.

        A look ahead is not entered again; the atomic groups of Python 3.11.0 to 3.11.4 are.
        """
        self._groups += 1
        return f"(?=(?P<g{self._groups}>{stretch}))(?P=g{self._groups})"


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
