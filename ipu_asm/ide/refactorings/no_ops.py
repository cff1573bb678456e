"""Write out the no-ops of unnamed slots, or remove written no-ops."""

from __future__ import annotations

from typing import Callable

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.flow.control_flow import reachability_of
from ipu_asm.ide.kinds import REWRITE
from ipu_asm.ide.refactorings.bundles import put_last
from ipu_asm.ide.refactorings.offer import (
    RefactoringError,
    RefactoringOffer,
    bundles_in,
    check_readable,
    make_offer,
)
from ipu_asm.ide.refactorings.values import check_result
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit


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
    title = f"Add `{halt}` behind the last {isa.unit}"
    offer = make_offer(title, REWRITE, lambda: _behind(program, last, halt))
    return [offer]


def _behind(program: Program, last: int, halt: str) -> list[TextEdit]:
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
