"""Labels as symbols, named and numeric: their definitions, occurrences, pages and renaming.

A numeric label can be defined repeatedly: ``1b`` is the last ``1:``, ``1f`` the next.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.ide.pages.label import definition_markdown
from ipu_asm.ide.symbols import (
    Definition,
    NamedSymbol,
    Occurrence,
    OccurrenceKind,
    RenameError,
    line_of,
)
from ipu_asm.ide.symbols.registers import registers_in
from ipu_asm.ide.syntax_element import OperandAt, end_of_bundle, is_valid_value, reference_at
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program, Reference, cached_on_program
from ipu_asm.text import Span, TextEdit, apply_edits

_NOWHERE = -1
_BACK, _FORTH = "bf"


class Label(NamedTuple):
    """A label by its name, defined or not."""

    name: str

    def definitions(self, analysis: Analysis) -> list[Definition]:
        """Return the definitions: several are an error, but each is one."""
        program = analysis.program
        return [
            _definition(program, number, program.span(number, span))
            for number, span in _definition_spans(program, self.name)
        ]

    def occurrences(self, analysis: Analysis) -> list[Occurrence]:
        """Return the occurrences, which include branches that reach the label by a distance."""
        found = dict.fromkeys(_occurrences(analysis.program, self.name))
        return sorted(found, key=lambda occurrence: occurrence.span)

    def description(self, analysis: Analysis) -> str | None:
        """Return the page of the label; None if it is undefined."""
        bundle = analysis.program.labels.get(self.name)
        return None if bundle is None else definition_markdown(analysis, bundle, self.name)

    def check_renameable(self, analysis: Analysis, span: Span) -> None:
        """Raise `RenameError` unless one definition and this name are written."""
        program, called = analysis.program, quoted(self.name)
        if self.name not in program.labels:
            raise RenameError(f"no label is called {called}, so it cannot be renamed")
        if program.text[span.start : span.end] != self.name:
            where = f"rename {called} where its name is written"
            raise RenameError(f"a distance cannot be renamed: {where}")
        if len(list(_definition_spans(program, self.name))) > 1:
            raise RenameError(f"{called} is defined more than once: correct that first")

    def renaming(self, analysis: Analysis, new_name: str) -> list[TextEdit]:
        """Return the edits that rename the label and keep the labels, targets and encodings."""
        program = analysis.program
        if new_name in program.labels:
            line = line_of(analysis, program.label_span(new_name))
            raise RenameError(f"a label {quoted(new_name)} is already defined on line {line}")
        for reference in program.references:
            if reference.text == new_name:
                line = line_of(analysis, program.reference_span(reference))
                raise RenameError(
                    f"line {line} has a branch to {quoted(new_name)}, which would lead here then"
                )
        _check_hidden(analysis, self.name)
        edits = [TextEdit(span, new_name) for span in self.written(analysis)]
        _check_meaning(program, edits, self.name, new_name)
        return edits

    def written(self, analysis: Analysis) -> list[Span]:
        """Return the spans in which the name is written: all but distances."""
        return [
            span
            for span, kind in self.occurrences(analysis)
            if kind is not OccurrenceKind.TARGETS_BY_DISTANCE
        ]


class NumericLabel(NamedTuple):
    """One definition of a numeric label: the number as written, and its bundle."""

    name: str
    bundle: int

    def definitions(self, analysis: Analysis) -> list[Definition]:
        program = analysis.program
        span = program.span(self.bundle, program.bundles[self.bundle].syntax.label_span(self.name))
        return [_definition(program, self.bundle, span)]

    def occurrences(self, analysis: Analysis) -> list[Occurrence]:
        """Return the definition and the references to it."""
        program = analysis.program
        spans = program.bundles[self.bundle].syntax.label_spans(self.name)
        found = [
            Occurrence(program.span(self.bundle, span), OccurrenceKind.DEFINES) for span in spans
        ]
        for reference, meant in numeric_references(program).items():
            if meant == self:
                span = program.reference_span(reference)
                found.append(Occurrence(span, OccurrenceKind.NAMES))
        return sorted(found, key=lambda occurrence: occurrence.span)

    def description(self, analysis: Analysis) -> str:
        """Return the page of this definition."""
        return definition_markdown(analysis, self.bundle, self.name)

    def check_renameable(self, _analysis: Analysis, _span: Span) -> None:
        """Raise `RenameError`."""
        raise RenameError("a numeric label cannot be renamed: replace it with a named label")

    def renaming(self, analysis: Analysis, _new_name: str) -> list[TextEdit]:
        """Raise `RenameError`."""
        self.check_renameable(analysis, Span(0, 0))
        return []


def label_at_definition(program: Program, number: int, name: str) -> Label | NumericLabel:
    """Return the label that is defined with a name in a bundle."""
    is_numeric = number in program.numeric_labels.get(name, ())
    return NumericLabel(name, number) if is_numeric else Label(name)


def label_in_operand(program: Program, place: OperandAt, value: Span) -> NamedSymbol | None:
    """Return the label that an operand refers to by its name, number or distance, if any."""
    reference = reference_at(program, place)
    if reference is None:
        return None
    numeric = numeric_references(program).get(reference)
    if numeric is not None:
        return NamedSymbol(numeric, value)
    target = reference.target
    if target is None or program.label_addresses.get(reference.text) == target:
        return NamedSymbol(Label(reference.text), value)
    labels = reversed(program.label_addresses.items())
    last = next((label for label, address in labels if address == target), None)
    return None if last is None else NamedSymbol(Label(last), value)


def label_in_words(program: Program, number: int, offset: int) -> NamedSymbol | None:
    """Return the label that a word in a directive or an expression names, if any."""
    for word, spans in _possible_words(program.isa, program.bundles[number]).items():
        for span in spans:
            if word in program.labels and program.span(number, span).touches(offset):
                return NamedSymbol(Label(word), program.span(number, span))
    return None


def target_of_distance(program: Program, place: OperandAt) -> Definition | None:
    """Return the first instruction that a branch reaches by a distance; None for any other."""
    reference = reference_at(program, place)
    target = reference.target if reference is not None else None
    if reference is None or target is None or target >= program.size:
        return None
    is_named = program.label_addresses.get(reference.text) == target
    if is_named or reference in numeric_references(program):
        return None
    number = program.number_at(target)
    bundle = program.bundles[number]
    name = program.span(number, bundle.span(0) if bundle.instructions else bundle.first_token)
    return _definition(program, number, name)


@cached_on_program
def numeric_references(program: Program) -> dict[Reference, NumericLabel]:
    """Return the references to numeric labels, each with the definition that it refers to."""
    found = {}
    for reference in program.references if program.numeric_labels else ():
        name, way = reference.text[:-1], reference.text[-1]
        numbers = program.numeric_labels.get(name, ()) if way in (_BACK, _FORTH) else ()
        at = bisect_right(numbers, reference.bundle) - (way == _BACK)
        if 0 <= at < len(numbers):
            found[reference] = NumericLabel(name, numbers[at])
    return found


def valid_numeric_references(program: Program, bundle: int) -> list[tuple[str, int]]:
    """Return the numeric references that are valid in a bundle, each with its target bundle."""
    found = []
    for name, numbers in program.numeric_labels.items():
        at = bisect_right(numbers, bundle)
        found += [(name + _BACK, number) for number in numbers[:at][-1:]]
        found += [(name + _FORTH, number) for number in numbers[at : at + 1]]
    return found


def _definition(program: Program, number: int, name: Span) -> Definition:
    return Definition(name, Span(name.start, end_of_bundle(program, number)))


def _definition_spans(program: Program, name: str) -> Iterator[tuple[int, Span]]:
    """Yield the bundles that define a label, with the spans of its name in them."""
    for number, bundle in program.notable:
        for span in bundle.syntax.label_spans(name) if bundle.label is not None else ():
            yield number, span


def _occurrences(program: Program, name: str) -> Iterator[Occurrence]:
    for number, span in _definition_spans(program, name):
        yield Occurrence(program.span(number, span), OccurrenceKind.DEFINES)
    for number, bundle in program.notable:
        for span in _misplaced(program.isa, bundle, name) if bundle.findings else ():
            yield Occurrence(program.span(number, span), OccurrenceKind.NAMES)
    for number, span in _places_of_words(program).get(name, ()):
        yield Occurrence(program.span(number, span), OccurrenceKind.NAMES)
    labels = program.label_addresses
    address = labels.get(name, _NOWHERE)
    for reference in program.references:
        if reference.text == name and reference.target in (None, labels.get(name)):
            yield Occurrence(program.reference_span(reference), OccurrenceKind.NAMES)
        elif address == reference.target != labels.get(reference.text):
            yield Occurrence(program.reference_span(reference), OccurrenceKind.TARGETS_BY_DISTANCE)


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


@cached_on_program
def _places_of_words(program: Program) -> dict[str, list[tuple[int, Span]]]:
    """Return the places of words that may be labels, by word: bundle and span in the bundle."""
    found: dict[str, list[tuple[int, Span]]] = {}
    if program.isa.surface.linked:
        for number, bundle in enumerate(program.bundles):
            for word, spans in _possible_words(program.isa, bundle).items():
                found.setdefault(word, []).extend((number, span) for span in spans)
    return found


@cached_on_bundle
def _possible_words(_isa: Isa, bundle: Bundle) -> dict[str, list[Span]]:
    """Return the words of a bundle that may be labels but are no operand of their own.

    They are in directives and in operands whose value is unknown.
    """
    plan, syntax = bundle.syntax.plan, bundle.syntax
    ranges = [range(plan.directive + 1, len(syntax.words))] if plan.directive >= 0 else []
    ranges += [range(first + 1, last) for first, last in plan.inner_directives]
    for entry, instruction in zip(plan.instructions, bundle.instructions):
        values = instruction.values or (None,) * len(entry.operands)
        ranges += [range(*tokens) for tokens, value in zip(entry.operands, values) if value is None]
    found: dict[str, list[Span]] = {}
    for token in (token for each in ranges for token in each):
        if syntax.tokens[token].kind == "WORD":
            found.setdefault(syntax.words[token], []).append(syntax.spans[token])
    return found


def _check_hidden(analysis: Analysis, name: str) -> None:
    """Raise `RenameError` if a preprocessor line contains the name: such lines are not parsed."""
    program = analysis.program
    word = re.compile(rf"(?<![\w.$]){re.escape(name)}(?![\w.$])")
    for number, bundle in program.notable:
        token = bundle.syntax.plan.directive
        if token >= 0 and word.search(bundle.syntax.words[token]):
            line = line_of(analysis, program.span(number, bundle.syntax.spans[token]))
            raise RenameError(f"line {line} is a preprocessor line and contains {quoted(name)}")


def _check_meaning(program: Program, edits: list[TextEdit], old: str, new: str) -> None:
    """Raise `RenameError` if the edited program has other labels, findings or encodings."""
    after = read_program(program.isa, apply_edits(program.text, edits))
    labels = {new if label == old else label: at for label, at in program.labels.items()}
    if after.labels != labels:
        raise RenameError(f"a label cannot be called {quoted(new)}: it is not a valid name")
    if len(after.findings) > len(program.findings):
        known = {finding.message for finding in program.findings}
        fresh = (f.message for f in after.findings if f.message not in known)
        reason = next(fresh, after.findings[0].message)
        raise RenameError(f"a label cannot be called {quoted(new)}: {reason}")
    if _meaning(after) != _meaning(program, old, new):
        raise RenameError(f"{quoted(new)} would change the meaning of the program")


def _meaning(program: Program, old: str = "", new: str = "") -> list[object]:
    """Return the encoded words of a program and the targets of its branches.

    Without encodings, the words are those of the source, with `old` replaced by `new`.
    """
    targets = [
        (reference.bundle, reference.use, reference.target) for reference in program.references
    ]
    if program.isa.has_words:
        return [targets, [bundle.word for bundle in program.bundles]]
    written = [word for bundle in program.bundles for word in bundle.syntax.words]
    return [targets, [new if word == old else word for word in written]]
