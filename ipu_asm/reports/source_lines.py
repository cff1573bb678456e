"""The lines of a source as pages show them."""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics.rendering import printable
from ipu_asm.isa.model import Isa
from ipu_asm.text import SourceFile

_TAB = 4


def shown_lines(source: SourceFile, isa: Isa) -> Iterator[tuple[str, str]]:
    """Yield the code of each line and its comment, with blanks for tabs.

    An empty line at the end is left out.
    """
    count = len(source.lines.starts)
    for line in range(count):
        text = source.line_text(line).removeprefix("\ufeff")
        if line == count - 1 and not text:
            break
        shown = printable(text.expandtabs(_TAB))
        starts = (shown.find(mark) for mark in isa.surface.comments)
        comment = min((start for start in starts if start >= 0), default=len(shown))
        # A template's comment begins with its brace.
        comment -= shown[max(0, comment - 1) : comment + 1] == "{#"
        yield shown[:comment], shown[comment:]
