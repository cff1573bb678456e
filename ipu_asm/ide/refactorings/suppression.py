"""Suppression of a finding by a comment: ``# ipu: ignore[name]``."""

from __future__ import annotations

from typing import Final

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.lint.suppressions.comments import SuppressionComment
from ipu_asm.program.program import Program
from ipu_asm.text import SourceFile, Span, TextEdit

_LONGEST_LINE: Final = 100
_BLANKS: Final = " \t"


def suppression(
    program: Program, source: SourceFile, comments: list[SuppressionComment], finding: Diagnostic
) -> TextEdit:
    """Return the edit that suppresses a finding on its line.

    It extends the list of a suppression comment on that line, or adds a new comment. `comments`
    are the suppression comments of the text. A new comment goes above the line if it would make the
    line longer than `_LONGEST_LINE`.
    """
    line = source.lines.position(finding.span.start).line
    for present in comments:
        if present.line == line and present.names:
            end = present.names[-1].end
            return TextEdit(Span(end, end), f", {finding.name}")
    comment = f"{program.isa.surface.comments[0]} ipu: ignore[{finding.name}]"
    text = source.line_text(line)
    start = source.lines.starts[line]
    code = text.rstrip(_BLANKS)
    if len(code) + len(comment) + 2 <= _LONGEST_LINE:
        return TextEdit(Span(start + len(code), start + len(text)), f"  {comment}")
    indent = text[: len(text) - len(text.lstrip(_BLANKS))]
    start += text.startswith("\ufeff") and not start
    line_break = "\r\n" if "\r\n" in source.text else "\n"
    return TextEdit(Span(start, start), f"{indent}{comment}{line_break}")
