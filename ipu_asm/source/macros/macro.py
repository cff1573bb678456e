"""Definitions of macros, and substitution of arguments in their bodies."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.macros.arguments import Argument, Parameter
from ipu_asm.source.macros.mapped_text import (
    Computed,
    JoinedText,
    MappedText,
    Reframing,
    Slice,
    TextBuilder,
    frame_at,
    written_range,
)
from ipu_asm.source.source_map import Frame, FrameKind, SourceRange
from ipu_asm.text import Span

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

    def size(self, arguments: Mapping[str, Argument]) -> int:
        """Return the length of the body with these arguments."""
        lengths = {name: len(argument.text) for name, argument in arguments.items()}
        return self.span.end - self.span.start + sum(lengths.get(p.name, 0) for p in self.parts)

    def expanded(
        self,
        frame: Frame,
        arguments: Mapping[str, Argument],
        caller: Frame | None,
        counter: str,
    ) -> BodyText:
        """Return the body with arguments in place of parameters.

        `frame` is that of the call or iteration, `caller` the one that it stands in.
        """
        built = TextBuilder()
        source, at = self.source, self.span.start
        reframe = Reframing(self.base, frame)
        for start, end, name, use in self.parts:
            built.add(source, at, start, reframe)
            at = end
            argument = arguments.get(name)
            if argument is not None:
                place = self.parameters.get(name)
                value = Frame(FrameKind.VALUE, f"value of `{name}`", use, place, frame)
                for span in argument.spans:
                    built.add(argument.source, *span, Reframing(caller, value))
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
