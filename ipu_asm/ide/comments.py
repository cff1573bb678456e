"""Where comments stand: what is between tokens and begins with one of the marks."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Iterator

from ipu_asm.isa.model import Isa
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span


def comments_in(isa: Isa, syntax: BundleSyntax) -> Iterator[Span]:
    """The comments of a slice, each from its mark to the end of its line."""
    text = syntax.text
    pattern = _pattern(isa.surface.comments)
    if not any(mark in text for mark in isa.surface.comments):
        return
    start = 0
    for span in (*syntax.spans, Span(len(text), len(text))):
        for match in pattern.finditer(text, start, span.start):
            yield Span(*match.span())
        start = span.end


@lru_cache(maxsize=16)
def _pattern(marks: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(marks, key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, longest_first))})[^\r\n]*")
