"""The text of a program in which operands have other values, and instructions are left out."""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.packing.layout import Place, block_edit
from ipu_asm.flow.packing.operations import Operation, operations_of
from ipu_asm.flow.packing.pack import in_order, packing_blocks, slot_order
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit, apply_edits

Operand = tuple[int, int, int]
"""The address of a bundle, the number of an instruction in it, and the number of its operand."""


class Rewriting(NamedTuple):
    """Operands with their new texts, instructions that are left out, and those to begin with.

    `moved` instructions go to the bundle at another address of their block.
    """

    operands: Mapping[Operand, str] = {}
    removed: frozenset[Place] = frozenset()
    first: tuple[str, ...] = ()
    moved: Mapping[Place, int] = {}


def rewritten(program: Program, change: Rewriting) -> Program | None:
    """Return the rewritten program; None if a basic block would have no instruction left."""
    edits: list[TextEdit] = []
    changed = {(address, number) for address, number, _ in change.operands} - change.removed
    for block in packing_blocks(program):
        if not any(address in block for address, _ in (*change.removed, *change.moved)):
            edits += [_operand_edit(program, o, t) for o, t in change.operands.items()
                      if o[0] in block and o[:2] in changed]  # fmt: skip
            continue
        bundles = _bundles(program, block, change)
        if not bundles:
            return None
        texts = {place: _text(program, place, change) for place in changed if place[0] in block}
        edits.append(block_edit(program, block, bundles, texts))
    edits += _first_edits(program, change.first)
    made = read_program(program.isa, apply_edits(program.text, sorted(edits)))
    made.presets, made.configurations = program.presets, program.configurations
    return made


def _bundles(program: Program, block: range, change: Rewriting) -> list[Sequence[Operation]]:
    """Return the operations of a block's bundles that are left in them, or are moved there."""
    found: dict[int, list[Operation]] = {address: [] for address in block}
    for operation in operations_of(program, block):
        place = operation.address, operation.number
        if place not in change.removed:
            found[change.moved.get(place, operation.address)].append(operation)
    order = slot_order(program)
    return [in_order(bundle, order) for bundle in found.values() if bundle]


def _operand_edit(program: Program, operand: Operand, text: str) -> TextEdit:
    address, instruction, number = operand
    bundle = program.bundle_at_address[address]
    span = program.bundles[bundle].syntax.operand_span(instruction, number)
    return TextEdit(program.span(bundle, span), text)


def _text(program: Program, place: Place, change: Rewriting) -> str:
    """Return the text of an instruction with its new operands."""
    address, instruction = place
    number = program.bundle_at_address[address]
    syntax = program.bundles[number].syntax
    span = program.span(number, syntax.instruction_span(instruction))
    edits = [
        _operand_edit(program, operand, text)
        for operand, text in change.operands.items()
        if operand[:2] == place
    ]
    inner = [
        TextEdit(Span(edit.span.start - span.start, edit.span.end - span.start), edit.new_text)
        for edit in edits
    ]
    return apply_edits(program.text[span.start : span.end], sorted(inner))


def _first_edits(program: Program, instructions: tuple[str, ...]) -> Iterator[TextEdit]:
    """Yield the edit that puts instructions before the first bundle, each in one of its own."""
    if not instructions:
        return
    number = program.bundle_at_address[0]
    bundle = program.bundles[number]
    first = program.span(number, bundle.syntax.instruction_span(0)).start
    start = first if bundle.label is None else program.label_span(bundle.label).start
    line = program.text.rfind("\n", 0, start) + 1
    indent = program.text[line:start]
    line_break = "\r\n" if "\r\n" in program.text else "\n"
    end = program.isa.surface.bundle_end
    if indent.strip():
        yield TextEdit(Span(start, start), "".join(f"{text}{end} " for text in instructions))
        return
    lines = "".join(f"{indent or _INDENT}{text}{end}{line_break}" for text in instructions)
    yield TextEdit(Span(line, line), lines)


_INDENT = "    "
