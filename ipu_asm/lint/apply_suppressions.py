"""What comments silence is left out, and names in them that silence nothing are reported."""

from __future__ import annotations

from functools import lru_cache
from typing import Iterator, Sequence

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, Severity, UnplacedFinding
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.directives import Directive, directives_of, name_removal, removal
from ipu_asm.lint.suppressions import UNUSED_SUPPRESSION
from ipu_asm.program.program import Program
from ipu_asm.text import SourceFile, Span

_OWN_NAMES = UNUSED_SUPPRESSION[:2]
_TAGS = ("unnecessary",)
# The 0-based line that a comment is for, None for the file; and what it names.
_Target = tuple[int | None, str]


def apply_suppressions(
    program: Program, source: SourceFile, findings: list[Diagnostic]
) -> list[Diagnostic]:
    """The findings that no comment silences, and one for each name that silences nothing."""
    directives = directives_of(program, source)
    if not directives:
        return findings
    suppressions = _Suppressions(source, directives)
    kept = [finding for finding in findings if not suppressions.silence(finding)]
    # What an error hides may be found, and need its comment, as soon as the error is mended.
    has_errors = any(finding.severity is Severity.ERROR for finding in findings)
    removable = Applicability.UNSAFE if has_errors else Applicability.SAFE
    unused = list(_unused(suppressions, removable))
    return kept + [finding for finding in unused if not suppressions.silence(finding)]


class _Suppressions:
    """The names in the suppressing comments of one text, and which of them have silenced."""

    def __init__(self, source: SourceFile, directives: Sequence[Directive]) -> None:
        self.source = source
        self.directives = directives
        # By the line they are for (None: the file) and the name; what is true has been used.
        self._used: dict[_Target, bool] = {}
        for directive in directives:
            if not directive.names or (directive.line is None and not directive.at_top):
                continue
            for name in map(self.text, directive.names):
                self._used[directive.line, name] = False
                # About the comment itself one can only speak in the comment.
                if name in _OWN_NAMES:
                    self._used[directive.own_line, name] = False

    def text(self, name: Span) -> str:
        """The name as it is written."""
        return self.source.text[name.start : name.end]

    def silence(self, finding: Diagnostic) -> bool:
        """Whether a comment silences the finding; if so, its names count as used."""
        used = [target for target in self.targets(finding) if target in self._used]
        for target in used:
            self._used[target] = True
        return bool(used)

    def targets(self, finding: Diagnostic) -> list[_Target]:
        """What a comment may be for and say in order to silence the finding."""
        line = self.source.lines.position(finding.span.start).line
        return [(place, name) for place in (None, line) for name in finding.rule[:2]]

    def is_unused(self, directive: Directive, name: Span) -> bool:
        """Whether a name has silenced nothing, though it is not about such names."""
        text = self.text(name)
        return text not in _OWN_NAMES and not self._used.get((directive.line, text), False)


def _unused(suppressions: _Suppressions, removable: Applicability) -> Iterator[Diagnostic]:
    for directive in suppressions.directives:
        reason = _why_in_vain(directive, suppressions.source.text)
        if reason:
            fix = _removal(suppressions, directive, Applicability.UNSAFE)
            yield _finding(reason, directive.span, fix)
        else:
            yield from _unused_names(suppressions, directive, removable)


def _why_in_vain(directive: Directive, text: str) -> str:
    """Why a comment silences nothing, whatever findings there are."""
    if directive.names is None:
        found = quoted(text[directive.span.start : directive.span.end])
        return f"a suppression lists what it silences: `ignore[name]`, found {found}"
    if directive.line is None and not directive.at_top:
        return "`ignore-file` counts above the first bundle only, found it further down"
    return ""


def _unused_names(
    suppressions: _Suppressions, directive: Directive, removable: Applicability
) -> Iterator[Diagnostic]:
    """A finding for each name in vain. Names of findings can go, what is no such name stays."""
    names = directive.names or ()
    texts = [suppressions.text(name) for name in names]
    unused = [suppressions.is_unused(directive, name) for name in names]
    gone = [vain and text in _known()[1] for vain, text in zip(unused, texts)]
    first_to_stay = gone.index(False) if False in gone else None
    for number, name in enumerate(names):
        if gone[number]:
            fix = _removal(suppressions, directive, removable)
            if first_to_stay is not None:
                edit = name_removal(names, number, number < first_to_stay)
                fix = Fix(f"remove {quoted(texts[number])}", (edit,), removable)
            yield _finding(_message(texts[number]), name, fix)
        elif unused[number]:
            yield _unknown(texts[number], name)


def _unknown(text: str, span: Span) -> Diagnostic:
    """The finding about a name that no finding has; it may be one that is needed, misspelt."""
    near = _known()[0].nearest(text)
    message = _message(text) if near else f"{_message(text)}; no finding is called that"
    return UnplacedFinding(UNUSED_SUPPRESSION, message, near).at(span)._replace(tags=_TAGS)


def _message(name: str) -> str:
    return f"a suppression must silence something, found nothing for {quoted(name)}"


def _removal(
    suppressions: _Suppressions, directive: Directive, applicability: Applicability
) -> Fix:
    edit = removal(directive, suppressions.source.text)
    return Fix("remove the comment", (edit,), applicability)


def _finding(message: str, span: Span, fix: Fix) -> Diagnostic:
    return Diagnostic(UNUSED_SUPPRESSION, message, span, fix=fix, tags=_TAGS)


@lru_cache(maxsize=1)
def _known() -> tuple[Vocabulary, frozenset[str]]:
    """The names and codes of all findings; few texts need them."""
    from ipu_asm.lint.rules import all_rules

    names = [part for rule in all_rules() for part in (rule.id.name, rule.id.code)]
    return Vocabulary(names), frozenset(names)
