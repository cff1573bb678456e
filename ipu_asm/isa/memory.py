"""Memory maps of the machines that execute an instruction set."""

from __future__ import annotations

from typing import NamedTuple


class MemoryRegion(NamedTuple):
    """Bytes ``first..last`` of a memory, both included.

    Instructions can only be fetched from a region with `has_code`. Neighbouring words can only be
    accessed in the same cycle in an `interleaved` region.
    """

    first: int
    last: int
    has_code: bool
    interleaved: bool


class Memory(NamedTuple):
    """The memory map of one of the machines that execute an instruction set."""

    name: str
    title: str
    regions: tuple[MemoryRegion, ...]

    def region_of(self, address: int) -> MemoryRegion | None:
        """Return the region that contains an address, None if there is none."""
        found = (region for region in self.regions if region.first <= address <= region.last)
        return next(found, None)
