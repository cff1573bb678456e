"""Spans of comments, which are always between tokens."""

from __future__ import annotations

from typing import Iterator

from ipu_asm.isa.model import Isa
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span


def comments_in(isa: Isa, syntax: BundleSyntax) -> Iterator[Span]:
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


def is_block(isa: Isa, text: str) -> bool:
    """Check whether a comment has a closing delimiter, so that code can follow it on its line."""
    return any(
        text.startswith(opening) and text.endswith(closing) and len(text) > len(opening)
        for opening, closing in isa.surface.block_comments
    )
