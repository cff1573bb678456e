"""Textual form of locations: item names, and expressions that evaluate to a location."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from ipu_asm.debugger.expressions import Location, Space, register_location
from ipu_asm.debugger.expressions.element_types import MASK, TYPES, element_of
from ipu_asm.isa.ipu.machine.registers import SCALAR_NAMES

VECTORS: Final = ("r0", "r1", "mem_bypass", "r_cyclic", "mult_res", "r_acc")
"""The vector registers of elements and words, in display order."""
RESULT: Final = "aaq_result"
MASKS: Final = "mask"
_MEMORY: Final = "xmem"


class LocationText(NamedTuple):
    """The textual form of a location; its elements are `base[first]`, `base[first + step]`, ...

    `step` is in bytes for memory. `suffix` is the type within the brackets.
    """

    whole: str
    base: str = ""
    first: int = 0
    step: int = 1
    suffix: str = ""

    def element(self, number: int) -> str:
        """Return the expression of one element."""
        return f"{self.base}[{self._at(number)}{self.suffix}]"

    def elements(self, start: int, stop: int) -> list[tuple[str, str]]:
        """Return name and expression of the elements `start` up to, not including, `stop`."""
        base, suffix = self.base, self.suffix
        indices = map(self._at, range(start, stop))
        return [(f"[{at}]", f"{base}[{at}{suffix}]") for at in indices]

    def part(self, number: int, count: int) -> str:
        """Return the expression of `count` elements."""
        return f"{self.base}[{self._from(number, count)}{self.suffix}]"

    def part_name(self, number: int, count: int) -> str:
        """Return the item name of `count` elements."""
        return f"[{self._from(number, count)}]"

    def number(self, position: int) -> int:
        """Return the index of the element at a position as written in the brackets."""
        return (position - self.first) // self.step

    def _at(self, number: int) -> str:
        position = self.first + number * self.step
        return f"{position:#x}" if self.base == _MEMORY else str(position)

    def _from(self, number: int, count: int) -> str:
        if self.base == _MEMORY:
            return f"{self._at(number)} .. +{count}"
        return f"{self._at(number)}..{self.first + number + count - 1}"


def location_text(location: Location, dtype: int) -> LocationText:
    """Return the textual form of a location; `dtype` is the value of `cr15`."""
    if location.space in (Space.PC, Space.CYCLE):
        return LocationText(location.space.value)
    if location.space is Space.SCALARS:
        name = SCALAR_NAMES[location.start]
        return LocationText(
            name if location.kind == TYPES["i32"] else f"{location.kind.name}({name})"
        )
    if location.space is Space.MEMORY:
        suffix = "" if location.kind == element_of(dtype) else f" : {location.kind.name}"
        return _with_whole(
            LocationText("", _MEMORY, location.start, location.kind.size, suffix), location
        )
    if location.space is Space.BITS:
        mask, bit = divmod(location.start - 8 * register_named(MASKS, dtype).start, MASK.bits)
        return _with_whole(LocationText("", f"{MASKS}[{mask}]", bit), location)
    return _text_in_block(location, dtype)


@lru_cache(maxsize=256)
def register_named(name: str, dtype: int) -> Location:
    """Return the location of an existing register."""
    location = register_location(name, dtype)
    assert location is not None
    return location


def _text_in_block(location: Location, dtype: int) -> LocationText:
    name = next(name for start, name in _STARTS if start <= location.start)
    register = register_named(name, dtype)
    offset, size = location.start - register.start, location.kind.size
    if offset % size:
        # The elements are not aligned with those of the register: slice its bytes first.
        cut = f"{name}[{offset}..{offset + location.size - 1} : u8]"
        return _with_whole(LocationText("", f"{location.kind.name}({cut})"), location)
    default = location.kind == register.kind
    suffix = "" if default else f" : {location.kind.name}"
    text = LocationText("", name, offset // size, 1, suffix)
    if location.length is not None and location.size == register.size:
        return text._replace(whole=name if default else f"{location.kind.name}({name})")
    return _with_whole(text, location)


def _with_whole(text: LocationText, location: Location) -> LocationText:
    if location.length is None:
        return text._replace(whole=text.element(0))
    # A location sliced by bytes is the whole of `base`.
    is_cut = text.base.endswith(")")
    return text._replace(whole=text.base if is_cut else text.part(0, location.length))


_STARTS: Final = sorted(
    ((register_named(name, 0).start, name) for name in (*VECTORS, MASKS, RESULT)), reverse=True
)
"""Start offsets of the vector registers in their block, in descending order."""
