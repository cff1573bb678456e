"""Where the thing under the cursor is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ipu_asm.ide.place import (
    LabelDefinition,
    OperandAt,
    end_of_bundle,
    has_value,
    place_at,
    reference_at,
)
from ipu_asm.program import Program, Reference
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis import Analysis


class Definition(NamedTuple):
    """Where one piece of text leads: from `origin` to `name`, which begins `whole`."""

    origin: Span
    name: Span
    whole: Span


def definition(analysis: Analysis, offset: int) -> Definition | None:
    """Where the label or distance at an offset leads; a definition leads to itself."""
    program = analysis.program
    place = place_at(program, offset)
    if isinstance(place, LabelDefinition):
        return Definition(place.span, place.span, _whole(program, place.bundle, place.span))
    if not isinstance(place, OperandAt):
        return None
    reference = reference_at(program, place)
    if reference is not None and reference.target is not None:
        return _to_address(program, place.span, reference)
    if reference is None and has_value(program.bundles[place.bundle], *place[2:]):
        return None
    text = program.text[place.span.start : place.span.end]
    return _to_label(program, place.span, text) if text in program.labels else None


def _to_address(program: Program, origin: Span, reference: Reference) -> Definition | None:
    """To the label of that name if it is one, else to the first instruction at the address."""
    target = reference.target
    if target is None or target >= program.size:
        return None
    number = program.number_at(target)
    if program.labels.get(reference.text) == number:
        return _to_label(program, origin, reference.text)
    bundle = program.bundles[number]
    name = program.span(number, bundle.syntax.mnemonic_span(0))
    return Definition(origin, name, _whole(program, number, name))


def _to_label(program: Program, origin: Span, label: str) -> Definition:
    name = program.label_span(label)
    return Definition(origin, name, _whole(program, program.labels[label], name))


def _whole(program: Program, bundle: int, name: Span) -> Span:
    """From a name in a bundle to the bundle's last token."""
    return Span(name.start, end_of_bundle(program, bundle))
