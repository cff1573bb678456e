"""Mapping of edits from an expansion to its template, rejected where it is ambiguous."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ipu_asm.ide.expansions import expanded_again, readings
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.source.source_map import MAIN
from ipu_asm.source.templates import tags_of
from ipu_asm.text import Span, TextEdit, apply_edits

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


def written_edits(analysis: Analysis, edits: Sequence[TextEdit]) -> tuple[TextEdit, ...] | None:
    """Map edits of the first expansion to the template; None if expansions would differ.

    What they change is written there character by character and occurs once in each expansion, and
    the edited template expands to the edited expansions.
    """
    found = []
    reading = readings(analysis)[0]
    for edit in edits:
        span = reading.verbatim(edit.span)
        if span is None:
            return None
        found.append(TextEdit(span, edit.new_text))
    wanted = _expected(analysis, found)
    if wanted is None or wanted != expanded_texts(analysis, apply_edits(analysis.text, found)):
        return None
    return tuple(found)


def expanded_texts(analysis: Analysis, text: str) -> list[str]:
    """Return the expansions of another state of a template, in the same contexts."""
    return [each.text for each in expanded_again(analysis, text)]


def changes_comments_alone(analysis: Analysis, edit: TextEdit) -> bool:
    """Check whether an edit is outside of tags and keeps the words of each expansion."""
    start, end = edit.span
    tags = [tag.span for tag in tags_of(analysis.text)]
    if any(tag.start < start < tag.end or start < tag.start < end for tag in tags):
        return False
    texts = expanded_texts(analysis, apply_edits(analysis.text, [edit]))
    before = [_words(each.analysis.program) for each in analysis.expanded]
    return before == [_words(read_program(analysis.isa, text)) for text in texts]


def _words(program: Program) -> list[str]:
    return [word for bundle in program.bundles for word in bundle.syntax.words]


def _expected(analysis: Analysis, edits: Sequence[TextEdit]) -> list[str] | None:
    """Return the expansions with the edits; None if one of these occurs not once in each."""
    texts = []
    for expansion, _ in analysis.expanded:
        here = []
        for (start, end), new_text in edits:
            starts = expansion.source_map.expanded(MAIN, start)
            if len(starts) != 1:
                return None
            here.append(TextEdit(Span(starts[0], starts[0] + end - start), new_text))
        texts.append(apply_edits(expansion.text, sorted(here)))
    return texts
