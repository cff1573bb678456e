"""Offers to pipeline a loop, and to update loop registers less often.

They are computed without a proof, see `packing`: the edits come from `testbench.packing_process`.
A light bulb must be fast, so that larger loops are left to `ipu-mca`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping

from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.control_run.run import HALTED, RAN_OFF
from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.flow.packing.dependences import DependenceGraph, dependences_of
from ipu_asm.flow.packing.operations import basic_blocks, operations_of
from ipu_asm.flow.packing.pack import PackingError, check_packable, saved_bundles
from ipu_asm.flow.packing.pipeline import least_trips, loop_schedule, loops_to_pipeline
from ipu_asm.flow.packing.rebasing.updates import computes, instruction_at
from ipu_asm.flow.packing.schedule import schedule
from ipu_asm.ide.expansions import is_template
from ipu_asm.ide.refactorings.bundle_position import bundle_position_at
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.distances import is_distance
from ipu_asm.program.program import Program, cached_on_program

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_MOST_TO_PIPELINE, _MOST_TO_REBASE = 30, 60
"""Operations of a loop: with so many, a schedule takes about as long as the offers to pack."""

_MOST_BUNDLES = 200


class RewritingOffer(NamedTuple):
    """An offer to rewrite loops; `request` is what the process that proves it gets."""

    title: str
    request: Mapping[str, object]


class _Offers(NamedTuple):
    """The interval and the savings of each loop to pipeline, by first address; loops to rebase."""

    pipelined: Mapping[int, tuple[int, int]]
    rebased: frozenset[int]


def rewriting_offers(analysis: Analysis, offset: int) -> list[RewritingOffer]:
    """Return the offers for the innermost loop around an offset.

    Pipelining is offered where a schedule saves cycles, rebasing where slots other than those of
    loop registers leave room. Nothing is offered in templates and between bundles.
    """
    program = analysis.effective_program
    position = None if is_template(analysis) else bundle_position_at(program, offset)
    if position is None or not program.isa.spaces or program.size > _MOST_BUNDLES:
        return []
    loops = enclosing_loops(program, program.addresses[position.number])
    if not loops:
        return []
    offers, start = _offers(program), loops[0].start
    found: list[RewritingOffer] = []
    if start in offers.pipelined:
        interval, saved = offers.pipelined[start]
        unit = "bundle" if interval == 1 else "bundles"
        title = f"Pipeline this loop into {interval} {unit} an iteration, {saved} fewer"
        found.append(RewritingOffer(title, {"pipeline": start}))
    if start in offers.rebased:
        found.append(
            RewritingOffer("Update loop registers of the file less often", {"rebase": True})
        )
    return found


@cached_on_program
def _offers(program: Program) -> _Offers:
    facts = control_facts(program)
    try:
        check_packable(program)
    except PackingError:
        return _Offers({}, frozenset())
    if not facts or any(each.run.end.reason not in (HALTED, RAN_OFF) for each in facts):
        return _Offers({}, frozenset())
    pipelined: dict[int, tuple[int, int]] = {}
    for block in loops_to_pipeline(program, facts):
        length = _packed_length(program, block)
        trips = least_trips(block, facts)
        if trips is None or len(operations_of(program, block)) > _MOST_TO_PIPELINE:
            continue
        found = loop_schedule(program, block, facts)
        if found is not None and (trips + found.stages - 1) * found.interval < trips * length:
            pipelined[block.start] = found.interval, length - found.interval
    return _Offers(pipelined, _rebased(program))


def _rebased(program: Program) -> frozenset[int]:
    """Return the loops of one block that could be shorter with fewer updates of registers."""
    operations = [operations_of(program, block) for block in basic_blocks(program)]
    if any(operation.is_break for block in operations for operation in block):
        return frozenset()
    if any(is_distance(program, reference) for reference in program.references):
        return frozenset()
    return frozenset(
        block.start
        for block in basic_blocks(program)
        if block.start in _targets(program, block[-1]) and _has_room(program, block)
    )


def _targets(program: Program, address: int) -> list[int | None]:
    """Return where the branches of a bundle lead."""
    return [each.target for each in program.references_of(program.bundle_at_address[address])]


def _has_room(program: Program, block: range) -> bool:
    """Return whether a block would be shorter if it had no updates of registers."""
    if len(operations_of(program, block)) > _MOST_TO_REBASE:
        return False
    operations, dependences = dependences_of(program, block)
    kept = [
        number
        for number, each in enumerate(operations)
        if not computes(instruction_at(program, (each.address, each.number)))
    ]
    numbers = {old: new for new, old in enumerate(kept)}
    graph = DependenceGraph(
        [operations[number] for number in kept],
        [
            each._replace(source=numbers[each.source], target=numbers[each.target])
            for each in dependences
            if each.source in numbers and each.target in numbers
        ],
    )
    return len(schedule(program.isa, graph)) < _packed_length(program, block)


def _packed_length(program: Program, block: range) -> int:
    return len(block) - saved_bundles(program, (block.start,)).get(block.start, 0)
