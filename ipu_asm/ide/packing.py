"""Packing of what an author wrote: of a program, or of the blocks of a template.

An offer to pack is computed without a proof, which needs the emulator: who accepts it asks
`testbench.packing` for the edits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Container, Iterator, Sequence

from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.flow.packing.pack import PackingError, packing_blocks, plan_packing, saved_bundles
from ipu_asm.ide.expansions import is_template, reading_at
from ipu_asm.ide.refactorings.bundle_position import bundle_position_at
from ipu_asm.ide.template.checked import written_edits
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import TextEdit, counted

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

# Offers are asked for at every move of the cursor: in larger programs, for the block there alone.
_MOST_BUNDLES = 200


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
    return [
        offer
        for offer in offers[:1]
        if written_edits(analysis, plan_packing(program, offer.blocks).edits) is not None
    ]


def _offers(program: Program, offset: int) -> list[PackingOffer]:
    regions = list(_regions(program, offset))
    if not regions or not program.isa.spaces:
        return []
    is_small = program.size <= _MOST_BUNDLES
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


def packable_blocks(analysis: Analysis) -> Container[int] | None:
    """Return the first addresses of the blocks that packing can write; None for all.

    In a template, a block must be written out, once and for each context. Raises `PackingError`.
    """
    if not is_template(analysis):
        return None
    if any(
        each.expansion.text != analysis.expanded[0].expansion.text for each in analysis.expanded
    ):
        raise PackingError("the template gives another program in each of several contexts")
    program = analysis.effective_program
    saving = [block.addresses.start for block in plan_packing(program).blocks if block.saved]
    return {
        start
        for start in saving
        if written_edits(analysis, plan_packing(program, (start,)).edits) is not None
    }


def packing_edits(analysis: Analysis, edits: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """Return the edits of the text that was written for those of the program that was packed.

    Raises `PackingError` if they cannot be written in a template.
    """
    if not is_template(analysis):
        return tuple(edits)
    written = written_edits(analysis, edits)
    if written is None:
        raise PackingError("the template has no text of its own for the packed blocks")
    return written
