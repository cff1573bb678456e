"""The picture of a loop: what each unit does in each bundle, and why it does nothing in others."""

from __future__ import annotations

from collections import Counter
from typing import Final, Iterator, Mapping, Sequence

from ipu_asm.flow.loops import SourceLoop
from ipu_asm.flow.packing.dependences import Dependence, DependenceKind
from ipu_asm.flow.packing.operations import Operation
from ipu_asm.flow.steady_loops import LoopBound
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program

BUSY: Final = "busy"
WAITS: Final = "waits"
DELAY: Final = "slot-of-branch"
ENDED: Final = "ended"
FREE: Final = "free"
MAX_ROWS = 256


class Cell(NamedTuple):
    """A unit in a bundle: its instructions, or why it has none; `kind` is one of the constants."""

    kind: str
    text: str


class PictureRow(NamedTuple):
    """The bundle on a line, `cycle` bundles after the first one of the loop."""

    cycle: int
    line: int
    cells: tuple[Cell, ...]


class Picture(NamedTuple):
    """A loop of one path, by bundle and unit."""

    units: tuple[str, ...]
    rows: tuple[PictureRow, ...]

    @property
    def causes(self) -> Counter[str]:
        """How many slots are empty, by cause."""
        kinds = Counter(cell.kind for row in self.rows for cell in row.cells)
        del kinds[BUSY]
        return kinds


def picture_of(
    program: Program, lines: LineTable, loop: SourceLoop, bound: LoopBound
) -> Picture | None:
    """Return the picture of a loop; None if it has too many bundles."""
    if not 1 < loop.size <= MAX_ROWS:
        return None
    order = [unit for slot in program.isa.slots for unit in slot.units or (slot.name,)]
    places = _by_unit(program, bound)
    units = tuple(unit for unit in dict.fromkeys(order) if unit in places)
    waits = _waits(loop, bound)
    columns = [[*_column(program, loop, bound, places[unit], waits)] for unit in units]
    rows = []
    for cycle, cells in enumerate(zip(*columns)):
        place = lines.place(loop.first + cycle)
        rows.append(PictureRow(cycle, place.line if place else 0, cells))
    return Picture(units, tuple(rows))


def causes_by_slot(
    program: Program, loop: SourceLoop, bound: LoopBound
) -> list[tuple[Cell | None, ...]]:
    """Return the causes of empty slots, for each bundle of a loop and each slot in order.

    None stands for a slot that is used, and for one that no instruction of the loop takes.
    """
    if loop.size > MAX_ROWS:
        return []
    operations, by_unit, waits = (
        bound.graph.operations,
        _by_unit(program, bound),
        _waits(loop, bound),
    )
    columns: list[list[Cell | None]] = []
    for slot in program.isa.slots:
        places = [number for number, each in enumerate(operations) if each.slot == slot.name]
        if not places:  # a loop does without it
            columns.append([None] * loop.size)
            continue
        column = _column(program, loop, bound, places, waits)
        cells = [None if cell.kind == BUSY else cell for cell in column]
        for number in {number for unit in slot.units for number in by_unit.get(unit, ())}:
            cycle = operations[number].address - loop.first
            if cells[cycle] is not None:
                cells[cycle] = Cell(BUSY, f"{_name(program, operations[number])} takes its unit")
        columns.append(cells)
    return [*zip(*columns)]


def _by_unit(program: Program, bound: LoopBound) -> dict[str, list[int]]:
    """Map each functional unit to the operations that occupy it, by their index in the graph."""
    found: dict[str, list[int]] = {}
    for number, operation in enumerate(bound.graph.operations):
        for unit in program.isa.slot_by_name[operation.slot].units or (operation.slot,):
            found.setdefault(unit, []).append(number)
    return found


def _waits(loop: SourceLoop, bound: LoopBound) -> dict[int, tuple[int, Dependence]]:
    """Return for operations the first bundle that they can stand in, and what they wait for."""
    found: dict[int, tuple[int, Dependence]] = {}
    for each in bound.graph.dependences:
        source = bound.graph.operations[each.source]
        first = source.address - loop.first + each.latency - each.iterations * loop.size
        known = found[each.target][0] if each.target in found else 0
        if each.kind is not DependenceKind.CONTROL and first > known:
            found[each.target] = first, each
    return found


def _column(
    program: Program,
    loop: SourceLoop,
    bound: LoopBound,
    places: Sequence[int],
    waits: Mapping[int, tuple[int, Dependence]],
) -> Iterator[Cell]:
    """Yield the cells of a unit from the first bundle to the last."""
    operations = bound.graph.operations
    by_cycle: dict[int, list[int]] = {}
    for number in places:
        by_cycle.setdefault(operations[number].address - loop.first, []).append(number)
    branch = min((o.address for o in operations if o.is_branch), default=loop.last)
    for cycle in range(loop.size):
        own = by_cycle.get(cycle)
        if own:
            yield Cell(BUSY, " ".join(_name(program, operations[number]) for number in own))
            continue
        later = next((by_cycle[c][0] for c in range(cycle + 1, loop.size) if c in by_cycle), None)
        if later is None:
            is_slot = bound.branch == bound.bundles and cycle > branch - loop.first
            yield Cell(DELAY, "delay slot") if is_slot else Cell(ENDED, "nothing left to issue")
            continue
        name = _name(program, operations[later])
        first, reason = waits.get(later, (0, None))
        if operations[later].is_branch and not bound.branch and first <= cycle:
            yield Cell(ENDED, f"{name} ends the loop")
        elif reason is None or first <= cycle:
            yield Cell(FREE, f"no result keeps {name} from here")
        else:
            source = _name(program, operations[reason.source])
            until = f"until bundle {first}" if first < loop.size else "of the iteration before"
            yield Cell(WAITS, f"{name} waits for {reason.resource} of {source} {until}")


def _name(program: Program, operation: Operation) -> str:
    bundle = program.bundles[program.bundle_at_address[operation.address]]
    return bundle.instructions[operation.number].mnemonic
