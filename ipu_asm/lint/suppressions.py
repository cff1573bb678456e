"""Suppression comments: ``# ipu: ignore[name, CODE] reason`` and ``# ipu: ignore-file[name]``.

A comment on a line of code suppresses the findings that begin on that line; a comment alone on its
line suppresses those of the next line of code. `ignore-file` above the first bundle applies to the
whole file. `ALL` stands for every name. One that suppresses nothing is itself a finding. Of files
that are expanded, the comments are those that the author wrote, in headers as well as in the
comments of templates.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Callable, Iterable, Iterator, Mapping, Sequence

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity, UnplacedFinding
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.operands import quoted
from ipu_asm.isa.surface import Surface
from ipu_asm.lint.selection import EVERYTHING
from ipu_asm.lint.suppression_comments import (
    SuppressionComment,
    comment_marks,
    comment_removal,
    misspelt_comments,
    name_removal,
    suppression_comments,
    written_comments,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import SourceFile, Span

UNUSED_SUPPRESSION = RuleId("W001", "unused-suppression", Severity.WARNING)
# Both names of the rule about the comments themselves.
_OWN_NAMES = UNUSED_SUPPRESSION[:2]
_TAGS = ("unnecessary",)
# The 0-based line to which a comment applies, None for the whole file, and a name in the comment.
_Target = tuple[int | None, str]
# In a long text a search for an expression is faster than `in`.
_MARK = re.compile("ipu:")
_WITHOUT_MARK = re.compile(r"ignore(?:-file)?[ \t]*\[")
"""A suppression whose mark is misspelt."""


def suppress(program: Program, source: SourceFile, findings: list[Diagnostic]) -> list[Diagnostic]:
    """The findings that no comment suppresses, plus one for each name that suppresses nothing."""
    if not _is_marked(program.text):
        return findings
    return apply_suppressions(program, source, findings)


def suppress_written(
    source: SourceFile,
    program: Callable[[], Program],
    surface: Surface,
    headers: Mapping[str, SourceFile],
    findings: list[Diagnostic],
) -> list[Diagnostic]:
    """The same for an expanded source and its headers, with findings where they were written.

    `program` returns that of the written text. A name counts as used if it suppresses a finding of
    any iteration, call or context; in a header it may be for another file that includes it.
    """
    paths = {finding.path for finding in findings if finding.path in headers}
    if not _is_marked(source.text) and not any(_is_marked(headers[p].text) for p in paths if p):
        return findings
    files = [WrittenFile(None, source, program)]
    files += [WrittenFile(path, headers[path], None) for path in paths if path]
    return apply_written_suppressions(files, surface, findings)


def _is_marked(text: str) -> bool:
    return bool(_MARK.search(text) or _WITHOUT_MARK.search(text))


def apply_suppressions(
    program: Program, source: SourceFile, findings: list[Diagnostic]
) -> list[Diagnostic]:
    """The findings that no comment suppresses, plus one for each name that suppresses nothing."""
    comments = suppression_comments(program, source)
    if comments:
        findings = _suppressed(source, comments, findings, True)
    return [*findings, *_misspelt(source.text, program.isa.surface)]


class WrittenFile(NamedTuple):
    """A file that an expansion came from: a header by its path, or the main one with its program.

    `program` returns the program of the text as it is written.
    """

    path: str | None
    source: SourceFile
    program: Callable[[], Program] | None


def apply_written_suppressions(
    files: Iterable[WrittenFile], surface: Surface, findings: list[Diagnostic]
) -> list[Diagnostic]:
    """The same for findings that are where they were written, in one of these files."""
    for path, source, program in files:
        comments = written_comments(source, surface, program)
        if comments:
            here = [finding for finding in findings if finding.path == path]
            findings = [finding for finding in findings if finding.path != path]
            findings += _suppressed(source, comments, here, program is not None)
        if program is not None:
            findings = [*findings, *_misspelt(source.text, surface)]
    return findings


def _suppressed(
    source: SourceFile,
    comments: Sequence[SuppressionComment],
    findings: Sequence[Diagnostic],
    tells_unused: bool,
) -> list[Diagnostic]:
    suppressions = _Suppressions(source, comments)
    kept = [finding for finding in findings if not suppressions.suppress(finding)]
    if not tells_unused:
        return kept
    # An error may hide findings. They appear, and need their comments, once the error is fixed.
    has_errors = any(finding.severity is Severity.ERROR for finding in findings)
    unused = list(_unused(suppressions, has_errors))
    return kept + [finding for finding in unused if not suppressions.suppress(finding)]


def _misspelt(text: str, surface: Surface) -> Iterator[Diagnostic]:
    """Yield a finding for each comment that is nearly a suppression, and so suppresses nothing."""
    for span, meant in misspelt_comments(text, comment_marks(surface)):
        message = f"a suppression is written `{meant}[name]`, found {quoted(text[slice(*span)])}"
        yield UnplacedFinding(UNUSED_SUPPRESSION, message, meant).at(span)


class _Suppressions:
    """The names in the suppression comments of one text, and which of them were used."""

    def __init__(self, source: SourceFile, comments: Sequence[SuppressionComment]) -> None:
        self.source = source
        self.comments = comments
        # True for the targets that have suppressed a finding.
        self._used: dict[_Target, bool] = {}
        for comment in comments:
            if not comment.names or (comment.line is None and not comment.at_top):
                continue
            for name in map(self.text, comment.names):
                self._used[comment.line, name] = False
                # A finding about the comment is suppressed in the comment itself.
                if name in _OWN_NAMES:
                    self._used[comment.own_line, name] = False

    def text(self, name: Span) -> str:
        """The name as it is written."""
        return self.source.text[name.start : name.end]

    def suppress(self, finding: Diagnostic) -> bool:
        """Whether a comment suppresses the finding; if so, its names count as used."""
        used = [target for target in self.targets(finding) if target in self._used]
        for target in used:
            self._used[target] = True
        return bool(used)

    def targets(self, finding: Diagnostic) -> list[_Target]:
        """The targets by which a comment may suppress the finding."""
        line = self.source.lines.position(finding.span.start).line
        names = (*finding.rule[:2], EVERYTHING)
        return [(applies_to, name) for applies_to in (None, line) for name in names]

    def is_unused(self, comment: SuppressionComment, name: Span) -> bool:
        """Whether a name has suppressed nothing; never true of the names of this very rule."""
        text = self.text(name)
        return text not in _OWN_NAMES and not self._used.get((comment.line, text), False)


def _unused(suppressions: _Suppressions, has_errors: bool) -> Iterator[Diagnostic]:
    for comment in suppressions.comments:
        message = _why_ineffective(comment, suppressions.source.text)
        if message:
            fix = _removal(suppressions, comment, Applicability.UNSAFE)
            yield _finding(message, comment.span, fix)
        else:
            yield from _unused_names(suppressions, comment, has_errors)


def _why_ineffective(comment: SuppressionComment, text: str) -> str:
    """The message about a comment that never suppresses anything; empty if it may."""
    if comment.names is None:
        found = quoted(text[comment.span.start : comment.span.end])
        return f"a suppression lists what it silences: `ignore[name]`, found {found}"
    if comment.line is None and not comment.at_top:
        return "`ignore-file` counts above the first bundle only, found it further down"
    return ""


def _unused_names(
    suppressions: _Suppressions, comment: SuppressionComment, has_errors: bool
) -> Iterator[Diagnostic]:
    """A finding for each unused name. A fix removes names of rules only, since others are typos.

    In a text with errors, those of warnings and hints may be needed.
    """
    names = comment.names or ()
    texts = [suppressions.text(name) for name in names]
    hidden = _known()[2] if has_errors else frozenset()
    unused = [
        text not in hidden and suppressions.is_unused(comment, name)
        for name, text in zip(names, texts)
    ]
    removable = Applicability.UNSAFE if has_errors else Applicability.SAFE
    removed = [unneeded and text in _known()[1] for unneeded, text in zip(unused, texts)]
    first_kept = removed.index(False) if False in removed else None
    for number, name in enumerate(names):
        if removed[number]:
            fix = _removal(suppressions, comment, removable)
            if first_kept is not None:
                edit = name_removal(names, number, number < first_kept)
                fix = Fix(f"remove {quoted(texts[number])}", (edit,), removable)
            yield _finding(_message(texts[number]), name, fix)
        elif unused[number]:
            yield _unknown(texts[number], name)


def _unknown(text: str, span: Span) -> Diagnostic:
    """The finding about a name that no rule has; it may be a typo of a name that is needed."""
    near = _known()[0].nearest(text)
    message = _message(text) if near else f"{_message(text)}; no finding is called that"
    return UnplacedFinding(UNUSED_SUPPRESSION, message, near).at(span)._replace(tags=_TAGS)


def _message(name: str) -> str:
    return f"a suppression must silence something, found nothing for {quoted(name)}"


def _removal(
    suppressions: _Suppressions, comment: SuppressionComment, applicability: Applicability
) -> Fix:
    text = suppressions.source.text
    edit = comment_removal(comment, text)
    if "ipu:" in text[comment.span.end : comment.comment.end]:
        # The reason holds what somebody may have meant as another suppression.
        applicability = max(applicability, Applicability.UNSAFE)
    return Fix("remove the comment", (edit,), applicability)


def _finding(message: str, span: Span, fix: Fix) -> Diagnostic:
    return Diagnostic(UNUSED_SUPPRESSION, message, span, fix=fix, tags=_TAGS)


@lru_cache(maxsize=1)
def _known() -> tuple[Vocabulary, frozenset[str], frozenset[str]]:
    """The names and codes of all rules and that of all of them, and those of no errors."""
    from ipu_asm.lint.rules import all_rules  # loads every rule, and few texts need them

    parts = {part: rule.id.severity for rule in all_rules() for part in rule.id[:2]}
    parts[EVERYTHING] = Severity.WARNING
    others = (name for name, severity in parts.items() if severity is not Severity.ERROR)
    return Vocabulary([*parts]), frozenset(parts), frozenset(others)
