"""Textual form of locations: item names, and expressions that evaluate to a location."""

from __future__ import annotations

from ipu_asm.debugger.expressions import Location, MachineView, Space
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.emulator.element_types import MASK, TYPES
from ipu_asm.named_tuple import NamedTuple


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
        return f"{position:#x}" if self.base == MEMORY else str(position)

    def _from(self, number: int, count: int) -> str:
        if self.base == MEMORY:
            return f"{self._at(number)} .. +{count}"
        return f"{self._at(number)}..{self.first + number + count - 1}"


def location_text(location: Location, view: MachineView) -> LocationText:
    """Return the textual form of a location of a machine."""
    if location.space in (Space.PC, Space.CYCLE):
        return LocationText(location.space.value)
    if location.space is Space.SCALARS:
        return _text_of_scalars(location, view)
    if location.space is Space.MEMORY:
        suffix = "" if location.kind == view.element else f" : {location.kind.name}"
        return _with_whole(
            LocationText("", MEMORY, location.start, location.kind.size, suffix), location
        )
    if location.space is Space.BITS:
        register = view.existing(view.vector_at(location.start // 8))
        mask, bit = divmod(location.start - 8 * register.start, MASK.bits)
        return _with_whole(LocationText("", view.masks[mask], bit), location)
    return _text_in_block(location, view)


def _text_of_scalars(location: Location, view: MachineView) -> LocationText:
    name = view.scalar_name(location)
    whole = name if location.kind == TYPES["i32"] else f"{location.kind.name}({name})"
    return LocationText(whole) if location.length is None else LocationText(whole, whole)


def _text_in_block(location: Location, view: MachineView) -> LocationText:
    vector = view.vector_at(location.start)
    name, register = view.shown_name(vector), view.existing(vector)
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
