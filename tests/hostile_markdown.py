"""Texts that mean something to a Markdown renderer, and what one makes of a page."""

from __future__ import annotations

from functools import cache
from typing import Iterator

from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKS = (
    "`", "``", "```", "`````", "~~~", "\\", "*", "**", "_", "~~", "[", "]", "(", ")", "<", ">", "!",
    "#", "&", ";", "|", "-", "+", "=", "1.", "1)", ":", "/", "@", " ", "    ", "\t", "a", "b",
    "[a](http://evil.example)", "![a](http://evil.example/a.png)", "[a][b]", "[b]: //evil.example",
    "<http://evil.example>", "<img src=x onerror=y>", "<script>", "</script>", "<!-- ", " -->",
    "http://evil.example", "HTTPS://evil.example", "ftp://evil.example", "www.evil.example",
    "a@evil.example", "&lt;", "&#91;", "---", "===", "***", "| a | b |", "|-|-|", "- a", "> a",
)  # fmt: skip

lines = st.lists(st.sampled_from(_MARKS), max_size=8).map("".join)
"""A line that means something to a renderer, without a line break."""
texts = st.lists(st.one_of(lines, st.sampled_from(("\n", "\r", "\r\n"))), max_size=6).map("".join)
"""Several of them, with any line breaks between them."""


@cache
def renderer() -> MarkdownIt:
    """What GitHub and most editors render: tables, strikethrough, addresses that become links."""
    markdown = MarkdownIt("gfm-like")
    assert markdown.linkify is not None
    # GitHub and editors make links of addresses with a scheme, not of all that has a dot or `//`.
    markdown.linkify.set({"fuzzy_link": False}).add("//", None)
    return markdown


def tokens_of(page: str) -> Iterator[Token]:
    """All tokens of a page, those inside of others too."""
    for token in renderer().parse(page):
        yield token
        yield from token.children or ()
