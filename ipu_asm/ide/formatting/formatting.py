"""Document and range formatting.

Blanks become those of most lines of the file, except where lines are aligned with each other; words
never change, except the case of mnemonics if asked. Formatting is idempotent, and the formatted
text assembles to the same words. A suppression comment stays on the line that it applies to.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import chain, pairwise
from typing import Callable, Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Severity
from ipu_asm.ide.expansions import expanded_again, is_template
from ipu_asm.ide.formatting import KEEP_CASE, LINE_BREAK, folded_words, in_case
from ipu_asm.ide.formatting.lines import KEEP, STYLES
from ipu_asm.ide.formatting.slices import FormatJob, slice_texts
from ipu_asm.isa.model import Isa
from ipu_asm.lint.suppression_comments import suppression_comments
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.source.templates import Tag, TagKind, ends_line, filled, is_word, starts_line, tags_of
from ipu_asm.syntax.bundle import BundleSyntax, comments_in
from ipu_asm.text import SourceFile, Span, TextEdit, apply_edits, change_between

_MAX_CHECKS: Final = 24
_MAX_ROUNDS: Final = 6
_BLANKS: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[\w.]+|\S|$")
Content = Callable[["Program"], object]
"""Returns what formatting must not change in a program."""

__all__ = [
    "KEEP",
    "STYLES",
    "BundleEdits",
    "FormatJob",
    "bundle_edits",
    "content_of",
    "format_job_for",
    "formatting",
]
_BYTE_ORDER_MARK = "\ufeff"


class BundleEdits(NamedTuple):
    """The edits of one slice.

    `tail` edits the rest of the previous bundle's last line, `body` the slice's own lines.
    """

    tail: TextEdit | None
    body: TextEdit | None


def formatting(
    analysis: Analysis, style: str = KEEP, span: Span | None = None, case: str = KEEP_CASE
) -> list[TextEdit]:
    """Return the edits that format the text, or only the bundles that `span` touches."""
    if analysis.is_listing:
        return []
    if not is_template(analysis):
        return edits_of(format_job_for(analysis, style)._replace(case=case), span)
    edits = _template_edits(analysis, style, span, case)
    return edits if span is not None else _final_edits(analysis, edits, style, case)


def _template_edits(analysis: Analysis, style: str, span: Span | None, case: str) -> list[TextEdit]:
    layout = layout_analysis(analysis)
    job = format_job_for(layout, style, tag_spans(analysis))._replace(case=case)
    return checked_edits(analysis, layout, edits_of(job, span), content_of)


def _final_edits(
    analysis: Analysis, edits: Sequence[TextEdit], style: str, case: str
) -> list[TextEdit]:
    """Return the edits of a template after which formatting has nothing more to do; none if never.

    What an edit makes may decide what others do: a line that is broken before a tag, an edit that
    is left out because an expansion would change.
    """
    text, final = analysis.text, list(edits)
    for _ in range(_MAX_ROUNDS):
        made = apply_edits(text, final)
        if made == text:
            return []
        again = Analyzer(analysis.isa).analyze(
            made, analysis.source.path, settings=analysis.settings
        )
        more = _template_edits(again, style, None, case)
        better = apply_edits(made, more)
        if better == made:
            return final
        start, old_end, new_end = change_between(text, better)
        final = [TextEdit(Span(start, old_end), better[start:new_end])]
    return []


def edits_of(job: FormatJob, span: Span | None = None) -> list[TextEdit]:
    """Return the edits of a formatting run."""
    program = job.program
    first, last = 0, len(program.bundles) - 1
    if span is not None:
        first, last = _touched(program, span)
    edits = []
    for number, found in bundle_edits(job, first, min(last + 1, len(program.bundles) - 1)):
        edits += [found.tail if number > first else None, found.body if number <= last else None]
    return [edit for edit in edits if edit is not None]


def format_job_for(
    analysis: Analysis, style: str, tags: Sequence[Span] = (), is_silenced: bool = True
) -> FormatJob:
    """Return the settings for formatting a text; `tags` are the template tags in it.

    `is_silenced` is false if the text is known to have no suppression comments.
    """
    text = analysis.program.text
    line_break = "\r\n" if "\r\n" in text else "\n"
    fixed_line_slices = _fixed_line_slices(analysis) if is_silenced else ()
    return FormatJob(analysis.program, style, line_break, frozenset(fixed_line_slices), tags=tags)


def _fixed_line_slices(analysis: Analysis) -> Iterator[int]:
    """Yield the numbers of slices with words on a line that a suppression comment applies to."""
    program, source = analysis.program, analysis.source
    if "ipu:" not in program.text:
        return
    for comment in suppression_comments(program, source):
        if comment.line is not None:
            line = source.lines.line_span(comment.line)
            first, last = program.bundle_at(line.start), program.bundle_at(line.end)
            for number in range(first, last + 1):
                if _has_words(program, number, line):
                    yield number


def _has_words(program: Program, number: int, line: Span) -> bool:
    start, end = line.shifted(-program.starts[number])
    return any(start <= span.start < end for span in program.bundles[number].syntax.spans)


def _touched(program: Program, span: Span) -> tuple[int, int]:
    """Return the first and the last slice that a span touches.

    If the span ends at the start of a line, that line does not count.
    """
    start, end = (max(0, min(offset, len(program.text))) for offset in sorted(span))
    if start < end and program.text[end - 1] in "\r\n":
        end -= 1
    first, last = (_slice_at(program, offset) for offset in (start, end))
    return first, last


def _slice_at(program: Program, offset: int) -> int:
    """Return the slice at an offset.

    The rest of a line after an end mark counts as part of the bundle that the mark ends.
    """
    number = program.bundle_at(offset)
    if not number or not program.isa.surface.bundle_end:
        return number
    syntax = program.bundles[number].syntax
    first = syntax.spans[0].start if syntax.spans else len(syntax.text)
    offset -= program.starts[number]
    return number if offset >= first or LINE_BREAK.search(syntax.text, 0, offset) else number - 1


def bundle_edits(job: FormatJob, first: int, last: int) -> Iterator[tuple[int, BundleEdits]]:
    """Yield the numbers of the slices ``first..last``, each with the edits that format it.

    There are none where a slice is formatted already, or where the formatted text would not have
    the same words and comments.
    """
    texts = slice_texts(job, first, last)
    for number, new in enumerate(texts, first):
        yield number, _slice_edits(job, number, new)


def _slice_edits(job: FormatJob, number: int, new: str) -> BundleEdits:
    program = job.program
    bundle, start = program.bundles[number], program.starts[number]
    old = bundle.syntax.text
    if not _is_equivalent(program.isa, bundle, new, number in job.fixed_line_slices):
        return BundleEdits(None, None)
    new = in_case(program, number, new, job.case)
    if new == old:
        return BundleEdits(None, None)
    if not start and new.startswith(_BYTE_ORDER_MARK):
        return BundleEdits(None, None)
    cut, new_cut = (_end_of_line(text) if number else 0 for text in (old, new))
    if not program.isa.surface.bundle_end or old[:cut].strip() != new[:new_cut].strip():
        cut = new_cut = 0
    return BundleEdits(
        _edit(start, old[:cut], new[:new_cut]), _edit(start + cut, old[cut:], new[new_cut:])
    )


def _end_of_line(text: str) -> int:
    found = LINE_BREAK.search(text)
    return found.start() if found else 0


def _edit(offset: int, old: str, new: str) -> TextEdit | None:
    """Return the edit from `old` to `new` without common prefix and suffix; None if equal."""
    if old == new:
        return None
    start, old_end, new_end = change_between(old, new)
    return TextEdit(Span(offset + start, offset + old_end), new[start:new_end])


def _is_equivalent(isa: Isa, bundle: Bundle, new: str, has_fixed_lines: bool) -> bool:
    """Check whether `new` has the same words and comments, on the same lines if they are fixed."""
    if new == bundle.syntax.text:
        return True
    old, tidy = bundle.syntax, BundleSyntax(bundle.syntax.grammar, new)
    if _content(isa, old) != _content(isa, tidy):
        return False
    return not has_fixed_lines or _breaks(old) == _breaks(tidy)


def _content(isa: Isa, syntax: BundleSyntax) -> tuple[list[str], list[str]]:
    """Return the words and the comments, without separators directly before an end mark."""
    folded = folded_words(isa, syntax)
    words = [folded[number] for number in _tokens(syntax)]
    return words, [syntax.text[a:b].rstrip() for a, b in comments_in(syntax)]


def content_of(program: Program) -> list[str]:
    """Return what formatting never changes: words, where case counts, and comments."""
    parts = (_content(program.isa, bundle.syntax) for bundle in program.bundles)
    return [text for words, comments in parts for text in (*words, *comments)]


def _breaks(syntax: BundleSyntax) -> list[bool]:
    """Return for each word and comment, in order, whether a line break precedes it."""
    spans = sorted(chain((syntax.spans[n] for n in _tokens(syntax)), comments_in(syntax)))
    ends = [0, *(span.end for span in spans)]
    gaps = zip(ends, spans)
    return [bool(LINE_BREAK.search(syntax.text, end, span.start)) for end, span in gaps]


def _tokens(syntax: BundleSyntax) -> list[int]:
    """Return the numbers of all tokens except separators directly before an end mark."""
    kinds = [token.kind for token in syntax.tokens]
    following = pairwise((*kinds, ""))
    return [number for number, pair in enumerate(following) if pair != ("SEPARATOR", "END")]


def layout_analysis(analysis: Analysis) -> Analysis:
    """Return a plain analysis of a template with fillers for its tags, of the same length.

    An output is a word. A tag on a line of its own is a comment there, and so is a comment tag
    after code. Other tags are blanks, which edits do not touch.
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
        if not chosen or checks >= _MAX_CHECKS:
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
