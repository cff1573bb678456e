"""Formatting of templates: blanks of literal text, and the case of mnemonics in it, change.

Tags and expansions do not change.

The text is laid out with fillers in place of tags. Of the resulting edits, those are kept that
change blanks or case outside of tags, and that leave every expansion with the same words and
comments.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import chain
from typing import TYPE_CHECKING, Callable, Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.diagnostics import Severity
from ipu_asm.ide.expansions import expanded_again
from ipu_asm.program.build import read_program
from ipu_asm.source.jinja.tags import Tag, TagKind, tags_of
from ipu_asm.source.skeleton import ends_line, filled, is_word, starts_line
from ipu_asm.text import SourceFile, Span, TextEdit, apply_edits

if TYPE_CHECKING:
    from ipu_asm.program.program import Program

_MOST_CHECKS: Final = 24
_BLANKS: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[\w.]+|\S|$")

Content = Callable[["Program"], object]
"""Returns what formatting must not change in a program."""


def layout_analysis(analysis: Analysis) -> Analysis:
    """Return a plain analysis of a template with fillers for its tags, of the same length.

    An output is a word. A tag on a line of its own is a comment there, and so is a comment tag
    behind code. Other tags are blanks, which edits do not touch.
    """
    text = analysis.text
    mark = analysis.isa.surface.comments[0][0]

    def filler(tag: Tag) -> str:
        if is_word(text, tag):
            return "x"
        return mark if _is_comment(text, tag) else " "

    layout = filled(text, filler)
    source = SourceFile(layout, analysis.source.path, analysis.source.lines)
    return Analysis(source, read_program(analysis.isa, layout), analysis.isa, ())


def tag_spans(analysis: Analysis) -> list[Span]:
    """Return the spans of the tags of a template, in order."""
    return [tag.span for tag in tags_of(analysis.text)]


def _is_comment(text: str, tag: Tag) -> bool:
    """Check whether nothing but comment tags follows on the line, and no code precedes others."""
    end = tag.span.end
    while text[end : end + 1] and text[end] in " \t":
        end += 1
    if text.startswith("{#", end):
        close = text.find("#}", end)
        is_last = close >= 0 and ends_line(text, close + 2)
    else:
        is_last = ends_line(text, end)
    return is_last and (tag.kind is TagKind.COMMENT or starts_line(text, tag.span.start))


def checked_edits(
    analysis: Analysis, layout: Analysis, edits: Sequence[TextEdit], content: Content
) -> list[TextEdit]:
    """Return the edits of a layout that are valid in the template itself.

    `content` returns what stays the same in each expansion. A template with an error has none,
    because it cannot be checked.
    """
    findings = chain.from_iterable(each.expansion.findings for each in analysis.expanded)
    if any(finding.severity is Severity.ERROR for finding in findings):
        return []
    tags = tag_spans(analysis)
    groups = [[*_outside(edit, analysis.text, layout.text, tags)] for edit in edits]
    groups = [group for group in groups if group]
    before = [content(each.analysis.program) for each in analysis.expanded]
    checks = 0

    def is_same(chosen: Sequence[Sequence[TextEdit]]) -> bool:
        nonlocal checks
        checks += 1
        text = apply_edits(analysis.text, [*chain.from_iterable(chosen)])
        made = expanded_again(analysis, text)
        return [content(read_program(analysis.isa, each.text)) for each in made] == before

    def harmless(chosen: Sequence[Sequence[TextEdit]]) -> list[Sequence[TextEdit]]:
        """Return the groups that change nothing, found by halving."""
        if not chosen or checks >= _MOST_CHECKS:
            return []
        if is_same(chosen):
            return [*chosen]
        half = len(chosen) // 2
        return [*harmless(chosen[:half]), *harmless(chosen[half:])] if half else []

    kept = harmless(groups)
    if len(kept) < len(groups) and not is_same(kept):
        return []
    return sorted(chain.from_iterable(kept))


def _outside(edit: TextEdit, text: str, layout: str, tags: Sequence[Span]) -> Iterator[TextEdit]:
    """Yield the parts of an edit that change blanks outside of tags.

    The indentation of a tag that begins its line is the author's.
    """
    for part in _of_blanks_and_case(edit, layout):
        span = part.span
        # Tags do not overlap: the last one that begins before the end is the nearest.
        number = bisect_left(tags, (span.end, -1)) - 1
        is_clear = number < 0 or tags[number].end <= span.start
        is_indent = text.startswith(("{%", "{#"), span.end) and starts_line(text, span.end)
        if is_clear and not is_indent:
            yield part


def _of_blanks_and_case(edit: TextEdit, layout: str) -> list[TextEdit]:
    """Return an edit as edits of blanks and of letters' case; as it is if it changes others."""
    (start, end), new = edit
    old = layout[start:end]
    found: list[TextEdit] = []
    here = there = 0
    while here < len(old) or there < len(new):
        gap, wanted = _BLANKS.match(old, here), _BLANKS.match(new, there)
        assert gap is not None
        assert wanted is not None
        if gap[0] != wanted[0]:
            found.append(TextEdit(Span(start + gap.start(), start + gap.end()), wanted[0]))
        here, there = gap.end(), wanted.end()
        word, wanted_word = _WORD.match(old, here), _WORD.match(new, there)
        assert word is not None
        assert wanted_word is not None
        if word[0].lower() != wanted_word[0].lower():
            return [edit]
        if word[0] != wanted_word[0]:
            span = Span(start + here, start + word.end())
            found.append(TextEdit(span, wanted_word[0]))
        here, there = word.end(), wanted_word.end()
    return found
