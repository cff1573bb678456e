"""Convert the number at the cursor to another base."""

from __future__ import annotations

from typing import Final, Iterator

from ipu_asm.ide.kinds import REWRITE
from ipu_asm.ide.refactorings.offer import RefactoringError, RefactoringOffer, make_offer
from ipu_asm.ide.syntax_element import OperandAt, element_at, reference_at
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.program.distances import distance, is_distance, resolve_target
from ipu_asm.program.labels import Reference
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit

_BASES: Final = (("decimal", ""), ("hexadecimal", "#x"), ("binary", "#b"))


def convert_number(program: Program, span: Span) -> list[RefactoringOffer]:
    """Return the offers to write the number at the cursor in each other base."""
    place = element_at(program, span.start)
    if not isinstance(place, OperandAt):
        return []
    bundle = program.bundles[place.bundle]
    instruction = bundle.instructions[place.instruction]
    if place.operand >= len(instruction.values):
        return []
    operand, value = instruction.operands[place.operand], instruction.values[place.operand]
    where = program.span(place.bundle, bundle.value_span(place.instruction, place.operand))
    text = program.text[where.start : where.end]
    number = number_value(text)
    if number is None or operand is None or not isinstance(value, int):
        return []
    return [
        RefactoringOffer(
            f"Convert {quoted(text)} to {base} `{new}`", REWRITE, (TextEdit(where, new),)
        )
        for base, new in _spellings(text, number)
        if operand.type.parse(new) == value
    ]


def _spellings(text: str, number: int) -> Iterator[tuple[str, str]]:
    """Yield each base other than the current one, with the number in that base."""
    prefix = text.lstrip("+-")[:2].lower()
    sign = "+" if text.startswith("+") else ""
    own = {"0x": "hexadecimal", "0b": "binary", "0o": "octal"}.get(prefix, "decimal")
    for base, form in _BASES:
        if base != own:
            yield base, (sign if number >= 0 else "") + format(number, form)


def convert_target(program: Program, span: Span) -> list[RefactoringOffer]:
    """Return the offer to write a branch target as a distance instead of a label, or vice versa."""
    place = element_at(program, span.start)
    reference = reference_at(program, place) if isinstance(place, OperandAt) else None
    if reference is None or reference.target is None:
        return []
    target = reference.target
    if is_distance(program, reference):
        title = f"Write {quoted(reference.text)} as a label"
        return [make_offer(title, REWRITE, lambda: _as_label(program, reference, target))]
    text = distance(target - program.addresses[reference.bundle])
    title = f"Write {quoted(reference.text)} as the distance `{text}`"
    return [make_offer(title, REWRITE, lambda: [_replaced(program, reference, text)])]


def _as_label(program: Program, reference: Reference, target: int) -> list[TextEdit]:
    label = None
    if target < program.size:
        label = program.bundles[program.bundle_at_address[target]].label
    if label is None:
        raise RefactoringError(f"there is no label at {program.isa.unit} {target}")
    return [_replaced(program, reference, label)]


def _replaced(program: Program, reference: Reference, text: str) -> TextEdit:
    """Return the edit that replaces a branch target by `text`, which must have the same target.

    Raises `RefactoringError` if it has another one.
    """
    address = program.addresses[reference.bundle]
    target = resolve_target(program, reference, text, address, program.label_addresses)
    if target != reference.target:
        raise RefactoringError(f"{quoted(text)} has another target here")
    return TextEdit(program.reference_span(reference), text)
