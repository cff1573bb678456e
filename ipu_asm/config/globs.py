"""Glob patterns for paths, with the semantics of `.gitignore`.

By hand, because pathspec compiles a pattern with many stars to an expression of exponential time
(`*a` 40 times never ends), takes `[!b]` for a slash and raises for `[z-a]`.
"""

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
    """Whether a pattern that is relative to `folder` matches `path`.

    A pattern without a slash, except at its end, matches names at any depth; one with a slash
    begins at `folder`. A match of a folder includes all files in it. `*` and `?` match no slash;
    `**` alone between slashes, or at the beginning of a name, matches any number of folders.
    """
    path = os.path.abspath(path)
    inside = os.path.relpath(path, folder) if path.startswith(folder) else path
    return _expression(pattern).fullmatch(inside.replace(os.sep, "/")) is not None


@lru_cache(maxsize=2_048)
def _expression(pattern: str) -> re.Pattern[str]:
    """The expression for a pattern; no pattern takes more than quadratic time.

    Each star takes the shortest stretch after which the part up to the next star matches, without
    backtracking: a longer stretch could only leave less text for the stars that follow.
    """
    try:
        return re.compile(_Writer().written(_parts(pattern)), re.DOTALL)
    except re.error:  # a range such as `[z-a]`
        return re.compile(re.escape(pattern))


def _parts(pattern: str) -> list[str]:
    """The parts between slashes; `**` matches any number of folders."""
    parts: list[str] = [] if "/" in pattern.rstrip("/") else [_ANY_FOLDERS]
    for part in pattern.removeprefix("./").strip("/").split("/"):
        if part.startswith(_ANY_FOLDERS):
            parts.append(_ANY_FOLDERS)
            part = part.lstrip("*") and f"*{part.lstrip('*')}"
        if part:
            parts.append(part)
    return parts


class _Writer:
    """Writes the regular expression of one pattern; counts its groups."""

    def __init__(self) -> None:
        self._groups = 0

    def written(self, parts: Sequence[str]) -> str:
        """The expression for a path, from the parts of its pattern."""
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
        """The expression for the whole name of a file or folder."""
        first, *rest = (_fixed(piece) for piece in _STAR.split(part))
        if not rest:
            return first + _PART_ENDS
        *middle, last = rest
        stretches = "".join(self._once(f"[^/]*?{piece}") for piece in middle)
        return first + stretches + self._once(f"[^/]*?{last}{_PART_ENDS}")

    def _once(self, stretch: str) -> str:
        """An expression that matches the first match of a stretch, without backtracking.

        A lookahead is never entered again; the atomic groups of Python 3.11.0 to 3.11.4 are.
        """
        self._groups += 1
        return f"(?=(?P<g{self._groups}>{stretch}))(?P=g{self._groups})"


def _fixed(piece: str) -> str:
    """The expression for a piece without stars, which matches one length only."""
    return "".join(map(_character, _PIECE.finditer(piece)))


def _character(match: re.Match[str]) -> str:
    if match[0] == "?":
        return "[^/]"
    if match[2] is None:
        return re.escape(match[0])
    # Escape what has, or will have, a meaning in the set of a regular expression.
    inner = re.sub(r"[\\\[&~|]", r"\\\g<0>", re.sub("-+", "-", match[2]))
    return f"(?!/)[{'^' if match[1] else ''}{inner}]"
