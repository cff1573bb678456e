"""Split a bundle, join it with the next one, or move an instruction between bundles."""

from __future__ import annotations

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide import MOVE, REWRITE
from ipu_asm.ide.refactorings.checks import (
    BundlePosition,
    Key,
    RefactoringError,
    RefactoringOffer,
    adjusted_distances,
    bundle_position_at,
    check_no_indirect_branch,
    check_readable,
    check_result,
    check_slots,
    check_straight_line,
    check_values,
    is_break,
    make_offer,
    may_branch,
)
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.lint import removal_of
from ipu_asm.program.program import Program, Reference
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span, TextEdit


def split_or_join(program: Program, span: Span) -> list[RefactoringOffer]:
    """Return the offers to split the bundle at the cursor and to join it with the next one."""
    position = bundle_position_at(program, span.start)
    if position is None or not program.isa.surface.separator:
        return []
    offers = []
    cut = _cut(position)
    if cut:
        name = quoted(position.bundle.instructions[cut].mnemonic)
        title = f"Split the {program.isa.unit} before {name}"
        offers.append(make_offer(title, REWRITE, lambda: _split(position, cut)))
    after = position.neighbours[1]
    if after is not None:
        title = f"Join with the next {program.isa.unit}"
        offers.append(make_offer(title, REWRITE, lambda: _join(program, position.number, after)))
    return offers


def _cut(position: BundlePosition) -> int:
    """Return the number of the instruction that would begin the second bundle; 0 for no split."""
    number = position.instruction
    if number < 0:
        return 0
    is_after = position.offset > position.bundle.syntax.instruction_span(number).end
    if is_after and number + 1 < len(position.bundle.instructions):
        return number + 1
    return number


def _split(position: BundlePosition, cut: int) -> list[TextEdit]:
    program, number = position.program, position.number
    check_readable(program, number)
    _check_halves(position, cut)
    check_no_indirect_branch(program)
    keys = [(number, place) for place in range(len(position.bundle.instructions))]
    check_values(program, [keys], [keys[:cut], keys[cut:]])
    address = program.addresses[number]

    def moved(old: int) -> int:
        return old + (old > address)

    def source(reference: Reference) -> int:
        is_second = reference.bundle == number and reference.use.instruction >= cut
        return moved(program.addresses[reference.bundle]) + is_second

    mark = _cut_edit(position, cut).shifted(program.starts[number])
    edits = [mark, *adjusted_distances(program, moved, source)]
    return check_result(program, edits, program.size + 1)


def _check_halves(position: BundlePosition, cut: int) -> None:
    instructions = position.bundle.instructions
    for instruction in instructions[:cut]:
        if may_branch(instruction):
            text = quoted(" ".join(instruction.words))
            raise RefactoringError(
                f"{text} would branch away before the rest of the bundle has run"
            )
    if any(is_break(instruction) for instruction in instructions[cut:]):
        raise RefactoringError("its break instruction would stop a debugger after one half only")


def _cut_edit(position: BundlePosition, cut: int) -> TextEdit:
    """Replace the separator by an end mark and put the rest of the line on a new line.

    A comment between the two stays where it is; then only the separator is replaced.
    """
    syntax, surface = position.bundle.syntax, position.program.isa.surface
    token = syntax.plan.instructions[cut].mnemonic
    separator, mnemonic = syntax.spans[token - 1], syntax.spans[token]
    gap = syntax.text[separator.end : mnemonic.start]
    if gap.strip(" \t"):
        return TextEdit(separator, surface.bundle_end)
    line_break = "\r\n" if "\r\n" in position.program.text else "\n"
    text = f"{surface.bundle_end}{line_break}{_indent(position)}"
    return TextEdit(Span(separator.start, mnemonic.start), text)


def _indent(position: BundlePosition) -> str:
    """Return the blanks before the bundle's first instruction if it begins a line, else four."""
    text, syntax = position.program.text, position.bundle.syntax
    start = position.program.span(position.number, syntax.mnemonic_span(0)).start
    ahead = text[text.rfind("\n", 0, start) + 1 : start]
    return ahead if not ahead.strip(" \t") else "    "


def _join(program: Program, first: int, second: int) -> list[TextEdit]:
    check_readable(program, first, second)
    check_straight_line(program, first, second)
    before = [
        [(number, place) for place in range(len(program.bundles[number].instructions))]
        for number in (first, second)
    ]
    after = [[*before[0], *before[1]]]
    check_slots(program, after)
    check_values(program, before, after)
    address = program.addresses[first]

    def moved(old: int) -> int:
        return old - (old > address)

    def source(reference: Reference) -> int:
        return moved(program.addresses[reference.bundle])

    edits = [*_joint(program, first), *adjusted_distances(program, moved, source)]
    return check_result(program, edits, program.size - 1)


def _joint(program: Program, number: int) -> list[TextEdit]:
    """Return the edits that replace a bundle's end mark by a separator, or drop it after one."""
    syntax, surface = program.bundles[number].syntax, program.isa.surface
    before, end = syntax.spans[-2], syntax.spans[-1]
    mark = "" if syntax.words[-2] == surface.separator else surface.separator
    edits = [TextEdit(Span(before.end, end.end), mark)]
    if syntax.text[before.end : end.start].strip():
        edits = [TextEdit(end, "")]
        if mark:
            edits.append(TextEdit(Span(before.end, before.end), mark))
    return [edit.shifted(program.starts[number]) for edit in edits]


def move_instruction(program: Program, span: Span) -> list[RefactoringOffer]:
    """Return the offers to move the instruction at the cursor."""
    position = bundle_position_at(program, span.start)
    if position is None or not program.isa.surface.separator or position.instruction < 0:
        return []
    name = quoted(position.bundle.instructions[position.instruction].mnemonic)
    before, after = position.neighbours
    offers = []
    if after is not None:
        title = f"Move {name} to the next {program.isa.unit}"
        offers.append(make_offer(title, MOVE, lambda: _moved(position, after)))
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
    """Return the edit of the bundle's text that inserts an instruction after the others."""
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

    An instruction put after it would seem to be the one that the comment describes.
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
