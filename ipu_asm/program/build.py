"""Construction of the program of a text, from scratch or from the program of an earlier state."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Callable, Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.findings import (
    control_character,
    is_broken_by_bytes,
    is_undecodable,
    undecodable_byte,
)
from ipu_asm.bundle.parser import parser_for
from ipu_asm.diagnostics import (
    DUPLICATE_LABEL,
    IMMEDIATE_OUT_OF_RANGE,
    PROGRAM_TOO_LARGE,
    SYNTAX_ERROR,
    Diagnostic,
    RelatedInformation,
    UnplacedFinding,
)
from ipu_asm.isa.gnu_expressions import evaluate
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.isa.surface import ARGUMENTS, SYMBOL_DIRECTIVES
from ipu_asm.program.code_positions import with_no_ops
from ipu_asm.program.edits import IncrementalCache, read_slices
from ipu_asm.program.macros import (
    NO_MACROS,
    Macros,
    affects,
    defines_constants,
    is_use,
    read_macros,
    refused_constants,
    without_external_names,
)
from ipu_asm.program.program import (
    DuplicateLabel,
    Program,
    ProgramLayout,
    Reference,
    References,
    are_labelled_alike,
    cached_on_program,
    is_labelled,
    names_labels,
    read_labels,
)
from ipu_asm.syntax.directives import argument_findings
from ipu_asm.text import CONTROL_CHARACTER, Change, Span, offsets

_ASSIGNING = frozenset(SYMBOL_DIRECTIVES) - {".size"}
_NAME = re.compile(r"(?<![\w.$'\\])[A-Za-z_.$][\w.$]*")
# Up to this number they may be a mistake in a text; a NUL never is.
_MAX_IN_A_TEXT = 4
_OPENING, _CLOSING = "/*", "*/"


def read_program(
    isa: Isa,
    text: str,
    read: Callable[[str], Bundle] | None = None,
    before: Program | None = None,
    change: Change | None = None,
) -> Program:
    """Build the program of a text, reusing parts of `before`, the program of an earlier state.

    `read` parses the text of a bundle and may cache. `change` is the edit from the earlier text to
    this one, if known.
    """
    read = read or parser_for(isa).bundle
    slices, diff = read_slices(isa, text, read, before.slices if before else None, change)
    slices, diff = with_no_ops(isa, slices, diff)
    bundles = slices.bundles
    cache = IncrementalCache(isa, bundles, diff, before.cache if before else None)
    macros = _read_macros(isa, bundles, cache)
    addresses = offsets(accumulate([bundle.size for bundle in bundles], initial=0), slices.text)
    labels = read_labels(isa, bundles, cache.where(is_labelled))
    references = References(bundles, addresses, labels).read(cache.where(names_labels))
    if before is not None and diff is not None:
        old = [before.bundles[number] for number in diff.replaced]
        new = [bundles[number] for number in diff.inserted]
        same_macros = macros == before.macros.moved(diff)
        cache.same_names = same_macros and are_labelled_alike(old, new)
    program = Program(isa, slices, ProgramLayout(addresses, labels, references), macros, cache)
    add_findings(program)
    return program


def _read_macros(isa: Isa, bundles: Sequence[Bundle], cache: IncrementalCache) -> Macros:
    if not isa.surface.preprocessed:
        defining = [bundles[n] for n in cache.where(defines_constants)]
        return NO_MACROS._replace(refused=refused_constants(isa, defining))
    return read_macros([(n, bundles[n]) for n in cache.where(affects)], len(bundles))


def add_findings(program: Program) -> None:
    """Set the findings of a new program: those of its bundles, and those between bundles."""
    findings = list(_findings(program))
    if findings and not program.isa.surface.block_comments and _has_opening(program.text):
        findings = _outside_comments(program, findings)
    no_text = _no_text(program.text, findings)
    program.is_text = no_text is None
    program.findings = findings if no_text is None else [no_text]


def _has_opening(text: str) -> bool:
    # One character is found ten times as fast as two: a third of an edit in 10,000 lines.
    return "*" in text and _OPENING in text


def _findings(program: Program) -> Iterator[Diagnostic]:
    starts, bundles, labels = program.starts, program.bundles, program.layout.labels
    faulty = program.where(_has_findings)
    # A str knows whether it is ASCII, which spares a look at every bundle of a new text.
    if not program.text.isascii():
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
        if finding.rule is SYNTAX_ERROR and (match := CONTROL_CHARACTER.search(text, *finding.span))
    ]
    if len(places) <= _MAX_IN_A_TEXT and not any(match[0] == "\0" for match in places):
        return None
    first = min(places, key=re.Match.start)
    return control_character(first[0], first.start())


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


@cached_on_program
def symbol_values(program: Program) -> Mapping[str, int]:
    """Return the symbols whose only value is a known constant."""
    values: dict[str, int | None] = {}
    for number, name, text in _assignments(program):
        is_sure = program.macros.region_of(number) is None and name not in program.labels
        value = evaluate(text, values) if is_sure else None
        values[name] = value if values.get(name, value) == value else None
    return {name: value for name, value in values.items() if value is not None}


def _assignments(program: Program) -> Iterator[tuple[int, str, str]]:
    """Yield the bundle, the symbol and the value of each assignment."""
    for number in program.where(_assigns):
        for words in program.bundles[number].syntax.directives:
            if words[0].lower() in _ASSIGNING and words[2:3] == (",",):
                yield number, words[1], " ".join(words[3:])
            elif words[1:2] == ("=",):
                yield number, words[0], " ".join(words[2:])


def _assigns(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive is not None and any(
        words[0].lower() in _ASSIGNING or words[1:2] == ("=",) for words in bundle.syntax.directives
    )


def symbol_findings(program: Program) -> Iterator[Diagnostic]:
    """Yield the findings about operands and arguments whose symbols make them out of range."""
    if not program.where(_assigns):
        return
    yield from _labels_with_values(program)
    values = symbol_values(program)
    for number in program.where(_may_name_symbols) if values else ():
        bundle = program.bundles[number]
        for instruction in range(len(bundle.instructions)):
            for finding in _of_instruction(program.isa, bundle, instruction, values):
                yield finding.shifted(program.starts[number])
        if bundle.directive is not None and _NAME.search(bundle.syntax.text):
            known = set(argument_findings(program.isa, bundle.syntax, {}))
            for finding in argument_findings(program.isa, bundle.syntax, values):
                if finding.rule is IMMEDIATE_OUT_OF_RANGE and finding not in known:
                    yield finding.shifted(program.starts[number])


def _labels_with_values(program: Program) -> Iterator[Diagnostic]:
    """Yield the findings about names that are a label and are assigned a value as well."""
    region_of, told = program.macros.region_of, set[str]()
    for number, name, _ in _assignments(program):
        label = program.labels.get(name)
        if label is None or name in told or region_of(number) or region_of(label):
            continue
        told.add(name)
        syntax = program.bundles[number].syntax
        token = syntax.plan.directive + (syntax.words[syntax.plan.directive] != name)
        if syntax.plan.directive < 0 or syntax.words[token] != name:
            continue
        assigned = program.span(number, syntax.span_of(token, token + 1))
        first, later = sorted((assigned, program.label_span(name)))
        message = f"a name is a label or has a value, found a second definition of {quoted(name)}"
        related = RelatedInformation(first, f"{quoted(name)} is defined here first")
        yield Diagnostic(DUPLICATE_LABEL, message, later, (related,))


def _may_name_symbols(isa: Isa, bundle: Bundle) -> bool:
    if bundle.directive is not None:
        return bundle.directive.lower() in ARGUMENTS
    if isa.surface.number_mark:
        return isa.surface.number_mark in bundle.syntax.text
    return any(not isinstance(value, int) for each in bundle.instructions for value in each.values)


def _of_instruction(
    isa: Isa, bundle: Bundle, number: int, values: Mapping[str, int]
) -> Iterator[Diagnostic]:
    """Yield what is wrong with an instruction that has the values of symbols in place of them."""
    written = bundle.instructions[number].words
    words = (written[0], *(_with_values(isa, word, values) for word in written[1:]))
    if words == written:
        return
    instruction = parser_for(isa).instruction(words)
    if all(finding.rule is IMMEDIATE_OUT_OF_RANGE for _, finding in instruction.findings):
        for place, finding in instruction.findings:
            if written[place + 1] != words[place + 1]:
                yield _placed(bundle, number, place, finding, words[place + 1])


def _with_values(isa: Isa, word: str, values: Mapping[str, int]) -> str:
    if word.lower() in isa.file_of_register:
        return word
    return _NAME.sub(
        lambda match: f"({values[match[0]]})" if match[0] in values else match[0], word
    )


def _placed(
    bundle: Bundle, number: int, place: int, finding: UnplacedFinding, read: str
) -> Diagnostic:
    """Place a finding about an operand that is `read` with values where its symbols are written."""
    written = bundle.instructions[number].words[place + 1]
    span: Span = bundle.syntax.operand_span(number, place)
    if finding.part is not None:
        # Symbols have no commas: the pieces of both texts are the same.
        start, stop = finding.part
        piece = read[:start].count(",")
        before = written[1:-1].split(",")[:piece]
        begin = 1 + sum(len(each) + 1 for each in before)
        read, written = read[start:stop], written[1:-1].split(",")[piece]
        span = bundle.syntax.part_span(number, place, begin, begin + len(written))
    message = finding.message.replace(quoted(read), quoted(written))
    return finding._replace(message=message, replacement=None).at(span)
