"""The block tags of a template: which begin a block, and which end it."""

from __future__ import annotations

from typing import Iterator

from ipu_asm.source.jinja.tokens import Tokens

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
