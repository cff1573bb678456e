"""The memory of a program: what each load and store touches, regions, and where they overlap."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.steps import Access
from ipu_asm.flow.control_run.summary import AccessSummary, Count
from ipu_asm.flow.control_run.trace import (
    Progression,
    byte_ranges,
    distinct_count,
    merged,
    number_count,
    shared,
)
from ipu_asm.flow.control_run.values import Symbolic, Unknown, plus
from ipu_asm.flow.named_memory import names_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import SourceLocation
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.loops import Measured, total

_MAX_RANGES = 1 << 18


class Base(NamedTuple):
    """What the offsets of accesses count from: registers, and values that are not known.

    `value` is its address in bytes, None if some are not known: those in `unknown`. The registers
    count in units of `unit` bytes: those of a row, in memory that is addressed by rows.
    """

    text: str
    value: int | None
    unknown: tuple[str, ...] = ()
    unit: int = 1


class AccessReport(NamedTuple):
    """A load or store, with the offsets that it accesses from `base`.

    `bytes` are those that it accesses, as sorted ranges of offsets, `distinct` is the number of its
    different offsets, and `executions` how often it is executed; None if they are not known.
    `first` is its lowest offset, also where the number of further ones is not known; `text` has its
    addresses in words, empty if the run is not known so far.
    """

    address: int
    place: SourceLocation
    mnemonic: str
    kind: str
    size: int
    memory: str
    base: Base
    text: str
    first: int | None
    bytes: Sequence[range] | None
    distinct: Count
    executions: Count

    @property
    def end(self) -> int | None:
        """The offset after the last byte."""
        return self.bytes[-1].stop if self.bytes else None


class Region(NamedTuple):
    """All that is reached through one base; `read` and `written` are sorted ranges of bytes.

    `name` is what the program calls these parts of memory, or empty.
    """

    base: Base
    accesses: tuple[AccessReport, ...]
    read: Sequence[range]
    written: Sequence[range]
    name: str = ""

    @property
    def touched(self) -> list[range]:
        """The bytes that are read or written."""
        return merged([*self.read, *self.written])

    @property
    def is_known(self) -> bool:
        """Whether all accesses are known."""
        return all(access.bytes is not None for access in self.accesses)


class Overlap(NamedTuple):
    """Addresses that two regions share, as sorted ranges; `is_written` if one writes some."""

    first: Region
    second: Region
    shared: Sequence[range]
    is_written: bool


def access_reports(measured: Measured) -> list[AccessReport]:
    """Return the accesses of memories in the order of the program.

    Their bytes are not told any more after `_MAX_RANGES` of all accesses.
    """
    facts = measured.facts
    assert facts is not None
    found: list[AccessReport] = []
    left = _MAX_RANGES
    for address, step in enumerate(facts.run.steps):
        for number, access in enumerate(step.accesses):
            if not access.space.is_register:
                summary = _summary(facts, address, number)
                for report in _reports(measured, facts, summary, left > 0):
                    left -= len(report.bytes or ())
                    found.append(report)
    return found


def _summary(facts: ControlFacts, address: int, number: int) -> AccessSummary:
    """Return the summary of an access, also of one that never runs."""
    access = facts.run.steps[address].accesses[number]
    return facts.summary.accesses.get((address, number)) or AccessSummary(address, access, ())


def regions_of(
    program: Program, presets: Mapping[str, int], accesses: Iterable[AccessReport]
) -> list[Region]:
    """Return the regions of accesses by their bases, in the order of first use."""
    by_base: dict[tuple[str, Base], list[AccessReport]] = {}
    for access in accesses:
        by_base.setdefault((access.memory, access.base), []).append(access)
    regions = []
    for (_, base), found in by_base.items():
        region = Region(base, tuple(found), _bytes(found, "read"), _bytes(found, "write"))
        counts_from = "" if base.value is not None else base.text
        used = _at_base(region, region.touched)
        name = names_of(program, presets, counts_from, used, base.unit)
        regions.append(region._replace(name=name))
    return regions


def overlaps_of(regions: Iterable[Region]) -> list[Overlap]:
    """Return the overlaps of regions with known bases."""
    found: list[Overlap] = []
    known = [region for region in regions if region.base.value is not None]
    for first, second in combinations(known, 2):
        if first.accesses[0].memory != second.accesses[0].memory:
            continue
        both = shared(_at_base(first, first.touched), _at_base(second, second.touched))
        if both:
            written = [*_at_base(first, first.written), *_at_base(second, second.written)]
            found.append(Overlap(first, second, both, bool(shared(both, merged(written)))))
    return found


def _at_base(region: Region, offsets: Sequence[range]) -> list[range]:
    base = region.base.value or 0
    return [range(each.start + base, each.stop + base) for each in offsets]


def _reports(
    measured: Measured, facts: ControlFacts, summary: AccessSummary, with_bytes: bool
) -> Iterator[AccessReport]:
    """Yield a report for each base of an access: one, unless its offsets are not known."""
    address, access, _ = summary
    bundle = measured.program.bundles[measured.program.bundle_at_address[address]]
    instruction = bundle.instructions[access.instruction]
    assert instruction.spec is not None
    slot = instruction.spec.slot
    number = bundle.instructions_of(slot).index(access.instruction)
    place = measured.lines.instruction_place(address, slot, number)
    assert place is not None
    is_known = measured.executions[address] is not None or facts.is_complete
    for base, progressions in _by_base(facts, access, summary.offsets).items():
        yield AccessReport(
            address=address,
            place=place,
            mnemonic=instruction.mnemonic,
            kind=access.kind,
            size=access.size,
            memory=access.memory,
            base=base,
            text=facts.address_text(summary._replace(offsets=progressions)) if is_known else "",
            first=_lowest(progressions) if is_known else None,
            bytes=byte_ranges(progressions, access.size) if is_known and with_bytes else None,
            distinct=distinct_count(progressions) if is_known else None,
            executions=_executions(progressions) if is_known else None,
        )


def _by_base(
    facts: ControlFacts, access: Access, offsets: Sequence[Progression]
) -> dict[Base, list[Progression]]:
    found: dict[Base, list[Progression]] = {} if offsets else {_base(facts, access, ()): []}
    for start, dimensions in offsets:
        known = start.constant if isinstance(start, Symbolic) else start
        parts = start.parts if isinstance(start, Symbolic) else ()
        base = _base(facts, access, parts)
        found.setdefault(base, []).append(Progression(known, dimensions))
    return found


def _base(facts: ControlFacts, access: Access, parts: Sequence[tuple[Unknown, int]]) -> Base:
    run = facts.run
    value = plus(access.base(run.registers), Symbolic(0, tuple(parts)) if parts else 0)
    unit = access.unit if all(factor % access.unit == 0 for _, factor in parts) else 1
    scale = access.unit // unit
    factors = Counter({part.name: factor // unit for part, factor in parts})
    factors.update({run.names.names[register]: scale for register in access.bases})
    terms = [name if factor == 1 else f"{factor} * {name}" for name, factor in factors.items()]
    text = " + ".join(reversed(terms))
    if isinstance(value, int):
        return Base(text, value, (), unit)
    return Base(text, None, value.registers, unit)


def _lowest(progressions: Sequence[Progression]) -> int | None:
    """Return the lowest value; None if there is none, or if it is not known."""
    found: list[int] = []
    for value, dimensions in progressions:
        for stride, count in dimensions:
            if not isinstance(stride, int) or (stride < 0 and not isinstance(count, int)):
                return None
            if stride < 0 and isinstance(count, int):
                value = plus(value, stride * (count - 1))
        if not isinstance(value, int):
            return None
        found.append(value)
    return min(found, default=None)


def _executions(progressions: Iterable[Progression]) -> Count:
    return total(number_count(progression) for progression in progressions)


def _bytes(accesses: Iterable[AccessReport], kind: str) -> list[range]:
    return merged(each for access in accesses if access.kind == kind for each in access.bytes or ())
