"""Spans of comments, which are always between tokens, and block comments without an end."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Iterator

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import SYNTAX_ERROR
from ipu_asm.isa.surface import Surface
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.grammar import Grammar
from ipu_asm.text import Span

_STRING = r'"(?:[^"\\\r\n]|\\.)*"'


def comments_in(syntax: BundleSyntax) -> Iterator[Span]:
    """Yield the comments of a slice in order, each with its delimiters."""
    text = syntax.text
    if not syntax.grammar.comment.search(text):
        return
    start = 0
    for span in (*syntax.spans, Span(len(text), len(text))):
        yield from comments_between(syntax, start, span.start)
        start = span.end


def comments_between(syntax: BundleSyntax, start: int, end: int) -> Iterator[Span]:
    """Yield the comments between two offsets of a slice that have no token between them."""
    for match in syntax.grammar.comment.finditer(syntax.text, start, end):
        yield Span(*match.span())


def is_block_comment(surface: Surface, text: str) -> bool:
    """Check whether a comment has a closing delimiter, so that code can follow it on its line."""
    return any(
        text.startswith(opening) and text.endswith(closing) and len(text) > len(opening)
        for opening, closing in surface.block_comments
    )


def unclosed_comment(syntax: BundleSyntax, surface: Surface) -> Diagnostic | None:
    """The finding about a block comment without an end, which hides the rest of the text."""
    for opening, closing in surface.block_comments:
        start = _unclosed(syntax, opening, closing) if opening in syntax.text else None
        if start is not None:
            message = f"a comment that begins with `{opening}` ends with `{closing}`, found none"
            return Diagnostic(SYNTAX_ERROR, message, Span(start, start + len(opening)))
    return None


def _unclosed(syntax: BundleSyntax, opening: str, closing: str) -> int | None:
    """Its offset: after the last token, or inside it where that is a preprocessor's line."""
    at = syntax.spans[-1].start if syntax.spans else 0
    for match in _comments_and_strings(syntax.grammar).finditer(syntax.text, at):
        comment = match[0]
        if comment.startswith(opening) and not comment.endswith(closing, len(opening)):
            return match.start()
    return None


@lru_cache(maxsize=16)
def _comments_and_strings(grammar: Grammar) -> re.Pattern[str]:
    return re.compile(f"{_STRING}|{grammar.comment.pattern}")
