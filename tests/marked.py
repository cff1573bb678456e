"""Texts in which `⟦` and `⟧` stand around the places of findings."""

from __future__ import annotations

from ipu_asm.text import Span

OPEN, CLOSE = "⟦", "⟧"


def unmarked(marked: str) -> tuple[str, list[Span]]:
    """The text without its marks, and the places that they stood around, by position."""
    text = ""
    spans: list[Span] = []
    for piece in marked.split(OPEN):
        inside, mark, behind = piece.partition(CLOSE)
        if mark:
            spans.append(Span(len(text), len(text) + len(inside)))
        text += inside + behind
    return text, spans
