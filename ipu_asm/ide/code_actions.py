"""Code actions at a position: fixes, suppressions and refactorings."""

from __future__ import annotations

import re
from typing import Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.apply_fixes import non_overlapping
from ipu_asm.diagnostics import UNDEFINED_TEMPLATE_NAME, Diagnostic, Severity
from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.ide import FIX_ALL, QUICK_FIX
from ipu_asm.ide.expansions import changes_comments_alone, is_template, reading_at, written_edits
from ipu_asm.ide.refactorings import REFACTORINGS
from ipu_asm.ide.run_facts import shown_facts
from ipu_asm.lint.suppression_comments import SuppressionComment, suppression_comments
from ipu_asm.lint.suppressions import UNUSED_SUPPRESSION
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.source.templates import TagKind, tags_of
from ipu_asm.text import SourceFile, Span, TextEdit

_CONTEXT: Final = re.compile(r"\s*ipu:\s*context\b")


class Declaration(NamedTuple):
    """A name and the edits that declare it."""

    name: str
    edits: tuple[TextEdit, ...]


_EXAMPLE: Final = 128
_MAX_REGISTERS: Final = 3


class HostValue(NamedTuple):
    """A register of which cycles or addresses depend, and the edit that gives it a value."""

    register: str
    comment: str
    edit: TextEdit


_MAX_LINE: Final = 100
_BLANKS: Final = " \t"


class CodeAction(NamedTuple):
    """Titled edits; `is_preferred` marks a safe fix.

    `diagnostic` is the finding that a quick fix corrects, None for an action that corrects several.
    `refusal_reason` is the reason why a refactoring is not possible; then there are no edits.
    """

    title: str
    kind: str
    edits: tuple[TextEdit, ...]
    diagnostic: Diagnostic | None = None
    is_preferred: bool = False
    refusal_reason: str = ""


def code_actions(analysis: Analysis, span: Span, only: Sequence[str] = ("",)) -> list[CodeAction]:
    """Return the actions for `span`, which may be empty, and one that fixes the whole file.

    `only` has the requested kinds. A kind includes its dotted subkinds, the empty one all kinds.
    """
    actions: list[CodeAction] = []
    if analysis.is_listing:
        return actions
    if is_wanted(QUICK_FIX, only):
        actions += quick_fixes(analysis, span)
        actions += declarations(analysis, span)
        actions += suppressions(analysis, span)
        actions += host_values(analysis, span)
    actions += refactorings(analysis, span, only)
    if is_wanted(FIX_ALL, only):
        actions += fix_all(analysis)
    return actions


def quick_fixes(analysis: Analysis, span: Span) -> list[CodeAction]:
    """Return an action for each finding with a fix that `span` touches."""
    return [
        CodeAction(finding.fix.entry, QUICK_FIX, finding.fix.edits, finding, finding.fix.is_safe)
        for finding in _touched(analysis, span)
        if finding.fix is not None
    ]


def declarations(analysis: Analysis, span: Span) -> list[CodeAction]:
    """Return an action for each undefined name of a template, which declares it in a context."""
    found = [(finding, declaration(analysis, finding)) for finding in _touched(analysis, span)]
    return [
        CodeAction(f"Declare `{made.name}` in a context", QUICK_FIX, made.edits, finding)
        for finding, made in found
        if made is not None
    ]


def host_values(analysis: Analysis, span: Span) -> list[CodeAction]:
    """Return an action for each unknown register that cycles and addresses here depend on."""
    return [
        CodeAction(f"Give `{register}` a value: `{comment}`", QUICK_FIX, (edit,))
        for register, comment, edit in missing_host_values(analysis, span)
    ]


def suppressions(analysis: Analysis, span: Span) -> list[CodeAction]:
    """Return an action that suppresses each warning or hint that `span` touches."""
    findings = [
        finding
        for finding in _touched(analysis, span)
        if finding.severity is not Severity.ERROR and finding.rule != UNUSED_SUPPRESSION
    ]
    if not findings:
        return []
    program, source = analysis.program, analysis.source
    comments = suppression_comments(program, source)
    edits = [(finding, suppression(program, source, comments, finding)) for finding in findings]
    return [
        CodeAction(f"Ignore `{finding.name}` here", QUICK_FIX, (edit,), finding)
        for finding, edit in edits
        if not is_template(analysis) or changes_comments_alone(analysis, edit)
    ]


def refactorings(analysis: Analysis, span: Span, only: Sequence[str] = ("",)) -> list[CodeAction]:
    """Return the refactorings of the requested kinds at `span`, including refused ones.

    There are none if the instruction set has no encoding: without encoded words, it cannot be
    verified that the program keeps its meaning.
    """
    if not analysis.isa.has_words:
        return []
    if is_template(analysis):
        return _in_template(analysis, span, only)
    return [
        CodeAction(offer.title, offer.kind, offer.edits, refusal_reason=offer.refusal_reason)
        for kind, refactoring in REFACTORINGS
        if is_wanted(kind, only)
        for offer in refactoring(analysis.program, span)
    ]


def _in_template(analysis: Analysis, span: Span, only: Sequence[str]) -> list[CodeAction]:
    """Return the refactorings of the first expansion that a template can have.

    Those that it refuses are left out: their reasons are about the expansion.
    """
    reading, start = reading_at(analysis, span.start)
    other, end = reading_at(analysis, span.end)
    if reading.source_map is None or other.source_map is not reading.source_map or end < start:
        return []
    offered = refactorings(reading.analysis, Span(start, end), only)
    written = ((action, written_edits(analysis, action.edits)) for action in offered)
    return [action._replace(edits=edits) for action, edits in written if edits]


def fix_all(analysis: Analysis) -> list[CodeAction]:
    """Return the action that applies all non-overlapping safe fixes; [] if there is none."""
    safe = [finding for finding in analysis.diagnostics if finding.fix and finding.fix.is_safe]
    chosen = non_overlapping(safe)
    if not chosen:
        return []
    edits = tuple(sorted(edit for finding in chosen if finding.fix for edit in finding.fix.edits))
    title = "Apply the safe fix" if len(chosen) == 1 else f"Apply all {len(chosen)} safe fixes"
    return [CodeAction(title, FIX_ALL, edits)]


def _touched(analysis: Analysis, span: Span) -> list[Diagnostic]:
    return [
        finding
        for finding in analysis.diagnostics
        if finding.span.start <= span.end and span.start <= finding.span.end
    ]


def is_wanted(kind: str, only: Sequence[str]) -> bool:
    """Check whether a client that asks for some kinds of actions gets those of `kind`."""
    return any(not wanted or f"{kind}.".startswith(f"{wanted}.") for wanted in only)


def suppression(
    program: Program, source: SourceFile, comments: list[SuppressionComment], finding: Diagnostic
) -> TextEdit:
    """Return the edit that suppresses a finding on its line.

    It extends the list of a suppression comment on that line, or adds a new comment. `comments`
    are the suppression comments of the text. A new comment goes above the line if it would make the
    line longer than `_MAX_LINE`.
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
    if len(code) + len(comment) + 2 <= _MAX_LINE:
        return TextEdit(Span(start + len(code), start + len(text)), f"  {comment}")
    indent = text[: len(text) - len(text.lstrip(_BLANKS))]
    start += text.startswith("\ufeff") and not start
    line_break = "\r\n" if "\r\n" in source.text else "\n"
    return TextEdit(Span(start, start), f"{indent}{comment}{line_break}")


def missing_host_values(analysis: Analysis, span: Span) -> Iterator[HostValue]:
    """Yield the registers without a known value that the bundle at a span depends on.

    These are the base registers of its loads and stores, and what the trips of the loops around it
    depend on. The comment goes to the head of the file, with a number to be changed.
    """
    reading, offset = reading_at(analysis, span.start)
    program = reading.analysis.program
    marks = program.isa.surface.comments
    text = analysis.text
    start = int(text.startswith("\ufeff"))
    line_break = "\r\n" if "\r\n" in text else "\n"
    for register in _unknown_registers(program, offset)[:_MAX_REGISTERS]:
        comment = f"{marks[0]} CR {register} = {_EXAMPLE}"
        edit = TextEdit(Span(start, start), f"{comment}{line_break}")
        yield HostValue(register, comment, edit)


def _unknown_registers(program: Program, offset: int) -> list[str]:
    facts, number = shown_facts(program), program.bundle_at(offset)
    if facts is None or program.addresses[number] >= program.size:
        return []
    address = program.addresses[number]
    found: dict[str, None] = {}
    for loop in enclosing_loops(program, address):
        summary = facts.summary.loops.get(loop.start)
        found.update(dict.fromkeys(summary.unknown if summary else ()))
        if facts.run.end.address in loop:
            found.update(dict.fromkeys(facts.run.end.unknown))
    for access in facts.accesses_at(address):
        if facts.base(access) is None:
            found.update(dict.fromkeys(facts.base_names(access)))
    return list(found)


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
