"""Regions of a text between an opening and a closing directive: macro bodies and conditionals."""

from __future__ import annotations

import re
from typing import Final

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program

BODY: Final = "body"
CONDITION: Final = "condition"
_OPENING: Final = {
    BODY: re.compile(r"\.(?:macro|rept?|ire?pc?)\b"),
    CONDITION: re.compile(r"(?:#\s*|\.)if"),
}
_CLOSING: Final = {
    BODY: re.compile(r"\.(?:endm(?:acro)?|endr)\b"),
    CONDITION: re.compile(r"(?:#\s*|\.)endif"),
}
_BETWEEN: Final = re.compile(r"(?:#\s*|\.)(?:else|elif)")


class DirectiveRegion(NamedTuple):
    """A region that begins with the directive in bundle `first`.

    It ends with the one in `last`, which closes it or begins the next branch of the conditional.
    """

    first: int
    last: int
    kind: str


@cached_on_program
def regions(program: Program) -> list[DirectiveRegion]:
    """Return all regions: the closed ones ordered by their last bundle, then the unclosed ones.

    Regions can be nested. An unclosed one extends to the last bundle.
    """
    found: list[DirectiveRegion] = []
    opened: list[tuple[int, str]] = []
    for number, bundle in program.directives if program.isa.surface.preprocessed else ():
        word = bundle.directive or ""
        for kind, opening in _OPENING.items():
            if opening.match(word):
                opened.append((number, kind))
            elif opened and opened[-1][1] == kind and _CLOSING[kind].match(word):
                found.append(DirectiveRegion(opened.pop()[0], number, kind))
        if opened and opened[-1][1] == CONDITION and _BETWEEN.match(word):
            found.append(DirectiveRegion(opened.pop()[0], number, CONDITION))
            opened.append((number, CONDITION))
    # An unclosed body or conditional is a region as well.
    found += [DirectiveRegion(first, len(program.bundles) - 1, kind) for first, kind in opened]
    return found


@cached_on_program
def region_ends(program: Program) -> dict[int, int]:
    """Return the last bundle of each region by its first one."""
    return {region.first: region.last for region in regions(program)}


@cached_on_program
def bodies(program: Program) -> frozenset[int]:
    """Return the numbers of the bundles in macro bodies, including the enclosing directives."""
    found: set[int] = set()
    covered = 0
    for first, last, kind in sorted(regions(program)):
        if kind == BODY:
            found.update(range(max(first, covered), last + 1))
            covered = max(covered, last + 1)
    return frozenset(found)
