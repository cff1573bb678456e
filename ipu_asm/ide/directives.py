"""Directives that the instruction set documents: their spans and pages."""

from __future__ import annotations

from typing import Final

from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import inline_code
from ipu_asm.text import Span

_MARK: Final = "."


def directive_at(program: Program, offset: int) -> Span | None:
    """Return the span of a directive's name at an offset; None for preprocessor lines."""
    number = program.bundle_at(offset)
    syntax, start = program.bundles[number].syntax, program.starts[number]
    plan = syntax.plan
    for token in (plan.directive, *(first for first, _ in plan.inner_directives)):
        if token >= 0 and syntax.words[token].startswith(_MARK):
            span = syntax.spans[token].shifted(start)
            if span.touches(offset):
                return span
    return None


def directive_markdown(program: Program, word: str) -> str | None:
    """Return the Markdown page of a directive; None if the instruction set does not document it."""
    text = program.isa.surface.directives.get(word)
    return f"**{inline_code(word)}** · directive\n\n{text}" if text else None
