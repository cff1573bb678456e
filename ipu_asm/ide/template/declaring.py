"""Declaration of an undefined name of a template in a context."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import UNDEFINED_TEMPLATE_NAME
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.tags import TagKind, tags_of
from ipu_asm.text import Span, TextEdit

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_CONTEXT: Final = re.compile(r"\s*ipu:\s*context\b")


class Declaration(NamedTuple):
    """A name and the edits that declare it."""

    name: str
    edits: tuple[TextEdit, ...]


def undefined_name(analysis: Analysis, finding: Diagnostic) -> str | None:
    """Return the name that a finding calls undefined; None for any other finding."""
    if finding.rule != UNDEFINED_TEMPLATE_NAME or finding.path is not None:
        return None
    name = analysis.text[finding.span.start : finding.span.end]
    return name if name.isidentifier() else None


def declaration(analysis: Analysis, finding: Diagnostic) -> Declaration | None:
    """Return the edits that declare an undefined name with the value 1; None if there is none.

    Each context that a comment of the file declares gets it; without one, a comment is added.
    """
    name = undefined_name(analysis, finding)
    if name is None:
        return None
    text = analysis.text
    ends = [
        tag.body.start + len(text[tag.body.start : tag.body.end].rstrip())
        for tag in tags_of(text)
        if tag.kind is TagKind.COMMENT and tag.is_closed
        if _CONTEXT.match(text, *tag.body)
    ]
    if ends:
        return Declaration(name, tuple(TextEdit(Span(end, end), f" {name}=1") for end in ends))
    start = 1 if text.startswith("\ufeff") else 0
    line_break = "\r\n" if "\r\n" in text else "\n"
    comment = f"{{# ipu: context {name}=1 #}}{line_break}"
    return Declaration(name, (TextEdit(Span(start, start), comment),))
