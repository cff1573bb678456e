"""The tokens of a template with their exact places, and the tags that they form.

Jinja's lexer yields pieces of the source whose line breaks are normalised, without the blanks that
`-` strips and without the last line break. What it leaves out are blanks alone, so the next token
begins after them, and every place is exact.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from itertools import islice
from typing import Callable, Iterator

from jinja2 import Environment, TemplateSyntaxError

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.limits import MAX_TOKENS
from ipu_asm.source.jinja.messages import readable, worded
from ipu_asm.text import Span

_BLANK = re.compile(r"\s*")
_LINE_BREAK = re.compile(r"\r\n?|\n")
_BEGINS = {"block_begin", "variable_begin", "comment_begin"}
_ENDS = {"block_end", "variable_end", "comment_end"}
_NO_CODE = {"data", "comment"}
_LEXER = Environment().lexer


class Token(NamedTuple):
    """A token of Jinja's lexer; `start` and `end` are offsets in the text."""

    kind: str
    text: str
    start: int
    end: int


class Tag(NamedTuple):
    """A tag: `first` and `last` are the numbers of its tokens, delimiters included.

    `kind` is ``block``, ``variable``, ``comment`` or ``raw``: a delimiter of a raw block.
    """

    kind: str
    first: int
    last: int


class LexicalError(NamedTuple):
    """An error of Jinja's lexer, with its place."""

    message: str
    span: Span


class Tokens:
    """The tokens of a template. A *number* of a token is its index; the first is a dummy.

    Reading ends after `MAX_TOKENS` tokens.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [Token("start", "", 0, 0)]
        self.tags: list[Tag] = []
        # The number of the tag that each token is part of; -1 in literal text.
        self.tag_of = [-1]
        self.error: LexicalError | None = None
        self._read()

    def span(self, first: int, last: int | None = None) -> Span:
        """Return the written range of a token, or from one to another."""
        last = first if last is None else last
        return Span(self.tokens[first].start, self.tokens[last].end)

    def tag_span(self, tag: int) -> Span:
        """Return the range of a tag without the blanks that `-` strips after it."""
        _, first, last = self.tags[tag]
        start, end = self.span(first, last)
        return Span(start, start + len(self.text[start:end].rstrip()))

    def is_closed(self, tag: int) -> bool:
        """Return whether a tag ends with its delimiter."""
        kind, first, last = self.tags[tag]
        return kind == "raw" or (last > first and self.tokens[last].kind in _ENDS)

    def place(self, number: int) -> Span:
        """Return the range of a token without blanks at its end, or of the last one before it."""
        number = min(number, len(self.tokens) - 1)
        start, text = self.span(number).start, self.tokens[number].text
        return Span(start, start + len(text.rstrip() or text))

    def pieces(self, number: int) -> list[tuple[str, int]]:
        """Return the parts of a literal token whose characters are written one by one.

        Each with the offset of its first character: after ``\\r\\n`` another part begins.
        """
        _, text, start, end = self.tokens[number]
        if end - start == len(text):
            return [(text, start)]
        lines = text.split("\n")
        pieces, at = [(lines[0], start)] if lines[0] else [], start + len(lines[0])
        for line in lines[1:]:
            at += self.text.startswith("\r\n", at)
            pieces.append(("\n" + line, at))
            at += 1 + len(line)
        return pieces

    @cached_property
    def code(self) -> tuple[object, ...]:
        """What the code of a template depends on: not on literal text, nor on comments."""
        return tuple([t.kind if t.kind in _NO_CODE else t[:2] for t in self.tokens])

    def _read(self) -> None:
        source, written = _normalised(self.text)
        tags, at, failure = self.tags, 0, None
        try:
            for _, kind, text in islice(_LEXER.tokeniter(self.text, None), MAX_TOKENS + 1):
                if not source.startswith(text, at):
                    blank = _BLANK.match(source, at)
                    at = blank.end() if blank else at
                number, end = len(self.tokens), at + len(text)
                self.tokens.append(Token(kind, text, at, end))
                at = end
                if kind in _BEGINS:
                    tags.append(Tag(kind.removesuffix("_begin"), number, number))
                elif kind in ("raw_begin", "raw_end"):
                    tags.append(Tag("raw", number, number))
                elif kind in _ENDS:
                    tags[-1] = tags[-1]._replace(last=number)
                self.tag_of.append(-1 if kind == "data" else len(tags) - 1)
        except TemplateSyntaxError as error:
            failure = error
        if tags and tags[-1].last == tags[-1].first and tags[-1].kind != "raw":
            tags[-1] = tags[-1]._replace(last=len(self.tokens) - 1)
        if "\r" in self.text:
            self.tokens = [
                Token(kind, text, written(start), written(end))
                for kind, text, start, end in self.tokens
            ]
        if failure is not None:
            self.error = self._lexical_error(failure, written(at))

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


_OPENERS = {"autoescape", "block", "call", "filter", "for", "if", "macro", "with"}


def tag_pairs(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Yield the numbers of opening and closing tags."""
    waiting: list[tuple[str, int]] = []
    for number, tag in enumerate(tokens.tags):
        keyword = keyword_of(tokens, number)
        if tag.kind == "block" and begins_block(tokens, number):
            waiting.append((keyword, number))
        elif waiting and keyword == f"end{waiting[-1][0]}":
            yield waiting.pop()[1], number


def keyword_of(tokens: Tokens, tag: int) -> str:
    """Return the first word of a block tag, empty for other tags."""
    kind, first, last = tokens.tags[tag]
    if kind == "block":
        for number in range(first + 1, last + 1):
            if tokens.tokens[number].kind == "name":
                return tokens.tokens[number].text
    return ""


def begins_block(tokens: Tokens, tag: int) -> bool:
    """Return whether a tag needs another one that ends what it begins."""
    return keyword_of(tokens, tag) in _OPENERS or _is_set_block(tokens, tag)


def _is_set_block(tokens: Tokens, tag: int) -> bool:
    _, first, last = tokens.tags[tag]
    depth, is_block = 0, keyword_of(tokens, tag) == "set"
    for number in range(first, last + 1):
        kind, text, _, _ = tokens.tokens[number]
        if kind == "operator":
            depth += (text in "([{") - (text in ")]}")
            is_block = is_block and not (text == "=" and depth == 0)
    return is_block


_BEGIN_MARKS = {"variable": "{{", "block": "{%", "comment": "{#"}
_END_MARKS = {"variable": "}}", "block": "%}", "comment": "#}"}


def lexical_error_place(error: LexicalError) -> tuple[str, Span]:
    """Return the message and the place of an error that the lexer found."""
    if error.message.startswith("Missing end of comment"):
        return "a comment ends with `#}`, found `{#` without it", error.span
    if error.message.startswith("Missing end of raw"):
        return "`raw` ends with `endraw`, found the end of the template", error.span
    return f"template syntax: {worded(error.message)}", error.span


def syntax_error_place(tokens: Tokens, error: TemplateSyntaxError) -> tuple[str, Span]:
    """Return the message and the place of an error that the parser or the compiler raised.

    Its "line" is the number of a token.
    """
    last = len(tokens.tags) - 1
    number = min(max(error.lineno or 1, 1), len(tokens.tokens) - 1)
    if last >= 0 and not tokens.is_closed(last) and tokens.tag_of[number] == last:
        kind, first, _ = tokens.tags[last]
        mark, missing = _BEGIN_MARKS[kind], _END_MARKS[kind]
        return f"a tag ends with `{missing}`, found `{mark}` without it", tokens.place(first)
    message = error.message or ""
    if message.startswith("Unexpected end of template"):
        open_tag = _open_tag(tokens)
        if open_tag >= 0:
            keyword = keyword_of(tokens, open_tag)
            message = f"`{keyword}` ends with `end{keyword}`, found the end of the template"
            return message, tokens.tag_span(open_tag)
    tag = tokens.tag_of[number]
    if tag >= 0 and number in (tokens.tags[tag].first, tokens.tags[tag].last):
        return f"template syntax: {readable(error)}", tokens.tag_span(tag)
    return f"template syntax: {readable(error)}", tokens.place(number)


def _open_tag(tokens: Tokens) -> int:
    """Return the innermost tag that is still open at the end of a template, -1 for none."""
    waiting: list[int] = []
    for number, tag in enumerate(tokens.tags):
        keyword = keyword_of(tokens, number)
        if keyword.startswith("end") and waiting:
            waiting.pop()
        elif tag.kind == "block" and begins_block(tokens, number):
            waiting.append(number)
    return waiting[-1] if waiting else -1
