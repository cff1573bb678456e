"""Parameters of macros and their uses: ``.macro STEP dst, n=4`` and ``\\dst`` in its body."""

from __future__ import annotations

import re
from typing import Final, Iterator

from ipu_asm.ide.macros.names import MACRO, Macro, define_in
from ipu_asm.ide.regions import BODY, regions
from ipu_asm.ide.syntax_element import comment_at
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span

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
