"""The tokens of a template with their exact places, and the tags that they form.

Jinja's lexer yields pieces of the source whose line breaks are normalised, without the blanks that
`-` strips and without the last line break. What it leaves out are blanks alone, so the next token
begins behind them, and every place is exact.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice
from typing import Callable, Iterator, NamedTuple

from jinja2 import Environment, TemplateSyntaxError

from ipu_asm.source.jinja.limits import MOST_TOKENS
from ipu_asm.text import Span

_BLANK = re.compile(r"\s*")
_LINE_BREAK = re.compile(r"\r\n?|\n")
_BEGINS = {"block_begin", "variable_begin", "comment_begin"}
_ENDS = {"block_end", "variable_end", "comment_end"}
_LEXER = Environment().lexer


class Token(NamedTuple):
    """A token of Jinja's lexer; `start` and `end` are offsets in the written text."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The range of the token."""
        return Span(self.start, self.end)


class Tag(NamedTuple):
    """A tag: `first` and `last` are the numbers of its tokens, delimiters included.

    `kind` is ``block``, ``variable``, ``comment`` or ``raw``: a delimiter of a raw block.
    """

    kind: str
    first: int
    last: int


class LexicalError(NamedTuple):
    """What Jinja's lexer says about a text that it cannot cut into tokens, and where."""

    message: str
    span: Span


class Tokens:
    """The tokens of a template. A *number* of a token is its index; the first is a dummy."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [Token("start", "", 0, 0)]
        self.tags: list[Tag] = []
        # The number of the tag that each token is part of; -1 in literal text.
        self.tag_of = [-1]
        self.error: LexicalError | None = None
        for token in islice(self._lexed(), MOST_TOKENS + 1):
            self._add(token)
        if self.tags and self._is_open(self.tags[-1]):
            self.tags[-1] = self.tags[-1]._replace(last=len(self.tokens) - 1)

    def tag_span(self, tag: int) -> Span:
        """Return the range of a tag without the blanks that `-` strips behind it."""
        _, first, last = self.tags[tag]
        start, end = self.tokens[first].start, self.tokens[last].end
        return Span(start, start + len(self.text[start:end].rstrip()))

    def is_closed(self, tag: int) -> bool:
        """Return whether a tag ends with its delimiter."""
        kind, first, last = self.tags[tag]
        return kind == "raw" or (last > first and self.tokens[last].kind in _ENDS)

    def place(self, number: int) -> Span:
        """Return the range of a token without blanks at its end, or of the last one before it."""
        token = self.tokens[min(number, len(self.tokens) - 1)]
        return Span(token.start, token.start + len(token.text.rstrip() or token.text))

    def pieces(self, number: int) -> list[tuple[str, int]]:
        """Return the parts of a literal token whose characters are written one by one.

        Each with the offset of its first character: behind ``\\r\\n`` another part begins.
        """
        token = self.tokens[number]
        if token.end - token.start == len(token.text):
            return [(token.text, token.start)]
        lines = token.text.split("\n")
        pieces, at = [(lines[0], token.start)] if lines[0] else [], token.start + len(lines[0])
        for line in lines[1:]:
            at += self.text.startswith("\r\n", at)
            pieces.append(("\n" + line, at))
            at += 1 + len(line)
        return pieces

    def _is_open(self, tag: Tag) -> bool:
        return tag.last == tag.first and tag.kind != "raw"

    def _add(self, token: Token) -> None:
        number = len(self.tokens)
        self.tokens.append(token)
        if token.kind in _BEGINS:
            self.tags.append(Tag(token.kind.removesuffix("_begin"), number, number))
        elif token.kind in ("raw_begin", "raw_end"):
            self.tags.append(Tag("raw", number, number))
        elif token.kind in _ENDS:
            self.tags[-1] = self.tags[-1]._replace(last=number)
        self.tag_of.append(-1 if token.kind == "data" else len(self.tags) - 1)

    def _lexed(self) -> Iterator[Token]:
        source, written = _normalised(self.text)
        position = 0
        try:
            for _, kind, text in _LEXER.tokeniter(self.text, None):
                if not source.startswith(text, position):
                    blank = _BLANK.match(source, position)
                    position = blank.end() if blank else position
                start, position = position, position + len(text)
                yield Token(kind, text, written(start), written(position))
        except TemplateSyntaxError as error:
            self.error = self._lexical_error(error, written(position))

    def _lexical_error(self, error: TemplateSyntaxError, at: int) -> LexicalError:
        message = (error.message or "").split(" at ")[0]
        if message.startswith("Missing end") and self.tags:
            return LexicalError(message, self.tag_span(len(self.tags) - 1))
        return LexicalError(message, Span(at, min(at + 1, len(self.text))))


def _normalised(text: str) -> tuple[str, Callable[[int], int]]:
    """Return a text as Jinja reads it, and the function from offsets in it to those written."""
    if "\r" not in text:
        return text, lambda offset: offset
    removed = [m.start() for m in re.finditer("\r\n", text)]
    removed = [at - number for number, at in enumerate(removed)]
    return _LINE_BREAK.sub("\n", text), lambda offset: offset + bisect_left(removed, offset)
