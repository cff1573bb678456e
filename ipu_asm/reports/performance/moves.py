"""What moves of instructions inside of basic blocks would save, and why no more than that."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Sequence

from ipu_asm.flow.control_run.summary import Count
from ipu_asm.flow.packing.dependences import critical_path, dependences_of, slot_pressure
from ipu_asm.flow.packing.operations import Operation, operations_of
from ipu_asm.flow.packing.pack import PackedBlock, PackingError, plan_packing
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.performance.measured import Measured, total


class Place(NamedTuple):
    """An instruction, and the line that it is written on."""

    mnemonic: str
    line: int


class Move(NamedTuple):
    """An instruction that would go into the bundle that begins on the line `target`."""

    origin: Place
    target: int


class BlockMoves(NamedTuple):
    """A basic block, on `lines`, and the moves that make it shorter by `saved` bundles.

    What keeps it from being shorter still are the `full` slots, or else the `chain` of
    instructions, each of which waits for the one before; or neither is known.
    """

    addresses: range
    lines: str
    saved: int
    saved_cycles: Count
    moves: tuple[Move, ...]
    full: tuple[str, ...]
    chain: tuple[Place, ...]

    @property
    def is_at_bound(self) -> bool:
        """Whether no schedule of the block is shorter than what the moves make of it."""
        return bool(self.full or self.chain) or len(self.addresses) - self.saved <= 1


class MovesReport(NamedTuple):
    """The moves in all basic blocks; `reason` says why there are none for the program."""

    blocks: Sequence[BlockMoves]
    reason: str = ""

    @property
    def saved_cycles(self) -> Count:
        """The cycles of the whole run that all moves save."""
        return total(block.saved_cycles for block in self.blocks)

    def inside(self, addresses: Sequence[int]) -> list[BlockMoves]:
        """Return the blocks whose bundles are all among some addresses."""
        chosen = set(addresses)
        return [block for block in self.blocks if chosen.issuperset(block.addresses)]


def moves_report(measured: Measured) -> MovesReport:
    """Return the moves that packing would make."""
    try:
        plan = plan_packing(measured.program)
    except PackingError as error:
        return MovesReport((), str(error))
    return MovesReport([_block(measured, block) for block in plan.blocks])


def _block(measured: Measured, block: PackedBlock) -> BlockMoves:
    executions = measured.executions[block.addresses[-1]]
    cycles = None if executions is None else block.saved * executions
    full, chain = _limit(measured, block)
    return BlockMoves(
        addresses=block.addresses,
        lines=_lines(measured, block.addresses),
        saved=block.saved,
        saved_cycles=cycles if block.saved else 0,
        moves=tuple(_moves(measured, block)) if block.saved else (),
        full=full,
        chain=chain,
    )


def _lines(measured: Measured, addresses: range) -> str:
    first, last = (measured.lines.place(addresses[place]) for place in (0, -1))
    assert first is not None
    assert last is not None
    return f"{first.line}" if first.line == last.end_line else f"{first.line} to {last.end_line}"


def _moves(measured: Measured, block: PackedBlock) -> Iterator[Move]:
    for bundle in block.bundles:
        home = _home(bundle)
        target = measured.lines.place(home)
        assert target is not None
        for operation in bundle:
            if operation.address != home:
                yield Move(_place(measured, operation), target.line)


def _home(bundle: Sequence[Operation]) -> int:
    """Return the address that most instructions of a packed bundle come from, or the first."""
    counts = Counter(operation.address for operation in bundle)
    return min(counts, key=lambda address: (-counts[address], address))


def _limit(measured: Measured, block: PackedBlock) -> tuple[tuple[str, ...], tuple[Place, ...]]:
    """Return the slots that are full in all bundles of a packed block, or the longest chain."""
    program, length = measured.program, len(block.bundles)
    pressure = slot_pressure(program.isa, operations_of(program, block.addresses))
    full = tuple(each.slot for each in pressure if each.bundles == length)
    return full, () if full else _chain(measured, block)


def _chain(measured: Measured, block: PackedBlock) -> tuple[Place, ...]:
    """Return the longest chain of dependences if the packed block is no longer than that."""
    graph = dependences_of(measured.program, block.addresses)
    chain = critical_path(graph)
    if not chain or sum(each.latency for each in chain) + 1 < len(block.bundles):
        return ()
    numbers = [chain[0].source, *(each.target for each in chain)]
    return tuple(_place(measured, graph.operations[number]) for number in numbers)


def _place(measured: Measured, operation: Operation) -> Place:
    program = measured.program
    bundle = program.bundles[program.bundle_at_address[operation.address]]
    number = bundle.instructions_of(operation.slot).index(operation.number)
    place = measured.lines.instruction_place(operation.address, operation.slot, number)
    assert place is not None
    return Place(bundle.instructions[operation.number].mnemonic, place.line)
