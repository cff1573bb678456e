"""Macro definitions of a text, and their values.

Nothing is cached: each query scans all directives of the program.
"""

from __future__ import annotations

import re
from typing import Final, Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide.syntax_element import comment_at
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span

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


MACRO: Final = ".macro"


DEFINE: Final = re.compile(r"#\s*define\s+([A-Za-z_]\w*)(?:\(([^)]*)\)?)?")


_NAME: Final = re.compile(r"(?<!\w)[A-Za-z_]\w*")


_FIRST_WORD: Final = re.compile(r"[\w.]+")


_NO_CODE: Final = re.compile(
    r'("(?:[^"\\\r\n]|\\.)*")|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|\\[ \t]*(?:\r\n|\n|\r)'
)


_DEEPEST: Final = 8


_LONGEST_VALUE: Final = 200


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


def expand_names(program: Program, macros: Macros, text: str) -> str:
    """Replace object-like macros in a text by their values, recursively up to a fixed depth."""

    def value(match: re.Match[str]) -> str:
        for macro in macros.get(match[0], ())[:1]:
            if macro.is_define and macro.is_object_like:
                return replacement_text(program, macro)
        return match[0]

    for _ in range(_DEEPEST):
        before, text = text, _NAME.sub(value, text)
        if text == before or len(text) > _LONGEST_VALUE:
            break
    return text


def is_usable_as_instruction(
    program: Program, macros: Macros, macro: Macro, depth: int = _DEEPEST
) -> bool:
    """Check whether a macro can be used as an instruction."""
    if not macro.is_define:
        return True
    value, surface = replacement_text(program, macro), program.isa.surface
    if surface.brackets and value.startswith(surface.brackets[0]):
        return True
    match = _FIRST_WORD.match(value)
    if match is None or not depth:
        return False
    if program.isa.spec(match[0]) is not None or match[0] in surface.directives:
        return True
    inner = macros.get(match[0], ())[:1]
    return any(is_usable_as_instruction(program, macros, each, depth - 1) for each in inner)


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


MARK: Final = "\\"


_WRITTEN: Final = re.compile(r"\\([A-Za-z_]\w*)")


_BEGUN: Final = re.compile(r"\\(?:[A-Za-z_]\w*)?\Z")


_REST: Final = re.compile(r"\w*")


_LONGEST_NAME: Final = 100


_PARAMETER: Final = re.compile(
    r"([A-Za-z_]\w*)(?:\s*:\s*(req|vararg)\b)?"
    r'(?:\s*=\s*("(?:[^"\\]|\\.)*"|(?:\([^()]*\)|[^\s,"])+))?'
)


_OF_DEFINE: Final = re.compile(r"[^\s,\\]+")


_REPEATING: Final = (".irp", ".irpc")


_NO_BREAK: Final = re.compile(r"[^\r\n]")


class MacroParameter(NamedTuple):
    """A parameter of a macro, with the span of its name in the directive.

    `kind` is "req", "vararg" or empty. It is "each" for the variable of a repetition (``.irp``,
    ``.irpc``), whose `default` is the list of its values. `default` is empty if there is none.
    """

    name: str
    span: Span
    default: str = ""
    kind: str = ""


class MacroBody(NamedTuple):
    """The body of a macro or repetition: its first and last bundle, its name and its parameters."""

    first: int
    last: int
    name: str
    parameters: tuple[MacroParameter, ...]


class ParameterInScope(NamedTuple):
    """A parameter and the body in which it has a value."""

    body: MacroBody
    parameter: MacroParameter


def parameters_of(program: Program, macro: Macro) -> tuple[MacroParameter, ...]:
    """Return the parameters of a macro in order."""
    syntax, start = program.bundles[macro.bundle].syntax, program.starts[macro.bundle]
    if not macro.is_define:
        return _named_behind(program, macro.bundle, macro.span.end - start)
    match = define_in(syntax)
    if match is None or match[2] is None:
        return ()
    at = start + syntax.spans[syntax.plan.directive].start + match.start(2)
    found = _OF_DEFINE.finditer(match[2])
    return tuple(MacroParameter(each[0], Span(*each.span()).shifted(at)) for each in found)


def parameter_use_at(program: Program, offset: int) -> tuple[ParameterInScope, Span] | None:
    """Return the parameter used at `offset` in a body and the span of the use with backslash."""
    number = program.bundle_at(offset)
    start = program.starts[number]
    text = program.bundles[number].syntax.text
    if MARK not in text or comment_at(program, number, offset):
        return None
    for match in _WRITTEN.finditer(text):
        span = Span(*match.span()).shifted(start)
        if span.touches(offset):
            use = _parameter_in_scope(program, number, match[1])
            return None if use is None else (use, span)
    return None


def parameters_to_complete(
    program: Program, offset: int
) -> tuple[list[ParameterInScope], Span] | None:
    """Return the parameters that a use begun before `offset` can mean, and the span of the use.

    The span includes the backslash and the letters on both sides of `offset`. Returns None if there
    is no backslash.
    """
    match = _BEGUN.search(program.text, max(0, offset - _LONGEST_NAME), offset)
    number = program.bundle_at(offset)
    if match is None or comment_at(program, number, offset):
        return None
    found: dict[str, ParameterInScope] = {}
    for body in _bodies_around(program, number):
        for parameter in body.parameters if body.first < number else ():
            found.setdefault(parameter.name, ParameterInScope(body, parameter))
    behind = _REST.match(program.text, offset)
    return list(found.values()), Span(match.start(), behind.end() if behind else offset)


def parameter_at(program: Program, offset: int) -> tuple[ParameterInScope, Span] | None:
    """Return the parameter declared at `offset` in a body's directive, and the span of its name."""
    number = program.bundle_at(offset)
    for body in _bodies_around(program, number):
        for parameter in body.parameters if body.first == number else ():
            if parameter.span.touches(offset):
                return ParameterInScope(body, parameter), parameter.span
    return None


def uses_of(program: Program, use: ParameterInScope) -> Iterator[Span]:
    """Yield the spans in which a body uses a parameter, with their backslashes."""
    body, name = use.body, use.parameter.name
    for number in range(body.first + 1, body.last + 1):
        syntax = program.bundles[number].syntax
        if MARK + name not in syntax.text or _parameter_in_scope(program, number, name) != use:
            continue
        for token in syntax.spans:
            for match in _WRITTEN.finditer(syntax.text, *token):
                if match[1] == name:
                    yield program.span(number, Span(*match.span()))


def _parameter_in_scope(program: Program, number: int, name: str) -> ParameterInScope | None:
    """Return the parameter called `name` that is in scope in a bundle, if any."""
    for body in _bodies_around(program, number):
        for parameter in body.parameters if body.first < number else ():
            if parameter.name == name:
                return ParameterInScope(body, parameter)
    return None


def _bodies_around(program: Program, number: int) -> Iterator[MacroBody]:
    """Yield the bodies that contain a bundle, innermost first."""
    around = (r for r in regions(program) if r.kind == BODY and r.first <= number <= r.last)
    for region in sorted(around, key=lambda region: -region.first):
        syntax = program.bundles[region.first].syntax
        first = syntax.plan.directive
        word = syntax.words[first]
        if len(syntax.spans) <= first + 1 or syntax.tokens[first + 1].kind != "WORD":
            continue
        if word == MACRO:
            name, behind = syntax.words[first + 1], syntax.spans[first + 1].end
            found = _named_behind(program, region.first, behind)
            yield MacroBody(region.first, region.last, name, found)
        elif word in _REPEATING:
            parameter = _repeated(program, region.first)
            yield MacroBody(region.first, region.last, word, (parameter,))


def _repeated(program: Program, number: int) -> MacroParameter:
    """Return the variable of a repetition, with the values that it takes as its default."""
    syntax = program.bundles[number].syntax
    first = syntax.plan.directive
    values = _code_behind(program, number, syntax.spans[first + 1].end).strip(" \t,")
    span = program.span(number, syntax.spans[first + 1])
    return MacroParameter(syntax.words[first + 1], span, values, "each")


def _named_behind(program: Program, number: int, offset: int) -> tuple[MacroParameter, ...]:
    """Return the parameters declared behind the name of a macro."""
    at = program.starts[number] + offset
    return tuple(
        MacroParameter(match[1], Span(*match.span(1)).shifted(at), match[3] or "", match[2] or "")
        for match in _PARAMETER.finditer(_code_behind(program, number, offset))
    )


def _code_behind(program: Program, number: int, offset: int) -> str:
    """Return the rest of a directive behind an offset, with blanks in place of comments."""
    syntax = program.bundles[number].syntax
    last = len(syntax.spans) - (syntax.tokens[-1].kind == "END")
    text, end = "", offset
    for span in syntax.spans[:last]:
        if span.start >= offset:
            between = syntax.text[end : span.start]
            blank = _NO_BREAK.sub(" ", between) if "/" in between else between
            text += blank + syntax.text[span.start : span.end]
            end = span.end
    return text
