"""Packing of what an author wrote: of a program, or of the blocks of a template.

An offer to pack is computed without a proof, which needs the emulator: who accepts it asks
`testbench.packing` for the edits.
"""

from __future__ import annotations

import time
from typing import Iterator, Mapping, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.flow.control_flow import basic_blocks
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.control_run.run import HALTED, RAN_OFF
from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.flow.packing.dependences import DependenceGraph, dependences_of
from ipu_asm.flow.packing.layout import line_edits
from ipu_asm.flow.packing.operations import operations_of
from ipu_asm.flow.packing.pack import (
    PackingError,
    check_packable,
    packing_blocks,
    plan_packing,
    saved_bundles,
)
from ipu_asm.flow.packing.pipeline import Options, least_trips, loop_schedule, loops_to_pipeline
from ipu_asm.flow.packing.regions import has_marked_regions, scheduled
from ipu_asm.flow.packing.schedule import schedule
from ipu_asm.flow.packing.webs import computes, instruction_at
from ipu_asm.ide.expansions import is_template, reading_at
from ipu_asm.ide.refactorings.checks import bundle_position_at
from ipu_asm.ide.template_writing import WrittenTemplate
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program, is_distance
from ipu_asm.text import TextEdit, apply_edits, counted

_MAX_TO_PIPELINE, _MAX_TO_REBASE = 120, 60
"""Operations of a loop for which offers are computed."""
_MAX_SECONDS = 0.2
"""Of processor time for the schedules of a program: what is not found by then is not offered."""

_MAX_REWRITTEN_BUNDLES = 200


class RewritingOffer(NamedTuple):
    """An offer to rewrite loops; `request` is what the process that proves it gets."""

    title: str
    request: Mapping[str, object]


class _Offers(NamedTuple):
    """The interval and the savings of each loop to pipeline, by first address; loops to rebase."""

    pipelined: Mapping[int, tuple[int, int]]
    rebased: frozenset[int]


# Offers are asked for at every move of the cursor: in larger programs, for the block there alone.
_MAX_BUNDLES = 200


class PackingOffer(NamedTuple):
    """An offer to pack the blocks that begin at `blocks`."""

    title: str
    blocks: tuple[int, ...]


def packing_offers(analysis: Analysis, offset: int) -> list[PackingOffer]:
    """Return the offers to pack the block at an offset, the loops around it, and the file.

    Nothing is offered between bundles. Of two with the same blocks, the smaller one is offered; in
    a template and in a large program, the block alone.
    """
    program = analysis.effective_program
    if is_template(analysis):
        return _in_template(analysis, offset)
    return _offers(program, offset)


def _in_template(analysis: Analysis, offset: int) -> list[PackingOffer]:
    if len({each.expansion.text for each in analysis.expanded}) > 1:
        return []
    reading, at = reading_at(analysis, offset)
    if reading.source_map is None:
        return []
    program = analysis.effective_program
    offers = [each for each in _offers(program, at) if len(each.blocks) == 1]
    return [offer for offer in offers[:1] if _is_written(analysis, offer.blocks)]


def _is_written(analysis: Analysis, blocks: Sequence[int]) -> bool:
    """Return whether a template can be written with some blocks packed."""
    try:
        plan = plan_packing(analysis.effective_program, blocks)
        WrittenTemplate(analysis).written(plan.packed.text)
    except PackingError:
        return False
    return True


def packing_edits(analysis: Analysis, edits: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """Return the edits of the text that was written for those of the program that was packed.

    Raises `PackingError` if they cannot be written in a template.
    """
    if not is_template(analysis):
        return tuple(edits)
    text = WrittenTemplate(analysis).written(apply_edits(analysis.effective_program.text, edits))
    return tuple(line_edits(analysis.text, text))


def _offers(program: Program, offset: int) -> list[PackingOffer]:
    regions = list(_regions(program, offset))
    if not regions or not program.isa.spaces:
        return []
    is_small = program.size <= _MAX_BUNDLES
    saved = _saved(program) if is_small else saved_bundles(program, regions[0][1][:1])
    found: dict[tuple[int, ...], PackingOffer] = {}
    for name, addresses in regions:
        blocks = tuple(start for start in saved if start in addresses)
        if blocks and blocks not in found:
            count = sum(saved[start] for start in blocks)
            left = counted(len(addresses) - count, "bundle")
            title = f"Pack {name} into {left}, {count} fewer"
            found[blocks] = PackingOffer(title, blocks)
    return list(found.values())


@cached_on_program
def _saved(program: Program) -> dict[int, int]:
    return saved_bundles(program, range(program.size))


def _regions(program: Program, offset: int) -> Iterator[tuple[str, range]]:
    position = bundle_position_at(program, offset)
    if position is None:
        return
    address = program.addresses[position.number]
    yield "this block", next(each for each in packing_blocks(program) if address in each)
    for loop in enclosing_loops(program, address):
        yield "this loop", loop
    yield "the file", range(program.size)


def rewriting_offers(analysis: Analysis, offset: int) -> list[RewritingOffer]:
    """Return the offers for the innermost loop around an offset.

    Pipelining is offered where a schedule saves cycles, rebasing where slots other than those of
    loop registers leave room; in a template, pipelining of loops that it writes out. Nothing is
    offered between bundles. In a set with schedules, operations in order are scheduled.
    """
    program = analysis.effective_program
    if program.isa.scheduling is not None:
        return [] if analysis.expanded else _scheduling_offers(program, offset)
    written = _written_starts(analysis)
    if written is not None:
        reading, offset = reading_at(analysis, offset)
        if reading.source_map is None:
            return []
    position = bundle_position_at(program, offset)
    if position is None or not program.isa.spaces or program.size > _MAX_REWRITTEN_BUNDLES:
        return []
    loops = enclosing_loops(program, program.addresses[position.number])
    if not loops:
        return []
    offers, start = _offers_of_loop(program), loops[0].start
    found: list[RewritingOffer] = []
    if start in offers.pipelined and (written is None or start in written):
        interval, saved = offers.pipelined[start]
        unit = "bundle" if interval == 1 else "bundles"
        title = f"Pipeline this loop into {interval} {unit} an iteration, {saved} fewer"
        found.append(RewritingOffer(title, {"pipeline": start}))
    if start in offers.rebased and written is None:
        found.append(
            RewritingOffer("Update loop registers of the file less often", {"rebase": True})
        )
    return found


def _scheduling_offers(program: Program, offset: int) -> list[RewritingOffer]:
    """Return the offer to schedule the regions of a program, one of which is at an offset."""
    regions = _scheduled_regions(program)
    number = program.bundle_at(offset)
    here = next((title for first, last, title in regions if first <= number <= last), "")
    if not here:
        return []
    others = len(regions) - 1
    more = f", and {counted(others, 'other region')}" if others else ""
    return [RewritingOffer(f"Schedule {here}{more}", {"schedule": True})]


@cached_on_program
def _scheduled_regions(program: Program) -> tuple[tuple[int, int, str], ...]:
    """Return the first and the last bundle of each region, and what it is scheduled into.

    Without marks a function may be what its author has scheduled already.
    """
    if program.size > _MAX_REWRITTEN_BUNDLES or not has_marked_regions(program):
        return ()
    try:
        end = time.process_time() + _MAX_SECONDS
        regions = scheduled(program, lambda: time.process_time() > end).regions
    except PackingError:
        return ()
    numbers = program.bundle_at_address
    found = []
    for each in regions:
        addresses = each.region.addresses
        saved = len(addresses) - (each.interval or each.length)
        into = counted(each.interval or each.length, "bundle")
        title = f"this loop into {into} an iteration" if each.interval else f"this into {into}"
        if saved > 0:
            title += f", {saved} fewer"
        found.append((numbers[addresses[0]], numbers[addresses[-1]], title))
    return tuple(found)


def _written_starts(analysis: Analysis) -> set[int] | None:
    """Return the first addresses of the blocks that a template writes out; None for all."""
    if not is_template(analysis):
        return None
    try:
        return {block.start for block in WrittenTemplate(analysis).blocks()}
    except PackingError:
        return set()


@cached_on_program
def _offers_of_loop(program: Program) -> _Offers:
    facts = control_facts(program)
    try:
        check_packable(program)
    except PackingError:
        return _Offers({}, frozenset())
    if not facts or any(each.run.end.reason not in (HALTED, RAN_OFF) for each in facts):
        return _Offers({}, frozenset())
    pipelined: dict[int, tuple[int, int]] = {}
    end = time.process_time() + _MAX_SECONDS
    options = Options(is_over=lambda: time.process_time() > end)
    for block in loops_to_pipeline(program, facts):
        length = _packed_length(program, block)
        trips = least_trips(block, facts)
        if trips is None or len(operations_of(program, block)) > _MAX_TO_PIPELINE:
            continue
        loop = loop_schedule(program, block, facts, options)
        found = None if loop is None else loop.schedule
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
    if len(operations_of(program, block)) > _MAX_TO_REBASE:
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
