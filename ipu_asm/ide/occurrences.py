"""The label, macro or register that a word names, and all its occurrences in the text.

The registers of a bundle are cached with the bundle, so a repeated query scans the bundles only.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.ide.macros.names import ParameterInScope, parameter_at, parameter_use_at, uses_of
from ipu_asm.ide.macros.occurrences import Certainty, macro_at, macro_occurrences
from ipu_asm.ide.numeric_labels import (
    NumericLabel,
    definition_of,
    references_of,
)
from ipu_asm.ide.registers import registers_in
from ipu_asm.ide.syntax_element import (
    Blank,
    Comment,
    LabelDefinition,
    OperandAt,
    element_at,
    is_valid_value,
    reference_at,
)
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class OccurrenceKind(Enum):
    """What an occurrence does with the symbol."""

    NAMES = "names"
    READS = "reads"
    WRITES = "writes"
    READS_AND_WRITES = "reads and writes"
    DEFINES = "defines"
    TARGETS_BY_DISTANCE = "goes there by distance"


class Occurrence(NamedTuple):
    """A span that names a symbol."""

    span: Span
    kind: OccurrenceKind


class LabelName(NamedTuple):
    """The name of a label, defined or not."""

    name: str


class RegisterName(NamedTuple):
    """The canonical name of a register."""

    name: str


class MacroName(NamedTuple):
    """The name of a macro; `is_define` is true for ``#define`` and false for ``.macro``."""

    name: str
    is_define: bool


Symbol = LabelName | RegisterName | NumericLabel | MacroName | ParameterInScope
_NOWHERE = -1
_KIND_OF_ACCESS = {
    "": OccurrenceKind.NAMES,
    "r": OccurrenceKind.READS,
    "w": OccurrenceKind.WRITES,
    "rw": OccurrenceKind.READS_AND_WRITES,
}


def symbol_at(analysis: Analysis, offset: int) -> tuple[Symbol, Span] | None:
    """Return the symbol at an offset and the span of its name there; None if there is none."""
    program = analysis.program
    place = element_at(program, offset)
    if program.isa.surface.preprocessed and not isinstance(place, Comment):
        found = _of_macros(program, offset)
        if found is not None:
            return found
    if isinstance(place, LabelDefinition):
        numeric = definition_of(program, place)
        return numeric or LabelName(place.name), place.span
    if isinstance(place, Blank):
        return _possible_label_at(program, place.bundle, offset)
    if not isinstance(place, OperandAt):
        return None
    found = _in_operand(program, place, offset)
    return found or _possible_label_at(program, place.bundle, offset)


def _of_macros(program: Program, offset: int) -> tuple[Symbol, Span] | None:
    """Return the macro or macro parameter at an offset, if any."""
    use = parameter_use_at(program, offset) or parameter_at(program, offset)
    if use is not None:
        return use
    found = macro_at(program, offset)
    return found and (MacroName(found[0][0].name, found[0][0].is_define), found[1])


def _in_operand(program: Program, place: OperandAt, offset: int) -> tuple[Symbol, Span] | None:
    bundle = program.bundles[place.bundle]
    value = program.span(place.bundle, bundle.value_span(place.instruction, place.operand))
    if not value.touches(offset):
        return None
    reference = reference_at(program, place)
    if reference is not None:
        numeric = references_of(program).get(reference)
        if numeric is not None:
            return numeric, value
        label = _label_of(program, reference.text, reference.target)
        return None if label is None else (LabelName(label), value)
    for use in registers_in(program.isa, bundle):
        span = program.span(place.bundle, use.span)
        is_here = (use.instruction, use.operand) == (place.instruction, place.operand)
        if is_here and span.touches(offset):
            return RegisterName(use.register), span
    if is_valid_value(bundle, place.instruction, place.operand):
        return None
    text = program.text[value.start : value.end]
    return (LabelName(text), value) if text in program.labels else None


def _possible_label_at(program: Program, number: int, offset: int) -> tuple[Symbol, Span] | None:
    """Return the label named by a word in a directive or an expression, if any."""
    for word, spans in _possible_label_words(program.isa, program.bundles[number]).items():
        for span in spans:
            if word in program.labels and program.span(number, span).touches(offset):
                return LabelName(word), program.span(number, span)
    return None


def occurrences(analysis: Analysis, symbol: Symbol) -> list[Occurrence]:
    """Return all occurrences of a symbol in source order.

    Those of a label include branches that reach it by a distance.
    """
    if isinstance(symbol, LabelName):
        found = dict.fromkeys(_of_label(analysis.program, symbol.name))
        return sorted(found, key=lambda occurrence: occurrence.span)
    if isinstance(symbol, NumericLabel):
        return sorted(_of_numeric_label(analysis.program, symbol), key=lambda each: each.span)
    if isinstance(symbol, MacroName):
        return list(_of_macro(analysis.program, symbol))
    if isinstance(symbol, ParameterInScope):
        definition = Occurrence(symbol.parameter.span, OccurrenceKind.DEFINES)
        uses = uses_of(analysis.program, symbol)
        return [definition, *(Occurrence(span, OccurrenceKind.NAMES) for span in uses)]
    return _of_register(analysis.program, symbol.name)


def _label_of(program: Program, text: str, target: int | None) -> str | None:
    """Return the label that a branch names, or the last label at the target of its distance."""
    if target is None or program.label_addresses.get(text) == target:
        return text
    labels = reversed(program.label_addresses.items())
    return next((label for label, address in labels if address == target), None)


def _of_label(program: Program, name: str) -> Iterator[Occurrence]:
    for number, bundle in program.notable:
        for span in bundle.syntax.label_spans(name) if bundle.label is not None else ():
            yield Occurrence(program.span(number, span), OccurrenceKind.DEFINES)
        if bundle.findings:
            for span in _misplaced(program.isa, bundle, name):
                yield Occurrence(program.span(number, span), OccurrenceKind.NAMES)
    for number, span in _places_of_possible_labels(program).get(name, ()):
        yield Occurrence(program.span(number, span), OccurrenceKind.NAMES)
    labels = program.label_addresses
    address = labels.get(name, _NOWHERE)
    for reference in program.references:
        if reference.text == name and reference.target in (None, labels.get(name)):
            yield Occurrence(program.reference_span(reference), OccurrenceKind.NAMES)
        elif address == reference.target != labels.get(reference.text):
            yield Occurrence(program.reference_span(reference), OccurrenceKind.TARGETS_BY_DISTANCE)


def _of_numeric_label(program: Program, symbol: NumericLabel) -> Iterator[Occurrence]:
    for span in program.bundles[symbol.bundle].syntax.label_spans(symbol.name):
        yield Occurrence(program.span(symbol.bundle, span), OccurrenceKind.DEFINES)
    for reference, meant in references_of(program).items():
        if meant == symbol:
            yield Occurrence(program.reference_span(reference), OccurrenceKind.NAMES)


def _of_macro(program: Program, symbol: MacroName) -> Iterator[Occurrence]:
    for span, certainty in macro_occurrences(program, *symbol):
        if certainty is not Certainty.POSSIBLE:
            is_defined = certainty is Certainty.DEFINES
            yield Occurrence(span, OccurrenceKind.DEFINES if is_defined else OccurrenceKind.NAMES)


@cached_on_program
def _places_of_possible_labels(program: Program) -> dict[str, list[tuple[int, Span]]]:
    """Return the places of words that may be labels, by word: bundle and span in the bundle."""
    found: dict[str, list[tuple[int, Span]]] = {}
    if program.isa.surface.linked:
        for number, bundle in enumerate(program.bundles):
            for word, spans in _possible_label_words(program.isa, bundle).items():
                found.setdefault(word, []).extend((number, span) for span in spans)
    return found


def _misplaced(isa: Isa, bundle: Bundle, name: str) -> Iterator[Span]:
    """Yield the spans at which a bundle has `name` as an operand that cannot be a label."""
    labels = {(use.instruction, use.operand) for use in bundle.label_uses}
    registers = {(use.instruction, use.operand) for use in registers_in(isa, bundle)}
    for number, instruction in enumerate(bundle.instructions):
        for place in range(len(instruction.words) - 1):
            if (number, place) not in labels | registers and not is_valid_value(
                bundle, number, place
            ):
                span = bundle.value_span(number, place)
                if bundle.syntax.text[span.start : span.end] == name:
                    yield span


def _of_register(program: Program, name: str) -> list[Occurrence]:
    return [
        Occurrence(Span(start + begin, start + end), kind)
        for start, places in zip(program.starts, _places_of_registers(program))
        if name in places
        for (begin, end), kind in places[name]
    ]


@cached_on_program
def _places_of_registers(program: Program) -> list[dict[str, list[Occurrence]]]:
    """Return the occurrences of registers, for each bundle; spans count from the bundle's start."""
    isa = program.isa
    return [_by_register(isa, bundle) for bundle in program.bundles]


@cached_on_bundle
def _by_register(isa: Isa, bundle: Bundle) -> dict[str, list[Occurrence]]:
    found: dict[str, list[Occurrence]] = {}
    for use in registers_in(isa, bundle):
        occurrence = Occurrence(use.span, _KIND_OF_ACCESS[use.access])
        found.setdefault(use.register, []).append(occurrence)
    return found


@cached_on_bundle
def _possible_label_words(isa: Isa, bundle: Bundle) -> dict[str, list[Span]]:
    """Return the words of a bundle that may be labels but are no operand of their own.

    They are in directives and in operands whose value is unknown.
    """
    found: dict[str, list[Span]] = {}
    for token in _possible_label_tokens(bundle):
        if bundle.syntax.tokens[token].kind == "WORD":
            word, span = bundle.syntax.words[token], bundle.syntax.spans[token]
            found.setdefault(word, []).append(span)
    return found


def _possible_label_tokens(bundle: Bundle) -> Iterator[int]:
    plan = bundle.syntax.plan
    if plan.directive >= 0:
        yield from range(plan.directive + 1, len(bundle.syntax.words))
    for first, last in plan.inner_directives:
        yield from range(first + 1, last)
    for entry, instruction in zip(plan.instructions, bundle.instructions):
        values = instruction.values or (None,) * len(entry.operands)
        for (first, last), value in zip(entry.operands, values):
            if value is None:
                yield from range(first, last)
