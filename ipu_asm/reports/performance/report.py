"""The performance report of a program, from the facts of its control run."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.bundle.slot_assignment import units_of
from ipu_asm.emulator.html_tables import table
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import End, fault_message, fault_of
from ipu_asm.flow.control_run.summary import Count
from ipu_asm.flow.control_run.values import Symbolic
from ipu_asm.flow.loop_numbers import Peak, peak_of, ratio
from ipu_asm.flow.packing.dependences import critical_path, dependences_of, slot_pressure
from ipu_asm.flow.packing.operations import Operation, operations_of
from ipu_asm.flow.packing.pack import PackedBlock, PackingError, plan_packing
from ipu_asm.isa.model import Isa
from ipu_asm.lint.run_findings import iterations_text
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable, SourceLocation
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.loops import (
    FunctionReport,
    LoopReport,
    Measured,
    function_reports,
    loop_reports,
    measure,
    total,
)
from ipu_asm.reports.performance.memory import (
    AccessReport,
    Overlap,
    Region,
    access_reports,
    overlaps_of,
    regions_of,
)

_LOAD, _STORE = "load", "store"


class UnitUse(NamedTuple):
    """How many executed bundles use a unit, and their share of all; None if not known."""

    unit: str
    bundles: Count
    share: float | None


class Use(NamedTuple):
    """The units of a run in the order of the set, and its loads and stores."""

    units: tuple[UnitUse, ...]
    loads: Count
    stores: Count
    peak: Peak | None


def use_of(measured: Measured) -> Use | None:
    """Return the use of units, or of slots; None for a set whose control is known without it."""
    program, isa = measured.program, measured.program.isa
    if measured.facts is not None or not isa.counting.registers:
        return None
    bundles = [program.bundles[number] for number in program.bundle_at_address]
    units = [
        unit for slot in isa.slots if len(slot.units) < 2 for unit in slot.units or (slot.name,)
    ]
    used = [_used_units(isa, bundle) for bundle in bundles]
    cycles = measured.cycles
    by_unit = {unit: [int(unit in each) for each in used] for unit in units}
    traits = [_traits(isa, bundle) for bundle in bundles]
    found = []
    for unit, counts in by_unit.items():
        if any(counts):
            count = _executed(measured, counts)
            found.append(UnitUse(unit, count, ratio(count, cycles)))
    return Use(
        tuple(found),
        _executed(measured, [each[_LOAD] for each in traits]),
        _executed(measured, [each[_STORE] for each in traits]),
        peak_of(program, measured.executions, cycles),
    )


def _executed(measured: Measured, counts: Sequence[int]) -> Count:
    """Return the sum of counts of all bundles, each as often as the bundle is executed."""
    pairs = zip(measured.executions, counts)
    return total(None if n is None else n * count for n, count in pairs if count)


@cached_on_bundle
def _used_units(isa: Isa, bundle: Bundle) -> frozenset[str]:
    return frozenset(
        unit
        for instruction in bundle.instructions
        if not instruction.is_idle
        for unit in units_of(isa, instruction) or _slot_of(instruction)
    )


def _slot_of(instruction: Instruction) -> tuple[str, ...]:
    return (instruction.spec.slot,) if instruction.spec is not None else ()


@cached_on_bundle
def _traits(_isa: Isa, bundle: Bundle) -> Counter[str]:
    specs: Sequence[frozenset[str]] = [
        instruction.spec.traits for instruction in bundle.instructions if instruction.spec
    ]
    return Counter(trait for traits in specs for trait in traits)


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


class PerformanceReport(NamedTuple):
    """What is known about the run of a program.

    `cycles` are None if they are not known; of a run that faults, they are those before the fault.
    `executed` are those that are certain, `refused` is why it faults. `end` is None for an
    instruction set in which data may decide control; its `functions` have the cycles of a call, and
    `use` that of functional units. `executions` are by address, None if not known.
    `unknown` are the values that missing numbers depend on, by the names of registers. `presets`
    are the values that registers have at the start, and `origins` where they are stated.
    """

    isa: Isa
    cycles: Count
    bundles: int
    executed: Count
    end: End | None
    end_place: SourceLocation | None
    refused: str
    functions: tuple[FunctionReport, ...]
    loops: tuple[LoopReport, ...]
    accesses: tuple[AccessReport, ...]
    regions: tuple[Region, ...]
    overlaps: tuple[Overlap, ...]
    moves: MovesReport
    unknown: tuple[str, ...]
    presets: Mapping[str, int]
    use: Use | None = None
    executions: Sequence[Count] = ()
    origins: Mapping[str, str] = {}

    @property
    def hottest_loop(self) -> LoopReport | None:
        """The loop whose own bundles take the most cycles."""
        known = [loop for loop in self.loops if loop.own_cycles]
        return max(known, key=lambda loop: loop.own_cycles or 0, default=None)

    @property
    def bases_without_value(self) -> tuple[str, ...]:
        """The base registers whose values are not known, so that addresses are offsets."""
        names = [name for region in self.regions for name in region.base.unknown]
        return tuple(dict.fromkeys(names))

    def _repr_html_(self) -> str:
        cycles = "unknown" if self.cycles is None else f"{self.cycles:,}"
        depends = f"; they depend on {', '.join(self.unknown)}" if self.unknown else ""
        caption = f"{cycles} cycles, {self.bundles:,} bundles{depends}"
        rows = [
            (
                each.label or "",
                each.row,
                each.bundles,
                each.trips,
                "unknown" if each.cycles is None else each.cycles,
            )
            for each in self.loops
        ]
        return table(("loop", "line", "bundles", "trips", "cycles"), rows, caption)


def performance_report(
    program: Program, lines: LineTable, facts: ControlFacts | None, *, with_moves: bool = True
) -> PerformanceReport:
    """Return the report; positions are those of `lines`.

    Moves, whose schedules take most of the time, are left out without `with_moves`.
    """
    measured = measure(program, lines, facts)
    accesses = access_reports(measured) if facts else []
    regions = regions_of(program, facts.presets, accesses) if facts else []
    return PerformanceReport(
        isa=program.isa,
        cycles=measured.cycles,
        bundles=program.size,
        executed=facts.summary.cycles if facts else None,
        end=facts.run.end if facts else None,
        end_place=lines.place(facts.run.end.address) if facts else None,
        refused=_refused(program, facts) if facts else "",
        functions=tuple(function_reports(program, lines)) if facts is None else (),
        loops=tuple(loop_reports(measured)),
        accesses=tuple(accesses),
        regions=tuple(regions),
        overlaps=tuple(overlaps_of(regions)),
        moves=moves_report(measured) if with_moves else MovesReport(()),
        unknown=_unknown(measured),
        presets=facts.presets if facts else {},
        use=use_of(measured),
        executions=measured.executions,
    )


def _refused(program: Program, facts: ControlFacts) -> str:
    """Return what the machine refuses at the end of the run, and in which iteration."""
    fault = fault_of(program, facts.run)
    if fault is None:
        return ""
    return fault_message(program, facts.run, fault) + iterations_text(program, facts.run)


def _unknown(measured: Measured) -> tuple[str, ...]:
    facts = measured.facts
    if facts is None:
        return ()
    names = [*facts.summary.unknown]
    for summary in facts.summary.accesses.values():
        for start, dimensions in summary.offsets:
            for value in (start, *(stride for stride, _ in dimensions)):
                names += value.registers if isinstance(value, Symbolic) else ()
    return tuple(sorted(set(names), key=lambda name: (len(name), name)))
