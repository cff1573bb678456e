"""Numeric labels: ``1:`` can be defined repeatedly; ``1b`` is the last one, ``1f`` the next."""

from __future__ import annotations

from bisect import bisect_right

from ipu_asm.ide.syntax_element import LabelDefinition
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.labels import Reference
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span

_BACK, _FORTH = "bf"


class NumericLabel(NamedTuple):
    """One definition of a numeric label: the number as written, and its bundle."""

    name: str
    bundle: int


def definition_of(program: Program, place: LabelDefinition) -> NumericLabel | None:
    """Return the numeric label that is defined at a place, if any."""
    if place.bundle in program.numeric_labels.get(place.name, ()):
        return NumericLabel(place.name, place.bundle)
    return None


def numeric_label_span(program: Program, label: NumericLabel) -> Span:
    """Return the span of a numeric label's definition."""
    first = program.bundles[label.bundle].syntax.label_span(label.name)
    return program.span(label.bundle, first)


@cached_on_program
def references_of(program: Program) -> dict[Reference, NumericLabel]:
    """Return the references to numeric labels, each with the definition that it refers to."""
    found = {}
    for reference in program.references if program.numeric_labels else ():
        label = resolve_numeric_label(program, reference)
        if label is not None:
            found[reference] = label
    return found


def resolve_numeric_label(program: Program, reference: Reference) -> NumericLabel | None:
    """Return the definition that a reference such as ``1b`` or ``2f`` refers to, if any."""
    name, way = reference.text[:-1], reference.text[-1]
    if way not in (_BACK, _FORTH):
        return None
    numbers = program.numeric_labels.get(name, ())
    at = bisect_right(numbers, reference.bundle) - (way == _BACK)
    return NumericLabel(name, numbers[at]) if 0 <= at < len(numbers) else None


def valid_numeric_references(program: Program, bundle: int) -> list[tuple[str, int]]:
    """Return the numeric references that are valid in a bundle, each with its target bundle."""
    found = []
    for name, numbers in program.numeric_labels.items():
        at = bisect_right(numbers, bundle)
        found += [(name + _BACK, number) for number in numbers[:at][-1:]]
        found += [(name + _FORTH, number) for number in numbers[at : at + 1]]
    return found
