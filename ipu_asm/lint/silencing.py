"""What comments silence is left out, and names in them that silence nothing are reported."""

from __future__ import annotations

from functools import lru_cache
from typing import Container, Iterator, Sequence

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.directives import Directive, directives_of, name_removal, removal
from ipu_asm.lint.suppressions import UNUSED_SUPPRESSION
from ipu_asm.program import Program
from ipu_asm.spelling import Vocabulary
from ipu_asm.text import SourceFile, Span, TextEdit

_OWN_NAMES = UNUSED_SUPPRESSION[:2]
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
    unused = list(_unused(suppressions, kept))
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
        return [(place, name) for place in (None, line) for name in finding.kind[:2]]

    def is_unused(self, directive: Directive, name: Span) -> bool:
        """Whether a name has silenced nothing, though it is not about such names."""
        text = self.text(name)
        return text not in _OWN_NAMES and not self._used.get((directive.line, text), False)


def _unused(suppressions: _Suppressions, kept: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    missed: set[_Target] = {target for finding in kept for target in suppressions.targets(finding)}
    for directive in suppressions.directives:
        reason = _why_in_vain(directive, suppressions.source.text)
        if reason:
            fix = _removal(suppressions, directive, Applicability.UNSAFE)
            yield _finding(reason, directive.span, fix)
        else:
            yield from _unused_names(suppressions, directive, missed)


def _why_in_vain(directive: Directive, text: str) -> str:
    """Why a comment silences nothing, whatever findings there are."""
    if directive.names is None:
        found = quoted(text[directive.span.start : directive.span.end])
        return f"a suppression lists what it silences: `ignore[name]`, found {found}"
    if directive.line is None and not directive.at_top:
        return "`ignore-file` counts above the first bundle only, found it further down"
    return ""


def _unused_names(
    suppressions: _Suppressions, directive: Directive, missed: Container[_Target]
) -> Iterator[Diagnostic]:
    """A finding for each name in vain. A misspelt one that was needed is corrected, others go."""
    names = directive.names or ()
    unused = [suppressions.is_unused(directive, name) for name in names]
    if not any(unused):
        return
    meant = [_meant(suppressions.text(name)) if vain else None for name, vain in zip(names, unused)]
    needed = [near is not None and (directive.line, near) in missed for near in meant]
    gone = [vain and not need for vain, need in zip(unused, needed)]
    first_to_stay = gone.index(False) if False in gone else None
    everything = _removal(suppressions, directive, Applicability.SAFE)
    for number, name in enumerate(names):
        near = meant[number]
        if needed[number]:
            fix = Fix(f"replace by `{near}`", (TextEdit(name, near or ""),), Applicability.SAFE)
        elif first_to_stay is None:
            fix = everything
        elif gone[number]:
            title = f"remove {quoted(suppressions.text(name))}"
            edit = name_removal(names, number, number < first_to_stay)
            fix = Fix(title, (edit,), Applicability.SAFE)
        else:
            continue
        yield _finding(_message(suppressions.text(name), near), name, fix)


def _message(name: str, near: str | None) -> str:
    message = f"a suppression must silence something, found nothing for {quoted(name)}"
    if near is not None:
        return f"{message}; did you mean `{near}`?"
    return message if name in _known()[1] else f"{message}; no finding is called that"


def _meant(name: str) -> str | None:
    """The name that a misspelt one is near to; None for one that exists."""
    vocabulary, names = _known()
    return None if name in names else vocabulary.nearest(name)


def _removal(
    suppressions: _Suppressions, directive: Directive, applicability: Applicability
) -> Fix:
    edit = removal(directive, suppressions.source.text)
    return Fix("remove the comment", (edit,), applicability)


def _finding(message: str, span: Span, fix: Fix) -> Diagnostic:
    return Diagnostic(UNUSED_SUPPRESSION, message, span, fix=fix, tags=("unnecessary",))


@lru_cache(maxsize=1)
def _known() -> tuple[Vocabulary, frozenset[str]]:
    """The names and codes of all findings; few texts need them."""
    from ipu_asm.lint.rules import all_rules

    names = [part for rule in all_rules() for part in (rule.kind.name, rule.kind.code)]
    return Vocabulary(names), frozenset(names)
