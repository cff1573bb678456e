"""A map of memory: which bytes are read and written, by which instructions, through which base."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.summary import AccessSummary
from ipu_asm.flow.control_run.trace import merged
from ipu_asm.flow.named_memory import NamedPart, names_in, parts_from
from ipu_asm.ide.expansions import is_template, whole_reading
from ipu_asm.ide.run_facts import (
    configuration_phrase,
    cycles_sentence,
    instruction_span,
    shown_facts,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span, counted

_MAX_RANGES = 64
"""Ranges of one access; more of them are drawn as the range around all."""
_MAX_OF_STRIP = 2_000
"""The same for all accesses of a strip."""
_KINDS = {"r": "read", "w": "written", "rw": "both"}


class MapAccess(NamedTuple):
    """A load or store: its place in the text, and the bytes that it touches.

    `ranges` are sorted and count from the base of its strip; there are none if they are not known.
    """

    span: Span
    text: str
    kind: str
    size: int
    addresses: str
    executions: int | None
    ranges: tuple[range, ...]


class MapRegion(NamedTuple):
    """Neighbouring bytes that are used alike: read, written, or both, through the same registers.

    `name` is the one that the program gives to all of them, or empty. `accesses` are numbers of
    accesses of the map.
    """

    range: range
    name: str
    kind: str
    through: tuple[str, ...]
    accesses: tuple[int, ...]


class MemoryStrip(NamedTuple):
    """The used part of a memory of `size` bytes; without `base`, addresses count from 0.

    Else they count from the unknown value of the registers in `base`. `unknown` are the numbers of
    accesses of which the bytes are not known, such as those of a loop of unknown trips.
    """

    memory: str
    size: int
    base: str
    regions: tuple[MapRegion, ...]
    unknown: tuple[int, ...]


class MemoryMap(NamedTuple):
    """The memory that a run touches. `note` says which run that is, or why there is none."""

    note: str
    strips: tuple[MemoryStrip, ...] = ()
    accesses: tuple[MapAccess, ...] = ()


class MapLine(NamedTuple):
    """A line of the map as a text, and the written line (from 0) of the instruction in it."""

    text: str
    line: int | None = None


def memory_map(analysis: Analysis) -> MemoryMap:
    """Return the map of a program; of a template, that of its first expansion."""
    if is_template(analysis):
        reading = whole_reading(analysis)
        found = memory_map(reading.analysis)
        written = (each._replace(span=reading.written(each.span)) for each in found.accesses)
        return found._replace(accesses=tuple(written))
    facts = shown_facts(analysis.program)
    if facts is None:
        return MemoryMap("there is no map of a program with errors, or of this instruction set")
    summaries = [
        each for each in facts.summary.accesses.values() if not each.access.space.is_register
    ]
    strips: dict[tuple[str, int, str], list[int]] = {}
    for number, each in enumerate(summaries):
        base = "" if facts.base(each) is not None else " + ".join(facts.base_names(each))
        key = each.access.memory, each.access.space.size, base
        strips.setdefault(key, []).append(number)
    accesses = tuple(_access(analysis, facts, each) for each in summaries)
    registers = [tuple(facts.base_names(each)) for each in summaries]

    def strip(memory: str, size: int, base: str, numbers: list[int]) -> MemoryStrip:
        used = merged(each for number in numbers for each in accesses[number].ranges)
        unit = max(summaries[number].access.unit for number in numbers)
        parts = parts_from(analysis.program, facts.presets, base, used, unit)
        regions = tuple(_regions(accesses, registers, numbers, parts))
        unknown = tuple(number for number in numbers if not accesses[number].ranges)
        return MemoryStrip(memory, size, base, regions, unknown)

    note = cycles_sentence(facts) + configuration_phrase(analysis.program)
    found_strips = (strip(*key, numbers) for key, numbers in sorted(strips.items()))
    return MemoryMap(note, tuple(found_strips), accesses)


def map_lines(analysis: Analysis, found: MemoryMap) -> Iterator[MapLine]:
    """Yield the map as a text: each region, and below it the instructions that touch it."""
    yield MapLine(f"# memory map: {found.note}")
    for strip in found.strips:
        yield MapLine("")
        origin = f"from {strip.base}, whose value is not known" if strip.base else "from 0"
        yield MapLine(f"# {strip.memory}, {strip.size:,} bytes, addresses {origin}")
        for region in strip.regions:
            size = counted(len(region.range), "byte")
            through = f" through {', '.join(region.through)}" if region.through else ""
            ends = f"{region.range.start:#07x}..{region.range.stop - 1:#07x}"
            kind = "read and written" if region.kind == "both" else region.kind
            name = f"{region.name}: " if region.name else ""
            yield MapLine(f"{ends}  {name}{size}, {kind}{through}")
            for number in region.accesses:
                yield _line(analysis, found.accesses[number])
        if strip.unknown:
            yield MapLine("bytes that depend on registers without a known value")
        for number in strip.unknown:
            yield _line(analysis, found.accesses[number])


def _line(analysis: Analysis, access: MapAccess) -> MapLine:
    line = analysis.source.lines.position(access.span.start).line
    times = "" if access.executions is None else f"; {counted(access.executions, 'time')}"
    text = f"    line {line + 1}: {access.text}  # {access.addresses}{times}"
    return MapLine(text, line)


def _access(analysis: Analysis, facts: ControlFacts, summary: AccessSummary) -> MapAccess:
    program, access = analysis.program, summary.access
    bundle = program.bundles[program.bundle_at_address[summary.address]]
    mnemonic, *operands = bundle.instructions[access.instruction].words
    separator = program.isa.surface.operand_separator
    ranges = facts.address_ranges(summary) or facts.offset_ranges(summary) or []
    if len(ranges) > _MAX_RANGES:
        ranges = _around(ranges)
    return MapAccess(
        instruction_span(program, summary),
        f"{mnemonic} {separator.join(operands)}".rstrip(),
        access.kind,
        access.size,
        f"{access.size} bytes at {facts.address_text(summary)}",
        facts.summary.executions[summary.address] if facts.is_complete else None,
        tuple(ranges),
    )


def _regions(
    accesses: Sequence[MapAccess],
    registers: Sequence[tuple[str, ...]],
    numbers: Sequence[int],
    parts: Sequence[NamedPart],
) -> Iterator[MapRegion]:
    """Yield the regions of some accesses in the order of their addresses, cut where names end."""
    events: dict[int, tuple[list[int], list[int]]] = {}
    is_simplified = sum(len(accesses[number].ranges) for number in numbers) > _MAX_OF_STRIP
    for number in numbers:
        ranges = accesses[number].ranges
        for each in _around(ranges) if is_simplified else ranges:
            events.setdefault(each.start, ([], []))[0].append(number)
            events.setdefault(each.stop, ([], []))[1].append(number)
    for part in parts:
        events.setdefault(part.bytes.start, ([], []))
        events.setdefault(part.bytes.stop, ([], []))
    active: set[int] = set()
    last: MapRegion | None = None
    places = sorted(events)
    for start, stop in zip(places, [*places[1:], 0]):
        starting, ending = events[start]
        active.difference_update(ending)
        active.update(starting)
        if not active:
            continue
        here = _region(range(start, stop), accesses, registers, active)
        here = here._replace(name=", ".join(names_in(parts, [here.range])))
        if last is not None and _is_alike(last, here):
            both = tuple(sorted({*last.accesses, *here.accesses}))
            last = last._replace(range=range(last.range.start, stop), accesses=both)
            continue
        if last is not None:
            yield last
        last = here
    if last is not None:
        yield last


def _around(ranges: Sequence[range]) -> list[range]:
    """Return the smallest range around sorted ranges, if there are any."""
    return [range(ranges[0].start, ranges[-1].stop)] if ranges else []


def _region(
    bytes_: range,
    accesses: Sequence[MapAccess],
    registers: Sequence[tuple[str, ...]],
    active: set[int],
) -> MapRegion:
    kinds = "".join(sorted({accesses[number].kind[0] for number in active}))
    through = {" + ".join(registers[number]) for number in active if registers[number]}
    return MapRegion(bytes_, "", _KINDS[kinds], tuple(sorted(through)), tuple(sorted(active)))


def _is_alike(first: MapRegion, second: MapRegion) -> bool:
    return (
        first.range.stop == second.range.start
        and (first.name, first.kind) == (second.name, second.kind)
        and first.through == second.through
    )
