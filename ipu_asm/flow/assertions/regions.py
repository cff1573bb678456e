"""Whether accesses stay in the regions of memory that assertions declare."""

from __future__ import annotations

from itertools import islice
from typing import Iterator, Mapping, Sequence

from ipu_asm.diagnostics import ASSERTION_FALSE, Diagnostic, RelatedInformation
from ipu_asm.expressions.tree import Name
from ipu_asm.flow.assertions.comments import AssertionComment
from ipu_asm.flow.assertions.syntax import Region
from ipu_asm.flow.assertions.values import Undecided, number_of
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.step_reading import mode_of
from ipu_asm.flow.control_run.summary import AccessSummary
from ipu_asm.flow.control_run.trace import without
from ipu_asm.isa.storage import AddressSpace
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span

_MAX_OVERLAPS = 100
"""Overlaps that are reported: a text may declare thousands of regions at one place."""


class _Region(NamedTuple):
    """A region with the offsets of its bytes from the value of the register `base`, if any."""

    comment: AssertionComment
    name: str
    base: str
    bytes: range
    access: str


class RegionCheck:
    """Checks the regions of a program in one configuration."""

    def __init__(
        self,
        program: Program,
        facts: ControlFacts,
        regions: Sequence[tuple[AssertionComment, Region]],
    ) -> None:
        self._program = program
        self._facts = facts
        names = facts.run.names
        self._bases = {
            name: value
            for name, value in zip(names.names, facts.run.registers)
            if names.positions[name] >= names.changing
        }
        memory = self._memory()
        self._unit = memory.row(mode_of(facts.presets)) if memory is not None else 1
        self._regions = [found for each in regions if (found := self._region(*each))]

    def _region(self, comment: AssertionComment, region: Region) -> _Region | None:
        """Return a region whose base is a register that no instruction changes, or a number."""
        constants = {n: v for n, v in self._bases.items() if isinstance(v, int)}
        try:
            first, end = (int(number_of(node, constants)) for node in (region.first, region.end))
            base = region.base
            if isinstance(base, Name) and base.text.lower() in self._bases:
                name = base.text.lower()
            else:
                name, start = "", int(number_of(base, constants)) if base is not None else 0
                first, end = first + start, end + start
        except (Undecided, ValueError, OverflowError):
            return None
        bytes_ = range(first * self._unit, end * self._unit)
        return _Region(comment, region.name, name, bytes_, region.access)

    def broken(self) -> Iterator[Diagnostic]:
        """Yield the regions that accesses leave, that leave the memory, and that overlap."""
        for region in self._regions:
            yield from self._outside_memory(region)
        for one, other in sorted(islice(self._overlapping(), _MAX_OVERLAPS)):
            yield from self._overlap(self._regions[one], self._regions[other])
        for accesses in self._accesses().values():
            for access in accesses:
                yield from self._outside(access)

    def _accesses(self) -> Mapping[int, list[AccessSummary]]:
        found: dict[int, list[AccessSummary]] = {}
        for (address, _), access in self._facts.summary.accesses.items():
            if not access.access.space.is_register:
                found.setdefault(address, []).append(access)
        return found

    def _absolute(self, region: _Region) -> range | None:
        if not region.base:
            return region.bytes
        base = self._bases[region.base]
        if not isinstance(base, int):
            return None
        start = base % (1 << 32) * self._unit
        return range(region.bytes.start + start, region.bytes.stop + start)

    def _memory(self) -> AddressSpace | None:
        """The memory that accesses without wrapping are in."""
        spaces = [space for space in self._program.isa.spaces.values() if not space.is_register]
        return spaces[0] if spaces else None

    def _outside_memory(self, region: _Region) -> Iterator[Diagnostic]:
        bytes_, memory = self._absolute(region), self._memory()
        if bytes_ is None or memory is None:
            return
        size = memory.highest(self._unit, mode_of(self._facts.presets)) + self._unit
        if bytes_.start >= 0 and bytes_.stop <= size:
            return
        message = (
            f"a region lies within memory, which ends at {self._end_of(memory)}, "
            f"found `{region.name}` at {self._shown(bytes_)}"
        )
        yield Diagnostic(ASSERTION_FALSE, message, region.comment.span)

    def _overlapping(self) -> Iterator[tuple[int, int]]:
        """Yield the numbers of two regions that may overlap, by addresses or from the same base."""
        groups: dict[str, list[tuple[int, int, int]]] = {}
        for number, region in enumerate(self._regions):
            absolute = self._absolute(region)
            base, bytes_ = (region.base, region.bytes) if absolute is None else ("", absolute)
            groups.setdefault(base, []).append((bytes_.start, number, bytes_.stop))
        for group in groups.values():
            before: list[tuple[int, int]] = []
            for start, number, stop in sorted(group):
                before = [(each, end) for each, end in before if end > start]
                yield from ((min(each, number), max(each, number)) for each, _ in before)
                before.append((number, stop))

    def _overlap(self, one: _Region, other: _Region) -> Iterator[Diagnostic]:
        if one.base == other.base:
            a: range | None = one.bytes
            b: range | None = other.bytes
        else:
            a, b = self._absolute(one), self._absolute(other)
        if a is None or b is None or a.start >= b.stop or b.start >= a.stop:
            return
        both = range(max(a.start, b.start), min(a.stop, b.stop))
        message = (
            f"regions do not overlap, found {len(both):,} bytes of `{other.name}` in `{one.name}`, "
            f"{self._shown(both)}"
        )
        first = RelatedInformation(one.comment.span, f"`{one.name}` is declared here")
        yield Diagnostic(ASSERTION_FALSE, message, other.comment.span, (first,))

    def _outside(self, access: AccessSummary) -> Iterator[Diagnostic]:
        """Yield a finding if an access leaves the regions of its base, or is of another kind."""
        names, kind = self._facts.base_names(access), access.access.kind
        declared = [region for region in self._regions if region.base and region.base in names]
        touched = self._facts.offset_ranges(access)
        if not declared or touched is None or names != [declared[0].base]:
            return
        allowed = [region.bytes for region in declared if region.access in ("", kind)]
        outside = next((rest for each in touched for rest in without(each, allowed)), None)
        if outside is None:
            return
        base, region = declared[0].base, declared[0]
        inside = next((each for each in declared if _touches(each.bytes, outside)), None)
        if inside is not None:
            region = inside
            message = f"`{region.name}` is for {region.access}s, found a {kind} at"
        else:
            names_ = " and ".join(f"`{each.name}`" for each in declared)
            message = f"memory through `{base}` is accessed within {names_} only, found a {kind} at"
        instruction = self._span(access)
        touches = f"this {kind} touches {self._shown(outside)} from `{base}` on"
        shown = f"{base} + {self._numbers(outside)}"
        place = RelatedInformation(instruction, touches)
        yield Diagnostic(ASSERTION_FALSE, f"{message} {shown}", region.comment.span, (place,))

    def _end_of(self, memory: AddressSpace) -> str:
        if not memory.rows:
            return f"{memory.size:#x}"
        return f"row {memory.size // max(memory.rows):#x}"

    def _shown(self, bytes_: range) -> str:
        memory = self._memory()
        what = "rows " if memory is not None and memory.rows else ""
        return f"{what}{self._numbers(bytes_)}"

    def _numbers(self, bytes_: range) -> str:
        """Return a range of addresses: of bytes, or of all rows that have some of the bytes."""
        return f"{bytes_.start // self._unit:#x}..{-(-bytes_.stop // self._unit):#x}"

    def _span(self, access: AccessSummary) -> Span:
        number = self._program.number_at(access.address)
        bundle = self._program.bundles[number]
        return self._program.span(number, bundle.span(access.access.instruction))


def _touches(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop
