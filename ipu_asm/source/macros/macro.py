"""Definitions of macros, and substitution of arguments in their bodies."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import Iterator, Mapping, Sequence

from ipu_asm.diagnostics import TOO_FEW_OPERANDS, TOO_MANY_OPERANDS, UNKNOWN_KEYWORD, RuleId
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.macros.mapped_text import (
    Computed,
    JoinedText,
    MappedText,
    Slice,
    StackSubstitution,
    TextBuilder,
    frame_at,
    written_range,
)
from ipu_asm.source.source_map import Frame, FrameKind, SourceRange
from ipu_asm.text import Span, counted

_NAME = r"[A-Za-z_.$][\w.$]*"
_PARAMETER = re.compile(
    rf"[ \t,()]*(?P<name>{_NAME})(?:[ \t]*:[ \t]*(?P<rule>\w+))?(?P<default>[ \t]*=[ \t]*)?"
)
_KEYWORD = re.compile(rf"({_NAME})[ \t]*=(?!=)[ \t]*")
# Blanks before and after an operator belong to an argument, others end it.
_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\r\n]|\\[^\r\n])*")|(?P<register>\$[\w.:$]+(?:\+=|\+\+|@|>>)?)'
    r"|(?P<operator>[ \t]*(?:<<|>>|&&|\|\||[<>=!]=|<>|[-+*/|&^~!<>=])[ \t]*)"
    r"|(?P<comma>,)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<blank>[ \t]+)"
    r"|(?P<word>[\w.\\@]+|.)",
    re.DOTALL,
)
_BLANKS = re.compile(r"[ \t]*")


class Argument(NamedTuple):
    """A text in a source; `spans` are its parts, without the quotes of strings."""

    source: MappedText
    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The text that is substituted."""
        return "".join([self.source.text[start:end] for start, end in self.spans])


class Parameter(NamedTuple):
    """A parameter of a macro at a place in its source; `written` is all of its declaration."""

    name: str
    span: Span
    written: str
    is_required: bool = False
    takes_rest: bool = False
    default: Argument | None = None


class Misuse(NamedTuple):
    """A mistake in a call; `span` is in the source of the call."""

    rule: RuleId
    message: str
    span: Span


class _Written(NamedTuple):
    """An argument as written; `keyword` is the name before `=`, if there is one."""

    span: Span
    spans: tuple[Span, ...]
    keyword: str = ""


_MARKED = re.compile(r"\\(?:\(\)|@|\+|[A-Za-z_.$][\w.$]*)")


class _Part(NamedTuple):
    """A use of a parameter or counter in a body; `name` is `()` for the empty mark."""

    start: int
    end: int
    name: str
    written: SourceRange


class Body:
    """A text in which parameters are replaced."""

    def __init__(
        self, source: MappedText, span: Span, parameters: Mapping[str, SourceRange]
    ) -> None:
        """`parameters` maps names to the places where they are declared."""
        self.source = source
        self.span = span
        self.parameters = parameters
        self.base = frame_at(source, span.start)
        # The texts of arguments that it was expanded with.
        self.bindings: set[tuple[tuple[str, str], ...]] = set()

    @cached_property
    def parts(self) -> Sequence[_Part]:
        """The uses of parameters and counters in the body."""
        found = []
        for match in _MARKED.finditer(self.source.text, *self.span):
            name = match[0][1:]
            if name in self.parameters or name in ("@", "+", "()"):
                written = written_range(self.source, *match.span())
                found.append(_Part(*match.span(), name, written))
        return found

    @cached_property
    def _uses(self) -> Counter[str]:
        return Counter(part.name for part in self.parts)

    def size(self, arguments: Mapping[str, Argument]) -> int:
        """Return the length of the body with these arguments."""
        sizes = (self._uses[name] * len(each.text) for name, each in arguments.items())
        return self.span.end - self.span.start + sum(sizes)

    def expanded(
        self, frame: Frame, arguments: Mapping[str, Argument], caller: Frame | None, counter: str
    ) -> BodyText:
        """Return the body with arguments in place of parameters.

        `frame` is the frame of the call or iteration, `caller` the frame around it.
        """
        built = TextBuilder()
        source, at = self.source, self.span.start
        reframe = StackSubstitution(self.base, frame)
        for start, end, name, use in self.parts:
            built.add(source, at, start, reframe)
            at = end
            argument = arguments.get(name)
            if argument is not None:
                place = self.parameters.get(name)
                value = Frame(FrameKind.VALUE, f"value of `{name}`", use, place, frame)
                for span in argument.spans:
                    built.add(argument.source, *span, StackSubstitution(caller, value))
            elif name in ("@", "+"):
                built.add_computed(counter, use, frame)
        built.add(source, at, self.span.end, reframe)
        self.bindings.add(tuple((name, each.text) for name, each in arguments.items()))
        made = built.built()
        return BodyText(made.text, made.parts, self, Binding(frame, arguments, caller, counter))


class Binding(NamedTuple):
    """What a body is expanded with: see `Body.expanded`."""

    frame: Frame
    arguments: Mapping[str, Argument]
    caller: Frame | None
    counter: str


class BodyText(JoinedText):
    """The text that a call or a repetition makes of a body."""

    def __init__(
        self, text: str, parts: Sequence[Slice | Computed], body: Body, binding: Binding
    ) -> None:
        super().__init__(text, parts)
        self.body = body
        self.binding = binding

    def offset(self, offset: int) -> int:
        """Return where an offset of the body's source, in none of its parameters, is."""
        arguments, counter = self.binding.arguments, self.binding.counter
        at = offset - self.body.span.start
        for start, end, name, _ in self.body.parts:
            if start >= offset:
                break
            value = arguments[name].text if name in arguments else ""
            at += len(counter if name in ("@", "+") else value) - (end - start)
        return at


class Macro(NamedTuple):
    """A macro: its body, `full` definition in the source, and `place` of the name as written."""

    name: str
    parameters: Sequence[Parameter]
    body: Body
    full: Span
    place: SourceRange


def read_parameters(source: MappedText, start: int, end: int) -> tuple[Parameter, ...]:
    """Parse the parameter list of a macro, which begins at offset `start`."""
    found: list[Parameter] = []
    while match := _PARAMETER.match(source.text, start, end):
        stop, default = match.end(), None
        if match["default"] is not None:
            value = _argument(source.text, stop, end)
            stop, default = max(stop, value.span.end), Argument(source, value.spans)
        span = Span(*match.span("name"))
        rule = match["rule"]
        written = source.text[span.start : stop]
        found.append(
            Parameter(match["name"], span, written, rule == "req", rule == "vararg", default)
        )
        start = stop
    return tuple(found)


def bind(
    name: str, parameters: Sequence[Parameter], source: MappedText, word: Span, end: int
) -> dict[str, Argument] | Misuse:
    """Return the arguments of a call by the names of their parameters.

    `word` is the name of the macro in the source of the call, which ends at `end`.
    """
    bound: dict[str, Argument] = {}
    names = {parameter.name for parameter in parameters}
    place = 0
    for written in _written_arguments(source.text, word.end, end, parameters):
        if written.keyword and written.keyword not in names:
            message = f"macro `{name}` has no parameter `{written.keyword}`"
            start = written.span.start
            return Misuse(UNKNOWN_KEYWORD, message, Span(start, start + len(written.keyword)))
        if not written.keyword and place >= len(parameters):
            if not written.spans:
                continue
            takes = counted(len(parameters), "argument") if parameters else "no arguments"
            message = f"macro `{name}` takes {takes}, found one more"
            return Misuse(TOO_MANY_OPERANDS, message, written.span)
        key = written.keyword or parameters[place].name
        place += not written.keyword
        if written.spans:
            bound[key] = Argument(source, written.spans)
    for parameter in parameters:
        if parameter.name in bound:
            continue
        if parameter.is_required:
            message = f"macro `{name}` requires a value for parameter `{parameter.name}`"
            return Misuse(TOO_FEW_OPERANDS, message, word)
        bound[parameter.name] = parameter.default or Argument(source, ())
    return bound


def values(source: MappedText, start: int, end: int) -> list[Argument]:
    """Return the values of a list, as of `.irp`."""
    return [
        Argument(source, written.spans) for written in _written_arguments(source.text, start, end)
    ]


def _written_arguments(
    text: str, start: int, end: int, parameters: Sequence[Parameter] = ()
) -> Iterator[_Written]:
    place = 0
    start = _behind_blanks(text, start, end)
    while start < end:
        keyword = _KEYWORD.match(text, start, end) if parameters else None
        if 0 <= place < len(parameters) and parameters[place].takes_rest:
            if keyword and all(keyword[1] != each.name for each in parameters):
                keyword = None
            rest = Span(keyword.end() if keyword else start, end)
            yield _Written(Span(start, end), (rest,), keyword[1] if keyword else "")
            return
        value = _argument(text, keyword.end() if keyword else start, end)
        if keyword:
            value = _Written(Span(start, value.span.end), value.spans, keyword[1])
        yield value
        place += not keyword
        start = _behind_blanks(text, value.span.end, end)
        if start < end and text[start] == ",":
            start = _behind_blanks(text, start + 1, end)


def _behind_blanks(text: str, start: int, end: int) -> int:
    match = _BLANKS.match(text, start, end)
    return match.end() if match else start


def _argument(text: str, start: int, end: int) -> _Written:
    """Read one argument: up to a comma, or a blank that is not beside an operator."""
    spans: list[Span] = []
    depth, at = 0, start
    while at < end and (match := _TOKEN.match(text, at, end)):
        kind = match.lastgroup
        if not depth and kind in ("comma", "blank"):
            break
        depth = max(0, depth + (kind == "open") - (kind == "close"))
        first, at = match.span()
        part = Span(first + 1, at - 1) if kind == "string" else Span(first, at)
        if spans and spans[-1].end == part.start:
            part = Span(spans.pop().start, part.end)
        spans.append(part)
    return _Written(Span(start, at), tuple(spans))
