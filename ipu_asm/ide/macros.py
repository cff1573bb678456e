"""Macro definitions of a text and their values, and the regions between two directives.

Macros are not cached: each query scans all directives of the program.
"""

from __future__ import annotations

import re
from typing import Final

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span

MACRO: Final = ".macro"
DEFINE: Final = re.compile(r"#\s*define\s+([A-Za-z_]\w*)(?:\(([^)]*)\)?)?")
_NO_CODE: Final = re.compile(
    r'("(?:[^"\\\r\n]|\\.)*")|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|\\[ \t]*(?:\r\n|\n|\r)'
)
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


class Macro(NamedTuple):
    """One definition of a macro.

    `span` is the name in the definition and `bundle` the number of the bundle with the directive.
    `is_define` is true for ``#define`` and false for ``.macro``. `is_object_like` marks an
    object-like macro: a ``#define`` without a parameter list.
    """

    name: str
    span: Span
    bundle: int
    is_define: bool
    is_object_like: bool


Macros = dict[str, list[Macro]]


def macros_in(program: Program) -> Macros:
    """Return all macros of a text by name; conditionals may give one name several definitions."""
    found: Macros = {}
    for number, bundle in program.directives if program.isa.surface.preprocessed else ():
        macro = _macro(program, number, bundle)
        if macro is not None:
            found.setdefault(macro.name, []).append(macro)
    return found


def macros_called(program: Program, name: str) -> list[Macro]:
    """Return the definitions of one name in source order."""
    return macros_in(program).get(name, []) if program.macros.defines(name) else []


def last_bundle_of(program: Program, macro: Macro) -> int:
    """Return the bundle whose directive ends a macro; without one, the last bundle with a token."""
    if macro.is_define:
        return macro.bundle
    numbers = range(region_ends(program).get(macro.bundle, macro.bundle), macro.bundle, -1)
    return next((n for n in numbers if program.bundles[n].syntax.spans), macro.bundle)


def replacement_text(program: Program, macro: Macro) -> str:
    """Return the replacement text of a ``#define`` on one line without comments; else ""."""
    match = define_in(program.bundles[macro.bundle].syntax)
    return " ".join(without_comments(match.string[match.end() :]).split()) if match else ""


def without_comments(text: str) -> str:
    """Replace comments and line continuations in a part of a preprocessor line by blanks."""
    return _NO_CODE.sub(lambda match: match[1] or " " * len(match[0]), text)


def define_in(syntax: BundleSyntax) -> re.Match[str] | None:
    """Match a ``#define`` line: group 1 is the name, group 2 the parameter list if there is one."""
    return DEFINE.match(syntax.words[syntax.plan.directive])


def _macro(program: Program, number: int, bundle: Bundle) -> Macro | None:
    """Return the macro that a directive defines, if any."""
    syntax, first = bundle.syntax, bundle.syntax.plan.directive
    match = define_in(syntax)
    if match:
        span = Span(*match.span(1)).shifted(syntax.spans[first].start)
        return Macro(match[1], program.span(number, span), number, True, match[2] is None)
    if syntax.words[first] != MACRO or len(syntax.words) <= first + 1:
        return None
    if syntax.tokens[first + 1].kind != "WORD":
        return None
    name = program.span(number, syntax.spans[first + 1])
    return Macro(syntax.words[first + 1], name, number, False, False)


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
