"""What macros and a preprocessor do to a text that nobody has run them on.

Nothing is expanded. It is enough to know which names they make, and which bundles may come out
several times, or not at all.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Iterable, NamedTuple, Sequence

from ipu_asm.bundle import Bundle

_DEFINING = re.compile(r"#\s*define\s+([A-Za-z_]\w*)")
_NAMING = (".macro", ".set", ".equ", ".equiv", ".eqv", ".irp", ".irpc", ".altmacro")
_READING = re.compile(r"#\s*include\b|\.include\b")
_BODY = {".macro": ".endm", ".rept": ".endr", ".irp": ".endr", ".irpc": ".endr"}
_OPENING = re.compile(r"#\s*if|\.if")
_CLOSING = re.compile(r"#\s*endif|\.endif")


class Region(NamedTuple):
    """Bundles ``first..last-1`` that stand in the body of a macro or under a condition."""

    first: int
    last: int
    is_body: bool


class Macros(NamedTuple):
    """`names` are made in the text, lower case; with `reads_files` any name may be made elsewhere.

    `regions` are by their first bundle; none overlaps another.
    """

    names: frozenset[str]
    reads_files: bool
    regions: tuple[Region, ...]

    def make(self, names: Iterable[str]) -> bool:
        """Whether one of the names may be made by a macro or the preprocessor."""
        return self.reads_files or any(name.lower() in self.names for name in names)

    def region_of(self, bundle: int) -> Region | None:
        """The region in which a bundle stands."""
        at = bisect_right(self.regions, bundle, key=lambda region: region.first) - 1
        return self.regions[at] if at >= 0 and bundle < self.regions[at].last else None


NO_MACROS = Macros(frozenset(), False, ())


def read_macros(directives: Sequence[tuple[int, Bundle]], count: int) -> Macros:
    """The macros of a text: `directives` are its directive bundles with their numbers.

    `count` is the number of all its bundles.
    """
    names: set[str] = set()
    reads_files = False
    for _, bundle in directives:
        words = bundle.syntax.words[bundle.syntax.plan.directive :]
        reads_files = reads_files or bool(_READING.match(words[0]))
        match = _DEFINING.match(words[0])
        if match:
            names.add(match[1].lower())
        elif words[0] in _NAMING and len(words) > 1:
            names.add(words[1].lower())
    return Macros(frozenset(names), reads_files, tuple(_regions(directives, count)))


def _regions(directives: Sequence[tuple[int, Bundle]], count: int) -> Iterable[Region]:
    """The outermost regions. One that is never closed goes on to the end of the text."""
    depth, first, is_body = 0, 0, False
    for number, bundle in directives:
        word = bundle.directive or ""
        if word in _BODY or _OPENING.match(word):
            if depth == 0:
                first, is_body = number, False
            depth += 1
            is_body = is_body or word in _BODY
        elif depth and (word in _BODY.values() or _CLOSING.match(word)):
            depth -= 1
            if depth == 0:
                yield Region(first, number + 1, is_body)
    if depth:
        yield Region(first, count, is_body)
