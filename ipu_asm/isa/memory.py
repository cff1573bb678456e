"""The memories of the machines that an instruction set is for."""

from __future__ import annotations

from typing import NamedTuple


class MemoryRegion(NamedTuple):
    """Bytes ``first..last`` of a memory.

    Only from a region with `has_code` instructions can be fetched; only in an `interleaved` one
    neighbouring words can be accessed at once.
    """

    first: int
    last: int
    has_code: bool
    interleaved: bool


class Memory(NamedTuple):
    """The memory of one of the machines that an instruction set is for."""

    name: str
    title: str
    regions: tuple[MemoryRegion, ...]

    def region_of(self, address: int) -> MemoryRegion | None:
        """The region in which a byte lies."""
        found = (region for region in self.regions if region.first <= address <= region.last)
        return next(found, None)
