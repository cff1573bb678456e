"""Locations of values: registers, elements of vectors, bits of masks, ranges of xmem."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from ipu_asm.debugger import regions
from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.element_types import (
    BIT,
    MASK,
    TYPES,
    ElementType,
    element_of,
    word_of,
)
from ipu_asm.debugger.expressions.values import Value
from ipu_asm.isa.ipu.machine.registers import DTYPE, PLACES, SCALAR_NAMES, VECTORS
from ipu_asm.isa.ipu.registers import XMEM_SIZE

MAX_ELEMENTS: Final = 65_536
"""Limit on the number of elements of a slice."""


class Space(Enum):
    """The part of the machine's state that a location is in."""

    SCALARS = "scalars"
    BLOCK = "block"
    BITS = "bits"
    MEMORY = "memory"
    PC = "pc"
    CYCLE = "cycle"


class Location(NamedTuple):
    """A typed location of consecutive elements; `length` is None for a single value.

    `start` is the index of a scalar register, a byte offset in the block of vector registers, a
    byte address in xmem, or a bit offset in the block of vector registers.
    """

    space: Space
    start: int
    kind: ElementType
    length: int | None = None

    @property
    def elements(self) -> int:
        """Number of elements."""
        return 1 if self.length is None else self.length

    @property
    def size(self) -> int:
        """Size in bytes; within a mask (`Space.BITS`) in bits."""
        return self.elements * self.kind.size

    def part(self, first: int, count: int | None) -> Location:
        """Return `count` elements from `first` on, None for a single one; they must exist."""
        return self._replace(start=self.start + first * self.kind.size, length=count)

    def bits(self) -> Location | None:
        """Return the location of the 128 bits of a single mask; None for another location."""
        if self.kind != MASK or self.length is not None:
            return None
        return Location(Space.BITS, 8 * self.start, BIT, MASK.bits)

    @property
    def has_bytes(self) -> bool:
        """Whether the location can be read as another type."""
        return self.space in (Space.SCALARS, Space.BLOCK, Space.MEMORY)

    def reinterpreted(self, kind: ElementType) -> Location | None:
        """Return the same bytes as elements of another type; None if that is impossible.

        Impossible are `pc`, `cycle` and bits of a mask, a size that is no multiple of the type's,
        and for a scalar register any size but its own.
        """
        if kind == self.kind:
            return self
        if not self.has_bytes or self.size % kind.size:
            return None
        count = self.size // kind.size
        if self.space is Space.SCALARS and kind.size != self.kind.size:
            return None
        single = self.length is None and count == 1
        return self._replace(kind=kind, length=None if single else count)


@lru_cache(maxsize=256)
def register_location(name: str, dtype: int) -> Location | None:
    """Return the location of a register, by any of its names in any case, or None."""
    name = name.lower()
    if name in SCALAR_NAMES:
        return Location(Space.SCALARS, SCALAR_NAMES.index(name), TYPES["i32"])
    if name == "dtype":
        return Location(Space.SCALARS, DTYPE, TYPES["i32"])
    if name in ("pc", "cycle"):
        return Location(Space.PC if name == "pc" else Space.CYCLE, 0, TYPES["u32"])
    name = REGISTER_ALIASES.get(name, name)
    if name in PLACES:
        part = PLACES[name]
        assert isinstance(part, slice)
        start, size = part.start, part.stop - part.start
    elif name in _WHOLE:
        start, size = VECTORS[name].start, VECTORS[name].size
    else:
        return None
    kind = _kind_of(name, dtype)
    return Location(Space.BLOCK, start, kind, size // kind.size)


REGISTER_ALIASES: Final = {"cyclic": "r_cyclic", "mask": "r_mask", "acc": "r_acc"}
_WHOLE: Final = ("r_cyclic", "r_mask", "r_acc", "mult_res", "aaq_result")
REGISTER_NAMES: Final = (
    *SCALAR_NAMES, "r0", "r1", "mem_bypass", *REGISTER_ALIASES, *_WHOLE, "pc", "cycle", "dtype",
)  # fmt: skip


def _kind_of(name: str, dtype: int) -> ElementType:
    if name == "r_mask":
        return MASK
    if name in ("r_acc", "mult_res"):
        return word_of(dtype)
    return TYPES["i8"] if name == "aaq_result" else element_of(dtype)


def memory_location(address: int, kind: ElementType, count: int | None) -> Location | None:
    """Return a location in xmem; None if it exceeds xmem."""
    location = Location(Space.MEMORY, address, kind, count)
    return location if address >= 0 and address + location.size <= XMEM_SIZE else None


def region_of(location: Location) -> regions.Region:
    """Return the bytes of a location as a region, for data breakpoints, edits and history queries.

    Bits of a mask are widened to whole bytes. Raises ValueError for `cycle`, which is not stored.
    """
    if location.space is Space.CYCLE:
        raise ValueError("a region is a register or a part of xmem, found `cycle`")
    if location.space is Space.PC:
        return regions.whole_region(regions.COUNTER)
    if location.space is Space.SCALARS:
        return regions.whole_region(SCALAR_NAMES[location.start])
    if location.space is Space.MEMORY:
        return regions.region(regions.MEMORY, location.start, location.size)
    first, last = location.start, location.start + location.size - 1
    if location.space is Space.BITS:
        first, last = first // 8, last // 8
    start, name = max(vector for vector in _VECTORS_FROM if vector[0] <= first)
    return regions.region(name, first - start, last - first + 1)


_VECTORS_FROM: Final = sorted(
    (found.start, name)
    for name in set(regions.SIZES) - {regions.MEMORY, regions.COUNTER}
    if isinstance(found := regions.register_place(name), slice)
)


def read(context: Context, location: Location) -> Value:
    """Read the value at a location."""
    if location.space is Space.BITS:
        first = location.start // 8
        data = context.block[first : (location.start + location.elements - 1) // 8 + 1]
        bits = int.from_bytes(data, "little") >> location.start % 8
        numbers: tuple[int | float, ...] = tuple(bits >> i & 1 for i in range(location.elements))
    elif location.space in (Space.PC, Space.CYCLE):
        numbers = (context.pc if location.space is Space.PC else context.cycle,)
    else:
        numbers = location.kind.decode(_content(context, location))
    raw_bits = None
    if location.kind.is_float:
        raw_bits = location.kind.unsigned().decode(_content(context, location))
    return Value(numbers, location.kind, location.length is not None, raw_bits)


def _content(context: Context, location: Location) -> bytes | bytearray:
    if location.space is Space.SCALARS:
        return context.scalars[location.start].to_bytes(4, "little")
    if location.space is Space.MEMORY:
        return context.read_memory(location.start, location.size)
    return context.block[location.start : location.start + location.size]
