"""Move the instruction at the cursor to the previous or the next bundle."""

from __future__ import annotations

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide.kinds import MOVE
from ipu_asm.ide.refactorings.addresses import check_result
from ipu_asm.ide.refactorings.bundle_position import (
    BundlePosition,
    bundle_position_at,
    check_readable,
)
from ipu_asm.ide.refactorings.control import check_straight_line, is_break, may_branch
from ipu_asm.ide.refactorings.offer import RefactoringError, RefactoringOffer, make_offer
from ipu_asm.ide.refactorings.values import Key, check_slots, check_values
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.rule import removal_of
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span, TextEdit


def move_instruction(program: Program, span: Span) -> list[RefactoringOffer]:
    """Return the offers to move the instruction at the cursor."""
    position = bundle_position_at(program, span.start)
    if position is None or not program.isa.surface.separator or position.instruction < 0:
        return []
    name = quoted(position.bundle.instructions[position.instruction].mnemonic)
    before, behind = position.neighbours
    offers = []
    if behind is not None:
        title = f"Move {name} to the next {program.isa.unit}"
        offers.append(make_offer(title, MOVE, lambda: _moved(position, behind)))
    if before is not None:
        title = f"Move {name} to the previous {program.isa.unit}"
        offers.append(make_offer(title, MOVE, lambda: _moved(position, before)))
    return offers


def _moved(position: BundlePosition, goal: int) -> list[TextEdit]:
    program, number = position.program, position.number
    first, second = sorted((number, goal))
    check_readable(program, first, second)
    _check_instruction(position)
    check_straight_line(program, first, second)
    mine = (number, position.instruction)
    before = [_keys(program, first), _keys(program, second)]
    after = [[key for key in keys if key != mine] for keys in before]
    if goal == second:
        after[1].insert(0, mine)
    else:
        after[0].append(mine)
    check_slots(program, after)
    check_values(program, before, after)
    start = program.starts[number]
    edits = [edit.shifted(start) for edit in removal_of(program.isa, position.bundle, mine[1])]
    text = instruction_text(program.isa, position.bundle.syntax, mine[1])
    goal_bundle = program.bundles[goal]
    added = put_first if goal == second or _has_remark(goal_bundle) else put_last
    edits.append(added(program.isa, goal_bundle, text).shifted(program.starts[goal]))
    return check_result(program, edits, program.size)


def _check_instruction(position: BundlePosition) -> None:
    instruction = position.bundle.instructions[position.instruction]
    if len(position.bundle.instructions) == 1:
        raise RefactoringError("it is the only instruction of its bundle: join the bundles instead")
    if may_branch(instruction):
        raise RefactoringError(
            "a branch takes effect for its whole bundle and cannot be moved out of it"
        )
    if is_break(instruction):
        raise RefactoringError("a debugger would stop somewhere else")


def _keys(program: Program, number: int) -> list[Key]:
    return [(number, place) for place in range(len(program.bundles[number].instructions))]


def put_first(isa: Isa, bundle: Bundle, text: str) -> TextEdit:
    """Return the edit of the bundle's text that inserts an instruction before the others."""
    start = bundle.syntax.mnemonic_span(0).start
    return TextEdit(Span(start, start), f"{text}{isa.surface.separator}{_gap(bundle)}")


def put_last(isa: Isa, bundle: Bundle, text: str) -> TextEdit:
    """Return the edit of the bundle's text that inserts an instruction behind the others."""
    end = bundle.syntax.instruction_span(len(bundle.instructions) - 1).end
    return TextEdit(Span(end, end), f"{isa.surface.separator}{_gap(bundle)}{text}")


def _gap(bundle: Bundle) -> str:
    """Return the blanks before the last of several instructions; one blank if there are none."""
    if len(bundle.instructions) > 1:
        spans, token = bundle.syntax.spans, bundle.syntax.plan.instructions[-1].mnemonic
        gap = bundle.syntax.text[spans[token - 1].end : spans[token].start]
        if gap.isspace():
            return gap
    return " "


def _has_remark(bundle: Bundle) -> bool:
    """Check whether a comment follows the last instruction.

    An instruction put behind it would seem to be the one that the comment describes.
    """
    syntax = bundle.syntax
    end = syntax.instruction_span(len(bundle.instructions) - 1).end
    tokens = [span for span in syntax.spans if span.start >= end]
    gaps = [end, *(offset for span in tokens for offset in span)]
    return any(syntax.text[a:b].strip() for a, b in zip(gaps[::2], gaps[1::2]))


def instruction_text(isa: Isa, syntax: BundleSyntax, number: int) -> str:
    """Return an instruction with normal blanks; a comment in it is part of its operand."""
    entry = syntax.plan.instructions[number]
    operands = [_operand(syntax, first, last) for first, last in entry.operands]
    mnemonic = syntax.words[entry.mnemonic]
    return f"{mnemonic} {isa.surface.operand_separator.join(operands)}" if operands else mnemonic


def _operand(syntax: BundleSyntax, first: int, last: int) -> str:
    """Return an operand as written, with runs of blanks reduced to one."""
    span = syntax.span_of(first, last)
    return " ".join(syntax.text[span.start : span.end].split())
