"""Packing: the bundles of basic blocks in fewer bundles, as edits of the text.

`plan_packing` schedules blocks and writes the result. What it says is to be proven: see `proof`.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from typing import Container, Iterator, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.assertions.comments import AssertionKind, assertion_comments
from ipu_asm.flow.control_flow import basic_blocks
from ipu_asm.flow.packing.dependences import dependences_of
from ipu_asm.flow.packing.layout import Place, block_edit
from ipu_asm.flow.packing.operations import Operation, by_bundle, operations_of
from ipu_asm.flow.packing.schedule import schedule
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program, Reference, distance, is_distance, resolve_target
from ipu_asm.text import TextEdit, apply_edits

_ABOUT_VALUES = (AssertionKind.BEFORE, AssertionKind.AFTER, AssertionKind.LOG)

SlotOrder = Counter[tuple[str, str]]
"""How much more often the first slot of a pair is written before the second one in a bundle."""


class PackingError(Exception):
    """A program cannot be packed; the message is shown to users."""


class PackedBlock(NamedTuple):
    """A basic block: its addresses in the source, its first address in the result, its bundles."""

    addresses: range
    start: int
    bundles: tuple[tuple[Operation, ...], ...]

    @property
    def saved(self) -> int:
        """The number of bundles that it became shorter by."""
        return len(self.addresses) - len(self.bundles)


class PackingPlan(NamedTuple):
    """The packed text of a program, with the edits that make it and all its basic blocks."""

    program: Program
    packed: Program
    edits: tuple[TextEdit, ...]
    blocks: tuple[PackedBlock, ...]

    @property
    def saved_bundles(self) -> int:
        """The number of bundles that the program became shorter by."""
        return sum(block.saved for block in self.blocks)


def plan_packing(program: Program, addresses: Container[int] | None = None) -> PackingPlan:
    """Return the program with those blocks packed that begin at `addresses`; by default with all.

    Raises `PackingError` if the program has errors, or takes the target of a branch from a
    register.
    """
    check_packable(program)
    chosen = range(program.size) if addresses is None else addresses
    blocks = _blocks(program, chosen)
    edits = tuple(sorted(_edits(program, blocks)))
    packed = read_program(program.isa, apply_edits(program.text, edits))
    packed.presets, packed.configurations = program.presets, program.configurations
    return PackingPlan(program, packed, edits, tuple(blocks))


def saved_bundles(program: Program, addresses: Container[int]) -> dict[int, int]:
    """Return what packing saves in the blocks that begin at `addresses`, by their first address.

    Nothing if the program cannot be packed.
    """
    try:
        check_packable(program)
    except PackingError:
        return {}
    blocks = _blocks(program, addresses)
    return {block.addresses.start: block.saved for block in blocks if block.saved}


def check_packable(program: Program) -> None:
    """Raise `PackingError` with the reason why a program cannot be packed."""
    if not program.isa.spaces:
        raise PackingError(
            f"the description of {program.isa.title} does not state what instructions compute"
        )
    findings = [finding for finding in program.findings if finding.severity is Severity.ERROR]
    if findings or any(bundle.has_uncertain_effect for bundle in program.bundles):
        raise PackingError("correct the errors of the program first")
    if any(bundle.flow == "indirect" for bundle in program.bundles):
        raise PackingError("a branch takes its target from a register")


def packing_blocks(program: Program) -> list[range]:
    """Return the basic blocks, divided around bundles with an assertion or a log point.

    Such a bundle stays as it is: its comment is about the values before and after it.
    """
    alone = {
        program.addresses[each.bundle]
        for each in assertion_comments(program)
        if each.bundle is not None and each.kind in _ABOUT_VALUES
    }
    blocks: list[range] = []
    for block in basic_blocks(program):
        inner = {a for address in alone if address in block for a in (address, address + 1)}
        bounds = sorted({block.start, block.stop, *inner})
        blocks += [range(a, b) for a, b in pairwise(bounds)]
    return blocks


def _blocks(program: Program, chosen: Container[int]) -> list[PackedBlock]:
    order = slot_order(program)
    blocks: list[PackedBlock] = []
    start = 0
    for addresses in packing_blocks(program):
        bundles: Sequence[Sequence[Operation]] | None = None
        if addresses.start in chosen and len(addresses) > 1:
            bundles = _scheduled(program, addresses, order)
        if bundles is None:
            bundles = by_bundle(operations_of(program, addresses), addresses)
        blocks.append(PackedBlock(addresses, start, tuple(map(tuple, bundles))))
        start += len(bundles)
    return blocks


def _scheduled(
    program: Program, addresses: range, order: SlotOrder
) -> list[tuple[Operation, ...]] | None:
    """Return the bundles of a block, None if packing does not save any."""
    graph = dependences_of(program, addresses)
    found = schedule(program.isa, graph)
    if not found or len(found) >= len(addresses):
        return None
    made = [[graph.operations[number] for number in bundle] for bundle in found]
    return [in_order(bundle, order) for bundle in made]


def in_order(bundle: Sequence[Operation], order: SlotOrder) -> tuple[Operation, ...]:
    """Return the operations of a bundle as the author would write them; else as in the text."""
    if len({operation.address for operation in bundle}) == 1:
        return tuple(bundle)
    written: list[Operation] = []
    for operation in bundle:
        place = len(written)
        for number, other in reversed(list(enumerate(written))):
            if order[other.slot, operation.slot] > 0:
                break
            if order[operation.slot, other.slot] > 0:
                place = number
        written.insert(place, operation)
    return tuple(written)


def slot_order(program: Program) -> SlotOrder:
    """Return the order in which the author of a program writes the slots."""
    order: SlotOrder = Counter()
    for number in program.bundle_at_address:
        slots = [i.spec.slot for i in program.bundles[number].instructions if i.spec is not None]
        for first, second in combinations(slots, 2):
            order[first, second] += 1
            order[second, first] -= 1
    return order


def _edits(program: Program, blocks: Sequence[PackedBlock]) -> Iterator[TextEdit]:
    changed = [block for block in blocks if block.saved]
    rewritten = {address for block in changed for address in block.addresses}
    texts: dict[Place, str] = {}
    for reference, text in _changed_distances(program, blocks):
        address = program.addresses[reference.bundle]
        span = program.reference_span(reference)
        if address not in rewritten:
            yield TextEdit(span, text)
            continue
        number = reference.use.instruction
        own = program.span(
            reference.bundle, program.bundles[reference.bundle].syntax.instruction_span(number)
        )
        before, behind = program.text[own.start : span.start], program.text[span.end : own.end]
        texts[address, number] = f"{before}{text}{behind}"
    for block in changed:
        yield block_edit(program, block.addresses, block.bundles, texts)


def _changed_distances(
    program: Program, blocks: Sequence[PackedBlock]
) -> Iterator[tuple[Reference, str]]:
    """Yield the label operands that are written as distances, with their new text."""
    moved = moved_addresses(program, blocks)
    labels = {label: moved[address] for label, address in program.label_addresses.items()}
    places = {
        (operation.address, operation.number): block.start + number
        for block in blocks
        for number, bundle in enumerate(block.bundles)
        for operation in bundle
    }
    for reference in program.references:
        if reference.target is None or not is_distance(program, reference):
            continue
        address = program.addresses[reference.bundle]
        origin = places.get((address, reference.use.instruction))
        if origin is None:
            continue
        target = moved[reference.target]
        if target - origin == reference.target - address:
            continue
        text = distance(target - origin)
        if resolve_target(program, reference, text, origin, labels) != target:
            raise PackingError(f"the distance `{reference.text}` cannot become `{text}`")
        yield reference, text


def moved_addresses(program: Program, blocks: Sequence[PackedBlock]) -> dict[int, int]:
    """Return the new address of the first bundle of each block, and of those after the last."""
    moved = {block.addresses.start: block.start for block in blocks}
    saved = sum(block.saved for block in blocks)
    for address in range(program.size, program.isa.program_limit):
        moved[address] = address - saved
    return moved
