"""Changes of the configuration that resolve findings: names to declare, folders to search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from ipu_asm.analysis.doubtful_isa import other_set
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import INCLUDE_NOT_FOUND
from ipu_asm.ide.names.lookup import includes_of
from ipu_asm.ide.template.declaring import undefined_name
from ipu_asm.lint.other_instruction_set import OTHER_INSTRUCTION_SET
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class NameToDeclare(NamedTuple):
    """An undefined name: of a template, else one that a define may give a value."""

    finding: Diagnostic
    name: str
    is_in_template: bool


class MissingHeader(NamedTuple):
    """The name of a header that is in none of the folders that are searched."""

    finding: Diagnostic
    name: str


def names_to_declare(analysis: Analysis, span: Span) -> Iterator[NameToDeclare]:
    """Yield the names that findings touching a span call undefined, each once."""
    found: dict[str, NameToDeclare] = {}
    for finding in _touched(analysis, span):
        name = undefined_name(analysis, finding)
        if name is not None:
            found.setdefault(name, NameToDeclare(finding, name, True))
        elif finding.dropped_if_defined and analysis.isa.surface.c_preprocessor:
            word = analysis.text[finding.span.start : finding.span.end]
            if word in finding.dropped_if_defined and word.isidentifier():
                found.setdefault(word, NameToDeclare(finding, word, False))
    yield from found.values()


def set_to_choose(analysis: Analysis, span: Span) -> tuple[Diagnostic, str] | None:
    """Return the hint at a span that a text is for another instruction set, and its name."""
    for finding in _touched(analysis, span):
        if finding.code == OTHER_INSTRUCTION_SET.code:
            other = other_set(analysis)
            return (finding, other.name) if other is not None else None
    return None


def missing_headers(analysis: Analysis, span: Span) -> Iterator[MissingHeader]:
    """Yield the headers whose includes touch a span and are not found."""
    names = {include.place.span: include.name for include in includes_of(analysis)}
    for finding in _touched(analysis, span):
        if finding.code == INCLUDE_NOT_FOUND.code and finding.span in names:
            yield MissingHeader(finding, names[finding.span])


def _touched(analysis: Analysis, span: Span) -> Iterator[Diagnostic]:
    for finding in analysis.diagnostics:
        is_touched = finding.span.start <= span.end and span.start <= finding.span.end
        if is_touched and finding.path is None:
            yield finding
