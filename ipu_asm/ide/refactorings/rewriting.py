"""Rewriting of numbers and branch targets, of no-ops, and of a missing halt."""

from __future__ import annotations

from typing import Callable, Final, Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.flow.control_flow import reachability_of
from ipu_asm.ide import REWRITE
from ipu_asm.ide.refactorings.bundles import put_last
from ipu_asm.ide.refactorings.checks import (
    RefactoringError,
    RefactoringOffer,
    bundles_in,
    check_readable,
    check_result,
    make_offer,
)
from ipu_asm.ide.syntax_element import OperandAt, element_at, reference_at
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.program.program import Program, Reference, distance, is_distance, resolve_target
from ipu_asm.text import Span, TextEdit

_BASES: Final = (("decimal", ""), ("hexadecimal", "#x"), ("binary", "#b"))


def add_or_remove_no_ops(program: Program, span: Span) -> list[RefactoringOffer]:
    """Return the offers for the bundles in a selection, or for the bundle at the cursor."""
    if not program.isa.surface.separator:
        return []
    numbers = [number for number in bundles_in(program, span) if _is_readable(program, number)]
    offers = [
        make_offer(title, REWRITE, _maker(program, change, numbers))
        for title, change in (
            ("Spell out the no-ops", added_no_ops),
            ("Drop the no-ops", removed_no_ops),
        )
    ]
    return [offer for offer in offers if offer.edits or offer.refusal_reason]


def added_no_ops(isa: Isa, bundle: Bundle) -> list[TextEdit]:
    """Return the edits that add the default no-op for each unused place of each slot."""
    missing = []
    for slot in isa.slots:
        if slot.default:
            missing += [slot.default] * (slot.capacity - len(bundle.instructions_of(slot.name)))
    edits = [put_last(isa, bundle, text) for text in missing]
    if not edits:
        return []
    return [TextEdit(edits[0].span, "".join(edit.new_text for edit in edits))]


def removed_no_ops(isa: Isa, bundle: Bundle) -> list[TextEdit]:
    """Return the edits that remove the no-ops of a bundle.

    A bundle that has nothing else keeps its first one.
    """
    syntax = bundle.syntax
    count = len(bundle.instructions)
    kept = [number for number in range(count) if not _is_no_op(isa, bundle, number)] or [0]
    edits: list[TextEdit] = []
    for number in sorted(set(range(kept[-1])) - set(kept)):
        start, following = (syntax.instruction_span(n).start for n in (number, number + 1))
        edits += syntax.removal(start, following)
    if kept[-1] < count - 1:
        end = syntax.instruction_span(count - 1).end
        edits += syntax.removal(syntax.instruction_span(kept[-1]).end, end)
    return edits


def _is_no_op(isa: Isa, bundle: Bundle, number: int) -> bool:
    instruction = bundle.instructions[number]
    if instruction.is_idle:
        return True
    slot = isa.slot_by_name[instruction.spec.slot] if instruction.spec is not None else None
    if slot is None or not slot.default:
        return False
    return instruction.words == parser_for(isa).grammar.words(slot.default)


def _maker(
    program: Program, change: Callable[[Isa, Bundle], list[TextEdit]], numbers: list[int]
) -> Callable[[], list[TextEdit]]:
    def make() -> list[TextEdit]:
        edits = [
            edit.shifted(program.starts[number])
            for number in numbers
            for edit in change(program.isa, program.bundles[number])
        ]
        return check_result(program, edits, program.size) if edits else []

    return make


def _is_readable(program: Program, number: int) -> bool:
    try:
        check_readable(program, number)
    except RefactoringError:
        return False
    return True


def add_halt(program: Program, span: Span) -> list[RefactoringOffer]:
    """Return the offer if the selection touches the last bundle and control can run past it."""
    isa = program.isa
    if not isa.branches or not program.size or not isa.surface.bundle_end:
        return []
    last = program.bundle_at_address[-1]
    halts = [s for s in isa.instructions.values() if s.flow == "halt" and not s.operands]
    if not halts or last not in bundles_in(program, span):
        return []
    if all(step.target != program.size for step in reachability_of(program).leaving):
        return []
    halt = halts[0].mnemonic
    title = f"Add `{halt}` after the last {isa.unit}"
    offer = make_offer(title, REWRITE, lambda: _after(program, last, halt))
    return [offer]


def _after(program: Program, last: int, halt: str) -> list[TextEdit]:
    surface, syntax = program.isa.surface, program.bundles[last].syntax
    end = program.span(last, syntax.spans[-1]).end
    mark = syntax.words[-1]
    missing = ""
    if mark == surface.separator:
        missing = surface.bundle_end.removeprefix(surface.separator)
    elif mark != surface.bundle_end:
        missing = surface.bundle_end
    line_break = "\r\n" if "\r\n" in program.text else "\n"
    text = f"{missing}{line_break}{_indent(program, last)}{halt}{surface.bundle_end}"
    return check_result(program, [TextEdit(Span(end, end), text)], program.size + 1)


def _indent(program: Program, last: int) -> str:
    """Return the blanks before the last bundle if it begins a line, else ""."""
    start = program.span(last, program.bundles[last].first_token).start
    ahead = program.text[program.text.rfind("\n", 0, start) + 1 : start]
    return "" if ahead.strip(" \t") else ahead


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
