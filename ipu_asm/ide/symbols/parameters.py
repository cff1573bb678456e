"""Parameters of macros and their uses: ``.macro STEP dst, n=4`` and ``\\dst`` in its body."""

from __future__ import annotations

import re
from typing import Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.ide.macros import BODY, MACRO, Macro, define_in, regions
from ipu_asm.ide.symbols import (
    Definition,
    NamedSymbol,
    Occurrence,
    OccurrenceKind,
    RenameError,
    line_of,
)
from ipu_asm.ide.symbols.registers import only_renameable
from ipu_asm.ide.syntax_element import comment_at, end_of_bundle
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import inline_code
from ipu_asm.text import Span, TextEdit

MARK: Final = "\\"
_WRITTEN: Final = re.compile(r"\\([A-Za-z_]\w*)")
_BEGUN: Final = re.compile(r"\\(?:[A-Za-z_]\w*)?\Z")
_REST: Final = re.compile(r"\w*")
_MAX_NAME: Final = 100
_PARAMETER: Final = re.compile(
    r"([A-Za-z_]\w*)(?:\s*:\s*(req|vararg)\b)?"
    r'(?:\s*=\s*("(?:[^"\\]|\\.)*"|(?:\([^()]*\)|[^\s,"])+))?'
)
_OF_DEFINE: Final = re.compile(r"[^\s,\\]+")
_REPEATING: Final = (".irp", ".irpc")
_KINDS: Final = {"req": "required", "vararg": "takes all remaining arguments"}
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


class Parameter(NamedTuple):
    """A parameter as a symbol: known in the body in which it has a value."""

    body: MacroBody
    parameter: MacroParameter

    @property
    def name(self) -> str:
        """The name without a backslash."""
        return self.parameter.name

    def definitions(self, analysis: Analysis) -> list[Definition]:
        """Return the place in the directive that declares the parameter."""
        span = self.parameter.span
        full = Span(span.start, end_of_bundle(analysis.program, self.body.first))
        return [Definition(span, full)]

    def occurrences(self, analysis: Analysis) -> list[Occurrence]:
        """Return the declaration and the uses in the body, with their backslashes."""
        uses = _uses_of(analysis.program, self)
        return [
            Occurrence(self.parameter.span, OccurrenceKind.DEFINES),
            *(Occurrence(span, OccurrenceKind.NAMES) for span in uses),
        ]

    def description(self, analysis: Analysis) -> str:
        """Return the page of the parameter, as shown where the body uses it."""
        title = f"**{inline_code(self.name)}** · "
        owner, values = inline_code(self.body.name), self.parameter.default
        if self.parameter.kind == "each":
            title += f"takes each value of {owner} in turn"
            return f"{title}\n\nTakes {inline_code(values)}." if values else title
        title += f"parameter of the macro {owner}, line {line_of(analysis, self.parameter.span)}"
        described = described_parameter(self.parameter)
        return f"{title}\n\n{described[:1].upper()}{described[1:]}." if described else title

    def check_renameable(self, analysis: Analysis, _span: Span) -> None:
        """Raise `RenameError`."""
        raise RenameError(only_renameable(analysis))

    def renaming(self, analysis: Analysis, _new_name: str) -> list[TextEdit]:
        """Raise `RenameError`."""
        raise RenameError(only_renameable(analysis))


def shown_parameters(parameters: Sequence[MacroParameter]) -> str:
    """Return the parameters on one line, each with its default if it has one."""
    return ", ".join(f"{p.name}={p.default}" if p.default else p.name for p in parameters)


def described_parameter(parameter: MacroParameter) -> str:
    """Return what a call must know of a parameter; "" if it is an ordinary one."""
    described = [_KINDS[parameter.kind]] if parameter.kind in _KINDS else []
    described += [f"{inline_code(parameter.default)} by default"] if parameter.default else []
    return ", ".join(described)


def parameters_of(program: Program, macro: Macro) -> tuple[MacroParameter, ...]:
    """Return the parameters of a macro in order."""
    syntax, start = program.bundles[macro.bundle].syntax, program.starts[macro.bundle]
    if not macro.is_define:
        return _named_after(program, macro.bundle, macro.span.end - start)
    match = define_in(syntax)
    if match is None or match[2] is None:
        return ()
    at = start + syntax.spans[syntax.plan.directive].start + match.start(2)
    found = _OF_DEFINE.finditer(match[2])
    return tuple(MacroParameter(each[0], Span(*each.span()).shifted(at)) for each in found)


def parameter_at(program: Program, offset: int) -> NamedSymbol | None:
    """Return the parameter used in a body or declared at `offset`; a use has its backslash."""
    number = program.bundle_at(offset)
    start = program.starts[number]
    text = program.bundles[number].syntax.text
    if MARK in text and not comment_at(program, number, offset):
        for match in _WRITTEN.finditer(text):
            span = Span(*match.span()).shifted(start)
            if span.touches(offset):
                used = _parameter_in_scope(program, number, match[1])
                return (
                    _declared_at(program, number, offset)
                    if used is None
                    else NamedSymbol(used, span)
                )
    return _declared_at(program, number, offset)


def parameters_to_complete(program: Program, offset: int) -> tuple[list[Parameter], Span] | None:
    """Return the parameters that a use begun before `offset` can mean, and the span of the use.

    The span includes the backslash and the letters on both sides of `offset`. Returns None if there
    is no backslash.
    """
    match = _BEGUN.search(program.text, max(0, offset - _MAX_NAME), offset)
    number = program.bundle_at(offset)
    if match is None or comment_at(program, number, offset):
        return None
    found: dict[str, Parameter] = {}
    for body in _bodies_around(program, number):
        for parameter in body.parameters if body.first < number else ():
            found.setdefault(parameter.name, Parameter(body, parameter))
    after = _REST.match(program.text, offset)
    return list(found.values()), Span(match.start(), after.end() if after else offset)


def _declared_at(program: Program, number: int, offset: int) -> NamedSymbol | None:
    for body in _bodies_around(program, number):
        for parameter in body.parameters if body.first == number else ():
            if parameter.span.touches(offset):
                return NamedSymbol(Parameter(body, parameter), parameter.span)
    return None


def _uses_of(program: Program, use: Parameter) -> Iterator[Span]:
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


def _parameter_in_scope(program: Program, number: int, name: str) -> Parameter | None:
    """Return the parameter called `name` that is in scope in a bundle, if any."""
    for body in _bodies_around(program, number):
        for parameter in body.parameters if body.first < number else ():
            if parameter.name == name:
                return Parameter(body, parameter)
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
            name, after = syntax.words[first + 1], syntax.spans[first + 1].end
            found = _named_after(program, region.first, after)
            yield MacroBody(region.first, region.last, name, found)
        elif word in _REPEATING:
            parameter = _repeated(program, region.first)
            yield MacroBody(region.first, region.last, word, (parameter,))


def _repeated(program: Program, number: int) -> MacroParameter:
    """Return the variable of a repetition, with the values that it takes as its default."""
    syntax = program.bundles[number].syntax
    first = syntax.plan.directive
    values = _code_after(program, number, syntax.spans[first + 1].end).strip(" \t,")
    span = program.span(number, syntax.spans[first + 1])
    return MacroParameter(syntax.words[first + 1], span, values, "each")


def _named_after(program: Program, number: int, offset: int) -> tuple[MacroParameter, ...]:
    """Return the parameters declared after the name of a macro."""
    at = program.starts[number] + offset
    return tuple(
        MacroParameter(match[1], Span(*match.span(1)).shifted(at), match[3] or "", match[2] or "")
        for match in _PARAMETER.finditer(_code_after(program, number, offset))
    )


def _code_after(program: Program, number: int, offset: int) -> str:
    """Return the rest of a directive after an offset, with blanks in place of comments."""
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
