"""Typed locations of values in the state of a machine."""

from __future__ import annotations

from enum import Enum
from typing import Final

from ipu_asm.emulator.element_types import BIT, MASK, ElementType
from ipu_asm.named_tuple import NamedTuple

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
        step = 1 if self.space is Space.SCALARS else self.kind.size
        return self._replace(start=self.start + first * step, length=count)

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
