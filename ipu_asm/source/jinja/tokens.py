"""The tokens of a template with their exact places, and the tags that they form.

Jinja's lexer yields pieces of the source whose line breaks are normalised, without the blanks that
`-` strips and without the last line break. What it leaves out are blanks alone, so the next token
begins behind them, and every place is exact.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import islice
from typing import Callable, Iterator, Sequence

from jinja2 import Environment, TemplateSyntaxError
from jinja2.lexer import Lexer

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.limits import MOST_TOKENS
from ipu_asm.text import Change, Span

_BLANK = re.compile(r"\s*")
_LINE_BREAK = re.compile(r"\r\n?|\n")
_BEGINS = {"block_begin", "variable_begin", "comment_begin"}
_ENDS = {"block_end", "variable_end", "comment_end"}
_NO_CODE = {"data", "comment"}
_MOST_SHIFTS = 32
_MARK = re.compile(r"\{[{%#]")
_LEXER = Environment().lexer
_LEXER_OF_PARTS = Environment(keep_trailing_newline=True).lexer


class Token(NamedTuple):
    """A token of Jinja's lexer; `start` and `end` are offsets in the text that was first read."""

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
    """What Jinja's lexer says about a text that it cannot cut into tokens, and where."""

    message: str
    span: Span


class Tokens:
    """The tokens of a template. A *number* of a token is its index; the first is a dummy.

    After edits inside literal text the tokens are those of the text that was first read, and
    `span` and `literal` know the edits.
    """

    def __init__(self, text: str, is_last: bool = True) -> None:
        """Read a text; one that is not `is_last` is a part of a template before another one."""
        self._begin(text)
        for token in islice(self._lexed(_LEXER if is_last else _LEXER_OF_PARTS), MOST_TOKENS + 1):
            self._add(token)
        if self.tags and self._is_open(self.tags[-1]):
            self.tags[-1] = self.tags[-1]._replace(last=len(self.tokens) - 1)

    def _begin(self, text: str) -> None:
        self.text = text
        self.tokens = [Token("start", "", 0, 0)]
        self.tags: list[Tag] = []
        # The number of the tag that each token is part of; -1 in literal text.
        self.tag_of = [-1]
        self.error: LexicalError | None = None
        self._changed: dict[int, str] = {}  # literals by their numbers
        self._shifts: list[tuple[int, int]] = []  # of what is behind the token with a number

    def part(self, first: int, last: int, place: Span) -> Tokens:
        """Return some of the tokens, of a text that was not edited, as those of a part of it."""
        made: Tokens = object.__new__(Tokens)
        start = place.start
        made._begin(self.text[start : place.end])
        for kind, text, begin, end in self.tokens[first : last + 1]:
            made._add(Token(kind, text, begin - start, end - start))
        return made

    @classmethod
    def joined(cls, parts: Sequence[Tokens]) -> Tokens:
        """Return the tokens of a text that consists of parts."""
        made: Tokens = object.__new__(cls)
        made._begin("")
        at = 0
        for part in parts:
            delta, tags = len(made.tokens) - 1, len(made.tags)
            made.tokens += part._moved(at)
            made.tags += [Tag(kind, one + delta, two + delta) for kind, one, two in part.tags]
            made.tag_of += [tag + tags if tag >= 0 else -1 for tag in part.tag_of[1:]]
            at += len(part.text)
        made.text = "".join(part.text for part in parts)
        return made

    def _moved(self, delta: int) -> list[Token]:
        """Return the tokens further behind in a text, with the text of edited literals."""
        if not self._shifts:
            tokens = self.tokens[1:]
            return [Token(kind, text, s + delta, e + delta) for kind, text, s, e in tokens]
        return [
            Token(token.kind, self.literal(number), *self.span(number).shifted(delta))
            for number, token in enumerate(self.tokens)
            if number
        ]

    def trims_behind(self, number: int) -> bool:
        """Return whether a token ends a tag with `-`, which removes the blanks behind it."""
        return self.tokens[number].text.rstrip()[-3:-2] == "-"

    def span(self, first: int, last: int | None = None) -> Span:
        """Return the written range of a token, or from one to another."""
        last = first if last is None else last
        start, end = self.tokens[first].start, self.tokens[last].end
        for number, delta in self._shifts:
            start += delta if number < first else 0
            end += delta if number <= last else 0
        return Span(start, end)

    def literal(self, number: int) -> str:
        """Return the text of a literal token, with line breaks as Jinja reads them."""
        return self._changed.get(number) or self.tokens[number].text

    def tag_span(self, tag: int) -> Span:
        """Return the range of a tag without the blanks that `-` strips behind it."""
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

        Each with the offset of its first character: behind ``\\r\\n`` another part begins.
        """
        text, (start, end) = self.literal(number), self.span(number)
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

    def after_edit(self, text: str, change: Change) -> tuple[Tokens, int] | None:
        """Return the tokens after an edit inside one literal, and the number of the literal.

        None if it may have changed more than that one.
        """
        number = self._literals[bisect_right(self._literals, change.start, key=self._start) - 1]
        start, end = self.span(number)
        new_end = end + change.new_end - change.old_end
        written = text[start:new_end]
        is_inside = start <= change.start and change.old_end <= end
        if self.error or not is_inside or not self._stays_literal(number, written):
            return None
        tokens: Tokens = object.__new__(Tokens)
        tokens.__dict__.update(self.__dict__)
        tokens.text = text
        tokens._changed = {**self._changed, number: _LINE_BREAK.sub("\n", written)}
        shifts = dict(self._shifts)
        shifts[number] = shifts.get(number, 0) + new_end - end
        tokens._shifts = list(shifts.items())
        return (tokens, number) if len(shifts) <= _MOST_SHIFTS else None

    def _stays_literal(self, number: int, written: str) -> bool:
        """Return whether Jinja reads a text in the place of a literal as one literal."""
        if not number or not written or _MARK.search(written) or written[-1] == "{":
            return False
        if written[0].isspace() and self.trims_behind(number - 1):
            return False
        if not written[-1].isspace():
            return True
        is_last = number == len(self.tokens) - 1
        return not is_last and self.tokens[number + 1].text[2:3] != "-"

    @cached_property
    def _literals(self) -> list[int]:
        return [number for number, token in enumerate(self.tokens) if token.kind == "data"] or [0]

    def _start(self, number: int) -> int:
        return self.span(number).start

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

    def _lexed(self, lexer: Lexer) -> Iterator[Token]:
        source, written = _normalised(self.text)
        position = 0
        try:
            for _, kind, text in lexer.tokeniter(self.text, None):
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


_QUOTED = re.compile(r"'([^'\n]+)'")
_LONGEST_MESSAGE = 300
_BEGIN_MARKS = {"variable": "{{", "block": "{%", "comment": "{#"}
_END_MARKS = {"variable": "}}", "block": "%}", "comment": "#}"}


def readable(error: Exception) -> str:
    """Return the message of an error of Jinja or Python as ours read."""
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    message = quoted(message)
    if message[1:2].islower() or message[1:2] == " ":
        message = message[:1].lower() + message[1:]
    return message


def quoted(message: str) -> str:
    """Return the first line of a message with names in backticks."""
    line = message.splitlines()[0]
    line = line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + "..."
    return _QUOTED.sub(r"`\1`", shown_text(line)).rstrip(".")


def shown_text(text: str) -> str:
    """Return a text for people, with halves of surrogate pairs, which no file has, as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def lexical_error_place(error: LexicalError) -> tuple[str, Span]:
    """Return the message and the place of an error that the lexer found."""
    if error.message.startswith("Missing end of comment"):
        return "a comment ends with `#}`, found `{#` without it", error.span
    if error.message.startswith("Missing end of raw"):
        return "`raw` ends with `endraw`, found the end of the template", error.span
    return f"template syntax: {quoted(error.message)}", error.span


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
