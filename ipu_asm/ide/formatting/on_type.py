"""On-type formatting, after an end mark, a separator or a new line.

Comments are never changed, nor is text after the cursor, except the blanks of an empty line.
"""

from __future__ import annotations

from typing import Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide.blocks import BUNDLE
from ipu_asm.ide.completion import INSTRUCTION
from ipu_asm.ide.expansions import is_template
from ipu_asm.ide.formatting import KEEP_CASE, LINE_BREAK, Role, mnemonic_in_case
from ipu_asm.ide.formatting.formatting import (
    bundle_edits,
    checked_edits,
    content_of,
    format_job_for,
    layout_analysis,
    tag_spans,
)
from ipu_asm.ide.formatting.lines import KEEP, GapKind
from ipu_asm.ide.formatting.slices import FormatJob, conventions, line_gaps
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit


def formatting_on_type(
    analysis: Analysis, offset: int, typed: str, style: str = KEEP, case: str = KEEP_CASE
) -> list[TextEdit]:
    """Return the edits that format what the character `typed`, directly before `offset`, completes.

    An end mark completes its bundle and a separator its instruction. A new line completes the line
    before it, and the new line is indented.
    """
    if analysis.is_listing:
        return []
    if is_template(analysis):
        layout = layout_analysis(analysis)
        edits = _edits(layout, offset, typed, _Look(style, case, tag_spans(analysis)))
        return checked_edits(analysis, layout, edits, content_of)
    return _edits(analysis, offset, typed, _Look(style, case))


class _Look(NamedTuple):
    """The settings: the style of lines, the case of mnemonics, and the tags of a template."""

    style: str
    case: str
    tags: Sequence[Span] = ()


def _edits(analysis: Analysis, offset: int, typed: str, look: _Look) -> list[TextEdit]:
    offset = max(0, min(offset, len(analysis.text)))
    if typed == "\n":
        found = [
            _line_before(analysis, offset, look),
            _indentation(analysis.program, offset, look.style),
        ]
    elif typed == ";" and analysis.program.isa.surface.bundle_end:
        found = [_completed(analysis, offset, look)]
    else:
        found = []
    return [edit for edit in found if edit is not None]


def _completed(analysis: Analysis, offset: int, look: _Look) -> TextEdit | None:
    """Return the edit of the bundle or instruction that ends at `offset`, if any."""
    program = analysis.program
    if not offset:
        return None
    number = program.bundle_at(offset - 1)
    tokens = program.bundles[number].syntax.tokens
    is_end = bool(tokens) and tokens[-1].kind == "END"
    if not is_end or program.starts[number] + tokens[-1].span.end != offset:
        is_shared = look.style != INSTRUCTION
        return _instruction(_format_job(analysis, look, number), offset, is_shared)
    return _body_edit(_format_job(analysis, look, number), number)


def _body_edit(job: FormatJob, number: int) -> TextEdit | None:
    """Return the edit of a slice's own lines, if any."""
    return next(bundle_edits(job, number, number))[1].body


def _line_before(analysis: Analysis, offset: int, look: _Look) -> TextEdit | None:
    """Return the edit of the line that a line break has just ended, if any."""
    program = analysis.program
    start = _start_of_line(program.text, offset)
    if not start:
        return None
    if program.isa.surface.bundle_end:
        end = len(program.text[:start].rstrip())
        if look.style == BUNDLE or not end:
            return None
        return _instruction(_format_job(analysis, look, program.bundle_at(end - 1)), end, False)
    number = program.bundle_at(start - 1)
    return _body_edit(_format_job(analysis, look, number), number)


def _format_job(analysis: Analysis, look: _Look, number: int) -> FormatJob:
    """Return the settings for formatting slice `number` while the user types.

    The last line of the file is not ended. To save time, suppression comments are looked for only
    on the lines of the bundle and of the one before it, and directly above.
    """
    program = analysis.program
    text, starts = program.text, program.starts
    first = program.bundle_at(_start_of_line(text, starts[max(number - 1, 0)]))
    end = LINE_BREAK.search(text, starts[number + 1])
    is_silenced = "ipu:" in text[starts[first] : end.start() if end else len(text)]
    job = format_job_for(analysis, look.style, look.tags, is_silenced)
    return job._replace(is_whole=False, case=look.case)


def _instruction(job: FormatJob, offset: int, is_shared: bool) -> TextEdit | None:
    """Return the edit of an instruction whose separator ends at `offset`, if it begins its line.

    With `is_shared`, more instructions may follow on the line.
    """
    program = job.program
    number = program.bundle_at(offset - 1)
    start = program.starts[number]
    bundle = program.bundles[number]
    entry = _entry_ending(bundle, offset - start)
    if entry is None:
        return None
    mnemonic = bundle.syntax.mnemonic_span(entry).start
    begin = _start_of_line(program.text, start + mnemonic)
    old = program.text[begin:offset]
    if program.text[begin : start + mnemonic].strip() or LINE_BREAK.search(old):
        return None
    cells = line_gaps(job, number, offset - start, is_shared)
    new = "".join(
        gap + (mnemonic_in_case(program.isa, atom.text, job.case) if is_word else atom.text)
        for atom, gap in cells
        for is_word in (atom.role is Role.MNEMONIC,)
    )
    return TextEdit(Span(begin, offset), new) if new != old else None


def _entry_ending(bundle: Bundle, end: int) -> int | None:
    """Return the number of the complete instruction whose separator ends at an offset, if any."""
    syntax = bundle.syntax
    token = next((n for n, span in enumerate(syntax.spans) if span.end == end), -1)
    if token < 0 or syntax.tokens[token].kind != "SEPARATOR":
        return None
    broken = {finding.token for finding in syntax.plan.findings}
    for number, entry in enumerate(syntax.plan.instructions):
        if entry.end == token and not entry.has_errors:
            is_whole = broken.isdisjoint(range(entry.mnemonic, token + 1))
            return number if is_whole else None
    return None


def _indentation(program: Program, offset: int, style: str) -> TextEdit | None:
    """Return the edit that indents a line that has just been begun, if any.

    A comment continues at the indentation of the comment above, and so does code below code that is
    deeper than most; a line below a blank one is unchanged.
    """
    text = program.text
    start = end = _start_of_line(text, offset)
    while end < len(text) and text[end] in " \t":
        end += 1
    above_end = start - (2 if text.endswith("\r\n", 0, start) else 1)
    above = text[_start_of_line(text, above_end) : max(above_end, 0)].rstrip()
    if text[end : end + 1] not in ("", "\n", "\r") or not above:
        return None
    code = above.lstrip()
    surface = program.isa.surface
    is_later = code.endswith(surface.separator or "\n") and not code.endswith(surface.bundle_end)
    kind = GapKind.INDENT_LATER if is_later and surface.bundle_end else GapKind.INDENT
    wanted = conventions(program, style).spacing(kind).literal
    is_label = code.endswith(":")
    written = above[: len(above) - len(code)]
    is_deeper = len(written) > len(wanted) and written.startswith(wanted) and not is_label
    if code.startswith(surface.comments) or is_deeper or (surface.preprocessed and not is_label):
        wanted = written
    return TextEdit(Span(start, end), wanted) if text[start:end] != wanted else None


def _start_of_line(text: str, offset: int) -> int:
    return max(text.rfind(mark, 0, max(offset, 0)) for mark in "\r\n") + 1
