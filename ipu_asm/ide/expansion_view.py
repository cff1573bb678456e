"""The expansion of a file as a text to read: what the assembler reads, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import LineIndex, Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis
    from ipu_asm.source.expansion import Expansion


class ExpansionLine(NamedTuple):
    """The file and line, counted from 0, in which a line of an expansion was written.

    `path` is `MAIN` or that of a header. `line` is None where nothing was written, in an empty
    expansion.
    """

    path: str
    line: int | None


class ExpansionView(NamedTuple):
    """The text of an expansion, where its lines were written, and the contexts to choose from."""

    text: str
    lines: tuple[ExpansionLine, ...]
    context: str = ""
    contexts: tuple[str, ...] = ()


def expansion_view(analysis: Analysis, context: int = 0) -> ExpansionView:
    """Return the expansion of a file in one of its contexts; the file itself if it has none.

    A number that no context has means the first one.
    """
    if not analysis.expanded:
        count = len(analysis.source.lines.starts)
        return ExpansionView(analysis.text, tuple(ExpansionLine(MAIN, n) for n in range(count)))
    contexts = tuple(each.expansion.context for each in analysis.expanded)
    number = context if 0 <= context < len(contexts) else 0
    expansion = analysis.expanded[number].expansion
    lines = tuple(_lines(analysis, expansion))
    return ExpansionView(expansion.text, lines, expansion.context, contexts)


def _lines(analysis: Analysis, expansion: Expansion) -> list[ExpansionLine]:
    """Return where the first character of each line was written; blanks count in blank lines."""
    text, index = expansion.text, LineIndex.of(expansion.text)
    found = []
    for number in range(len(index.starts)):
        start, end = index.line_span(number)
        blanks = end - start - len(text[start:end].lstrip())
        first = start + blanks if start + blanks < end else start
        place = expansion.source_map.written(Span(first, min(first + 1, len(text))))
        if place is None:
            found.append(ExpansionLine(MAIN, None))
            continue
        source = analysis.source if place.path == MAIN else expansion.files[place.path]
        found.append(ExpansionLine(place.path, source.lines.position(place.span.start).line))
    return found
