"""The memory that a run uses: named regions, and the number of accesses to their parts."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, Iterable, Iterator, Mapping, Sequence

from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.inspection.inspector import base_registers
from ipu_asm.debugger.queries import CountedAccesses, LastAccess
from ipu_asm.debugger.runner import HostData
from ipu_asm.emulator.execution_counts import BLOCK_SIZE
from ipu_asm.emulator.run_length import PlannedAccesses
from ipu_asm.flow.control_run.trace import merged, without
from ipu_asm.flow.named_memory import NamedPart, named_parts
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

MAX_CELLS: Final = 128
"""Cells that a region is divided into, unless more are asked for."""
MAX_REGIONS: Final = 64
"""Regions without a name; of more, neighbours are drawn as one."""
READ, WRITTEN = 1, 2
"""Bits of `Cell.planned`."""


class Cell(NamedTuple):
    """Some neighbouring blocks: their accesses so far, and what the whole run does with them.

    `planned` is a sum of `READ` and `WRITTEN`; 0 where the run is not known, too.
    """

    reads: int
    writes: int
    planned: int


class UsedRegion(NamedTuple):
    """A region of memory, in cells of `cell_size` bytes from the block at `cell_start` on.

    An unnamed region has the name of the registers that point into it. `data` are
    the host's data in it, in words.
    """

    name: str
    bytes: range
    about: str
    data: tuple[str, ...]
    bases: tuple[str, ...]
    cell_start: int
    cell_size: int
    cells: tuple[Cell, ...]

    @property
    def reads(self) -> int:
        return sum(cell.reads for cell in self.cells)

    @property
    def writes(self) -> int:
        return sum(cell.writes for cell in self.cells)

    @property
    def planned(self) -> int:
        planned = 0
        for cell in self.cells:
            planned |= cell.planned
        return planned


class MemoryUsage(NamedTuple):
    """The memory of a machine of `size` bytes at a cycle.

    Accesses are counted from cycle `since` on, in blocks of 128 bytes: one of 512 bytes counts
    in four of them. `is_planned`: the accesses of the whole run are known.
    """

    cycle: int
    since: int
    size: int
    regions: tuple[UsedRegion, ...]
    last_read: LastAccess | None
    last_write: LastAccess | None
    is_planned: bool


def memory_usage(debugger: Debugger, most_cells: int = MAX_CELLS) -> MemoryUsage:
    """Return the used memory at the current cycle, each region in `most_cells` cells at most.

    Raises `QueryInterruptedError`.
    """
    state, model = debugger.state, debugger.model
    size = model.memory_size
    counted, planned = debugger.memory.counted(), debugger.planned_accesses
    accessed = [*counted.counts.ranges()]
    if planned is not None:
        accessed += [*planned.reads, *planned.writes]
    used = joined(_clipped(accessed, size), 0)
    registers = state.regfile.scalar_values()
    unit, host = model.types_in(state).address_unit, debugger.options.data
    parts = [
        part._replace(bytes=bytes_)
        for part in _parts(debugger.program, registers, host, used, unit)
        for bytes_ in _clipped([part.bytes], size)
    ]
    taken = [part.bytes for part in parts]
    rest = [left for each in used for left in without(each, taken)]
    parts += (NamedPart("", each) for each in joined(rest, MAX_REGIONS))
    bases = base_registers(debugger.program, model)
    addresses = {name: unit * registers[name] for name in bases}
    return MemoryUsage(
        debugger.cycle,
        counted.since,
        size,
        tuple(
            _region(part, host, addresses, counted, planned, most_cells)
            for part in sorted(parts, key=lambda each: each.bytes.start)
        ),
        debugger.memory.last(is_write=False),
        debugger.memory.last(is_write=True),
        planned is not None,
    )


def joined(ranges: Iterable[range], most: int) -> list[range]:
    """Return ranges in order, of which none overlap or follow one another.

    More than `most` of them are joined over the smallest gaps; 0 is no limit.
    """
    found = merged(ranges)
    if not most or len(found) <= most:
        return found
    gaps = sorted(b.start - a.stop for a, b in pairwise(found))
    return merged(found, gaps[len(found) - most - 1])


def _clipped(ranges: Iterable[range], size: int) -> list[range]:
    clipped = (range(max(0, each.start), min(each.stop, size)) for each in ranges)
    return [each for each in clipped if each]


def _region(
    part: NamedPart,
    host: Sequence[HostData],
    bases: Mapping[str, int],
    counted: CountedAccesses,
    planned: PlannedAccesses | None,
    most_cells: int,
) -> UsedRegion:
    bytes_ = part.bytes
    start = bytes_.start // BLOCK_SIZE * BLOCK_SIZE
    size = BLOCK_SIZE
    while (bytes_.stop - start) > size * most_cells:
        size *= 2
    pointing = tuple(name for name, address in bases.items() if address in bytes_)
    cells = [range(at, min(at + size, bytes_.stop)) for at in range(start, bytes_.stop, size)]
    bits = [0] * len(cells)
    if planned is not None:
        for bit, ranges in ((READ, planned.reads), (WRITTEN, planned.writes)):
            for each in ranges:
                first = max(0, (each.start - start) // size)
                for number in range(first, min(len(bits), -(-(each.stop - start) // size))):
                    bits[number] |= bit
    name = part.name or (f"at {', '.join(pointing)}" if pointing else "unnamed")
    return UsedRegion(
        name,
        bytes_,
        part.about,
        tuple(dict.fromkeys(_data_in(part, host))),
        pointing,
        start,
        size,
        tuple(
            Cell(*counted.counts.counts(each.start, each.stop), bit)
            for each, bit in zip(cells, bits)
        ),
    )


def _parts(
    program: Program,
    registers: Mapping[str, int],
    host: Sequence[HostData],
    used: Sequence[range],
    unit: int,
) -> Iterator[NamedPart]:
    """Yield the named parts of memory; none overlap.

    Names of the program go before those of files. `registers` are the values of scalars, `used`
    the bytes that are accessed, in order; `unit` is how many bytes an address counts.
    """
    known = [*(data.bytes for data in host), *used]
    parts = named_parts(program, registers, known, unit)
    yield from parts
    taken = [part.bytes for part in parts]
    for data in host:
        for rest in without(data.bytes, taken):
            taken.append(rest)
            yield NamedPart(data.name, rest)


def _data_in(part: NamedPart, host: Iterable[HostData]) -> Iterator[str]:
    for data in host:
        if data.address < part.bytes.stop and part.bytes.start < data.bytes.stop:
            yield f"{data.name} {data.role}" if data.name != part.name else data.role
