"""Jinja's syntax errors in our words and at the token that is wrong."""

from __future__ import annotations

import re

from jinja2 import TemplateSyntaxError

from ipu_asm.source.jinja.blocks import begins_block, keyword_of
from ipu_asm.source.jinja.tokens import LexicalError, Tokens
from ipu_asm.text import Span

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
