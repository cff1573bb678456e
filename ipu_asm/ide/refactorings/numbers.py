"""Convert the number at the cursor to another base."""

from __future__ import annotations

from typing import Final, Iterator

from ipu_asm.ide.kinds import REWRITE
from ipu_asm.ide.refactorings.offer import RefactoringOffer
from ipu_asm.ide.syntax_element import OperandAt, element_at
from ipu_asm.isa.operands import number_value, quoted
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
