"""Textual form of locations: item names, and expressions that evaluate to a location."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from ipu_asm.debugger.expressions import Place, Space, register_place
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
        places = map(self._at, range(start, stop))
        return [(f"[{at}]", f"{base}[{at}{suffix}]") for at in places]

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


def location_text(place: Place, dtype: int) -> LocationText:
    """Return the textual form of a location; `dtype` is the value of `cr15`."""
    if place.space in (Space.PC, Space.CYCLE):
        return LocationText(place.space.value)
    if place.space is Space.SCALARS:
        name = SCALAR_NAMES[place.start]
        return LocationText(name if place.kind == TYPES["i32"] else f"{place.kind.name}({name})")
    if place.space is Space.MEMORY:
        suffix = "" if place.kind == element_of(dtype) else f" : {place.kind.name}"
        return _with_whole(LocationText("", _MEMORY, place.start, place.kind.size, suffix), place)
    if place.space is Space.BITS:
        mask, bit = divmod(place.start - 8 * register_named(MASKS, dtype).start, MASK.bits)
        return _with_whole(LocationText("", f"{MASKS}[{mask}]", bit), place)
    return _text_in_block(place, dtype)


@lru_cache(maxsize=256)
def register_named(name: str, dtype: int) -> Place:
    """Return the location of an existing register."""
    place = register_place(name, dtype)
    assert place is not None
    return place


def _text_in_block(place: Place, dtype: int) -> LocationText:
    name = next(name for start, name in _STARTS if start <= place.start)
    register = register_named(name, dtype)
    offset, size = place.start - register.start, place.kind.size
    if offset % size:
        # The elements are not aligned with those of the register: slice its bytes first.
        cut = f"{name}[{offset}..{offset + place.size - 1} : u8]"
        return _with_whole(LocationText("", f"{place.kind.name}({cut})"), place)
    default = place.kind == register.kind
    suffix = "" if default else f" : {place.kind.name}"
    text = LocationText("", name, offset // size, 1, suffix)
    if place.length is not None and place.size == register.size:
        return text._replace(whole=name if default else f"{place.kind.name}({name})")
    return _with_whole(text, place)


def _with_whole(text: LocationText, place: Place) -> LocationText:
    if place.length is None:
        return text._replace(whole=text.element(0))
    # A location sliced by bytes is the whole of `base`.
    is_cut = text.base.endswith(")")
    return text._replace(whole=text.base if is_cut else text.part(0, place.length))


_STARTS: Final = sorted(
    ((register_named(name, 0).start, name) for name in (*VECTORS, MASKS, RESULT)), reverse=True
)
"""Start offsets of the vector registers in their block, in descending order."""
