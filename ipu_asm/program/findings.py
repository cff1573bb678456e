"""Findings about a program other than those of rules: labels, references, size, binary files."""

from __future__ import annotations

import re
from typing import Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, UnplacedFinding
from ipu_asm.diagnostics.errors import DUPLICATE_LABEL, PROGRAM_TOO_LARGE, SYNTAX_ERROR
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.program.labels import DuplicateLabel, Reference
from ipu_asm.program.macros import without_external_names
from ipu_asm.program.program import Program
from ipu_asm.program.refused_constants import is_use
from ipu_asm.program.symbol_values import symbol_findings
from ipu_asm.text import Span

# Control characters that no source contains.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
# Up to this number they may be a mistake in a text; a NUL never is.
_MOST_IN_A_TEXT = 4
_OPENING, _CLOSING = "/*", "*/"


def add_findings(program: Program, same_macros: bool) -> Program:
    """Set the findings of a new program: those of its bundles, and those between bundles.

    `same_macros`: the macros are those of the program before the edit, so what they resolve holds.
    """
    findings = list(_findings(program, same_macros))
    if findings and not program.isa.surface.block_comments and _has_opening(program.text):
        findings = _outside_comments(program, findings)
    no_text = _no_text(program.text, findings)
    program.is_text = no_text is None
    program.findings = findings if no_text is None else [no_text]
    return program


def _has_opening(text: str) -> bool:
    # One character is found ten times as fast as two: a third of an edit in 10,000 lines.
    return "*" in text and _OPENING in text


def _findings(program: Program, same_macros: bool) -> Iterator[Diagnostic]:
    starts, bundles, labels = program.starts, program.bundles, program.layout.labels
    faulty = program.cache.among(
        "faulty",
        program.where(_has_findings),
        lambda n: bool(_unresolved_findings(program, n)),
        same_macros,
    )
    # A str knows whether it is ASCII, which spares a look at every bundle of a new text.
    if not program.text.isascii():
        from ipu_asm.bundle.invalid_utf8 import (
            is_broken_by_bytes,
            is_undecodable,
            undecodable_byte,
        )

        undecodable = program.where(is_undecodable)
        for first in undecodable[:1]:
            yield undecodable_byte(bundles[first]).shifted(starts[first])
            faulty = [n for n in faulty if not is_broken_by_bytes(bundles[n])]
    found = [each.shifted(starts[n]) for n in faulty for each in _unresolved_findings(program, n)]
    for repeated in labels.repeated:
        found += _duplicates(program, repeated)
    found += [_distance(program, label) for label in labels.distances]
    yield from without_external_names(found) if program.isa.surface.preprocessed else found
    if program.isa.surface.preprocessed:
        yield from symbol_findings(program)
    for reference in program.references:
        if reference.problem is not None:
            yield from _unresolved_reference(program, reference, reference.problem)
    yield from _excess(program)


def _has_findings(_isa: Isa, bundle: Bundle) -> bool:
    return bool(bundle.findings)


def _unresolved_findings(program: Program, number: int) -> list[Diagnostic]:
    """Return the findings of a bundle; none if a macro may resolve them.

    The uses of a constant whose definition is refused are no further mistakes.
    """
    macros, bundle = program.macros, program.bundles[number]
    if macros.reads_files and bundle.depends_on_names:
        return []
    findings = [each for each in bundle.findings if not macros.may_resolve(each, number)]
    if findings and any(macros.defines(each.mnemonic) for each in bundle.instructions):
        return []
    if macros.refused:
        text = bundle.syntax.text
        return [each for each in findings if not is_use(each, text, macros.refused)]
    return findings


def _duplicates(program: Program, repeated: DuplicateLabel) -> Iterator[Diagnostic]:
    label, number, token = repeated
    macros = program.macros
    if macros.region_of(number) or macros.region_of(program.labels[label]) or macros.defines(label):
        return
    span = program.span(number, program.bundles[number].syntax.span_of(token, token + 1))
    first = RelatedInformation(program.label_span(label), f"{quoted(label)} is defined here first")
    message = f"a label is defined once, found a second definition of {quoted(label)}"
    yield Diagnostic(DUPLICATE_LABEL, message, span, (first,))


def _distance(program: Program, label: str) -> Diagnostic:
    message = f"an operand {quoted(label)} is always a distance, so no label can be called that"
    return Diagnostic(SYNTAX_ERROR, message, program.label_span(label))


def _unresolved_reference(
    program: Program, reference: Reference, problem: UnplacedFinding
) -> Iterator[Diagnostic]:
    macros = program.macros
    if problem.dropped_if_defined and (
        macros.make_labels or macros.may_define(problem.dropped_if_defined)
    ):
        return
    finding = problem.at(program.reference_span(reference))._replace(dropped_if_defined=())
    if not is_use(finding, program.text, macros.refused):
        yield finding


def _excess(program: Program) -> Iterator[Diagnostic]:
    limit, unit = program.isa.program_limit, program.isa.unit
    if program.size > limit:
        number = program.number_at(limit)
        message = f"instruction memory holds {limit} {unit}s, found {program.size}"
    elif program.size == limit and program.bundles[program.number_at(limit - 1)].open_slots:
        number = program.number_at(limit - 1)
        slot = program.bundles[number].open_slots[0]
        message = (
            f"the last bundle of instruction memory needs an instruction for slot "
            f"`{slot.name}`: its no-op would go on at address {limit}"
        )
    else:
        return
    span = program.span(number, program.bundles[number].first_token)
    yield Diagnostic(PROGRAM_TOO_LARGE, message, span)


def _no_text(text: str, findings: Sequence[Diagnostic]) -> Diagnostic | None:
    """Return the only finding about a binary file, such as an image; None for a text.

    Control characters only count in findings, because comments may contain anything.
    """
    places = [
        match
        for finding in findings
        if finding.rule is SYNTAX_ERROR and (match := _CONTROL.search(text, *finding.span))
    ]
    if len(places) <= _MOST_IN_A_TEXT and not any(match[0] == "\0" for match in places):
        return None
    first = min(places, key=re.Match.start)
    message = f"a source is text, found U+{ord(first[0]):04X}"
    return Diagnostic(SYNTAX_ERROR, message, Span(*first.span()))


def _outside_comments(program: Program, findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Drop findings inside of block comments that extend beyond their bundle.

    In a set without block comments, only the start of the comment is a finding.
    """
    text = program.text
    kept: list[Diagnostic] = []
    behind = 0
    for finding in sorted(findings, key=lambda finding: finding.span):
        start = finding.span.start
        if start < behind:
            continue
        kept.append(finding)
        if finding.rule is SYNTAX_ERROR and text.startswith(_OPENING, start):
            closing = text.find(_CLOSING, start)
            if closing < 0:
                return [*kept, *(each for each in findings if each.span.start > start)]
            number = program.bundle_at(start)
            if closing >= program.starts[number] + len(program.bundles[number].syntax.text):
                behind = closing + len(_CLOSING)
    return kept
