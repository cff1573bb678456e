"""A Jinja environment that marks where each piece of its output was written.

Markers of private-use characters are put into the token stream: before each piece of literal text
and around each output. Rendering copies them to the output, where they are split off.
"""

from __future__ import annotations

import re
from typing import Iterable, Iterator

from jinja2 import StrictUndefined
from jinja2.lexer import TokenStream
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ipu_asm.source.source_map import MAIN, Segment, SourceRange
from ipu_asm.text import Span

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARKER = re.compile(rf"{_OPEN}(\d+)([dbe]){_CLOSE}")


class MarkingEnvironment(ImmutableSandboxedEnvironment):
    """A sandboxed environment; `spans` are those of the marked pieces, by their numbers."""

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined)
        self.spans: list[Span] = []

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        source = self.preprocess(source, name, filename)
        tokens = self._marked(source, self.lexer.tokeniter(source, name, filename, state))
        return TokenStream(self.lexer.wrap(tokens, name, filename), name, filename)

    def _marked(
        self, source: str, tokens: Iterable[tuple[int, str, str]]
    ) -> Iterator[tuple[int, str, str]]:
        position, output = 0, 0
        for line, kind, text in tokens:
            at = source.find(text, position) if text else position
            at = position if at < 0 else at
            position = at + len(text)
            if kind == "data":
                if text:
                    self.spans.append(Span(at, position))
                    yield line, kind, f"{_OPEN}{len(self.spans) - 1}d{_CLOSE}{text}"
                continue
            if kind == "variable_begin":
                output = len(self.spans)
                self.spans.append(Span(at, at))
                yield line, "data", f"{_OPEN}{output}b{_CLOSE}"
            yield line, kind, text
            if kind == "variable_end":
                self.spans[output] = Span(self.spans[output].start, position)
                yield line, "data", f"{_OPEN}{output}e{_CLOSE}"


def segments_of(rendered: str, spans: list[Span]) -> tuple[str, list[Segment]]:
    """Return a rendered text without its markers, and the segments that they delimit."""
    pieces: list[str] = []
    segments: list[Segment] = []
    outputs: list[int] = []
    length, last, current = 0, 0, (0, False)

    def add(text: str) -> None:
        nonlocal length
        if text:
            number, is_verbatim = current
            written = SourceRange(MAIN, spans[number])
            segments.append(Segment(length, length + len(text), written, is_verbatim))
            pieces.append(text)
            length += len(text)

    for marker in _MARKER.finditer(rendered):
        add(rendered[last : marker.start()])
        last, number, kind = marker.end(), int(marker[1]), marker[2]
        if kind == "b":
            outputs.append(number)
        elif kind == "e" and number in outputs:
            del outputs[outputs.index(number) :]
        current = (number, kind == "d") if kind != "e" else (outputs[-1] if outputs else 0, False)
    add(rendered[last:])
    return "".join(pieces), segments
