"""Registers and memory of a machine as expressions see them: names, types, locations, texts."""

from __future__ import annotations

import math
from enum import Enum
from functools import cached_property, lru_cache
from typing import Final

from ipu_asm.debugger.regions import COUNTER, MEMORY, Region, region_map
from ipu_asm.emulator.element_types import (
    BIT,
    FP8,
    MASK,
    TYPE_ALIASES,
    TYPES,
    ElementType,
    RegisterTypes,
)
from ipu_asm.emulator.model import MachineModel
from ipu_asm.expressions import Number
from ipu_asm.named_tuple import NamedTuple

MAX_ELEMENTS: Final = 65_536
"""Limit on the number of elements of a slice."""


class Space(Enum):
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
        return 1 if self.length is None else self.length

    @property
    def size(self) -> int:
        """Size in bytes; within a mask (`Space.BITS`) in bits."""
        return self.elements * self.kind.size

    def part(self, first: int, count: int | None) -> Location:
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


CYCLE: Final = "cycle"
LABEL: Final = "label"
_VALUES: Final[dict[str, Number]] = {"true": True, "false": False, "nan": math.nan, "inf": math.inf}


class MachineNames:
    """The names that expressions have for parts of one machine, in lower case.

    `registers` are all names of registers; `constants` have values; `types` are names of types and
    `aliases` those among them that mean another one.
    """

    def __init__(self, model: MachineModel) -> None:
        self.model = model
        layout, further = model.layout, model.register_aliases
        vectors = list(layout.vector_places)
        targets = set(further.values())
        first = next((i for i, name in enumerate(vectors) if name in targets), len(vectors))
        short = [name for name, register in further.items() if register in vectors]
        scalars = [name for name in further if name not in short]
        self.registers = (
            *layout.scalar_names, *layout.groups, *vectors[:first], *short, *vectors[first:],
            COUNTER, CYCLE, *scalars,
        )  # fmt: skip
        self.known_registers = frozenset(self.registers)
        self.constants: dict[str, Number] = {**_VALUES, **model.constants}
        self.aliases = {**TYPE_ALIASES, **model.type_aliases}
        self.formats = {name: kind for name, kind in model.element_types.items() if kind.format}
        self.plain_types = (*model.element_types, *((FP8,) if self.formats else ()))
        self.types = (*self.plain_types, *self.aliases)

    @cached_property
    def long_types(self) -> dict[str, str]:
        return {name: name for name in self.model.element_types} | {
            short: long for long, short in self.aliases.items()
        }


class MachineView:
    """A machine in one mode: where registers are, and the types of their elements.

    Expressions read `element` from memory by default.
    """

    def __init__(self, model: MachineModel, types: RegisterTypes) -> None:
        self.model = model
        self.types = types
        self.names = names_of(model)
        self.regions = region_map(model.layout, model.memory_size)
        self._locations: dict[str, Location | None] = {}

    @property
    def element(self) -> ElementType:
        return self.types.element

    def location(self, name: str) -> Location | None:
        """Return the location of a register, by any of its names in any case, or None."""
        name = name.lower()
        if name not in self.names.known_registers:
            return None
        if name not in self._locations:
            self._locations[name] = self._find(name)
        return self._locations[name]

    def existing(self, name: str) -> Location:
        found = self.location(name)
        assert found is not None
        return found

    def _find(self, name: str) -> Location | None:
        if name in (COUNTER, CYCLE):
            return Location(Space.PC if name == COUNTER else Space.CYCLE, 0, TYPES["u32"])
        name = self.model.register_aliases.get(name, name)
        layout = self.model.layout
        group = layout.group_places.get(name)
        if group is not None:
            count = group.stop - group.start
            return Location(Space.SCALARS, group.start, TYPES["i32"], count)
        place = layout.places[name]
        if isinstance(place, int):
            return Location(Space.SCALARS, place, TYPES["i32"])
        kind = self.types.vectors[name]
        count = (place.stop - place.start) // kind.size
        return Location(Space.BLOCK, place.start, kind, count)

    def type_named(self, name: str) -> ElementType | None:
        """Return the type of a name, or None.

        `fp8` is the type of elements, or else the first 8-bit float of the machine.
        """
        if name == FP8 and self.names.formats:
            is_fp8 = self.element.format is not None
            return self.element if is_fp8 else next(iter(self.names.formats.values()))
        return self.model.element_types.get(self.names.aliases.get(name, name))

    def memory_location(
        self, address: int, kind: ElementType, count: int | None
    ) -> Location | None:
        """Return a location in xmem; None if it exceeds xmem."""
        location = Location(Space.MEMORY, address, kind, count)
        fits = address >= 0 and address + location.size <= self.model.memory_size
        return location if fits else None

    def region_of(self, location: Location) -> Region:
        """Return the bytes of a location as a region, for data breakpoints, edits and queries.

        Bits of a mask are widened to whole bytes. Raises ValueError for `cycle`, which is not
        stored.
        """
        regions = self.regions
        if location.space is Space.CYCLE:
            raise ValueError("`cycle` counts the bundles and is not stored in the machine")
        if location.space is Space.PC:
            return regions.whole(COUNTER)
        if location.space is Space.SCALARS:
            return regions.whole(self.scalar_name(location))
        if location.space is Space.MEMORY:
            return regions.region(MEMORY, location.start, location.size)
        first, last = location.start, location.start + location.size - 1
        if location.space is Space.BITS:
            first, last = first // 8, last // 8
        name = self.vector_at(first, last)
        start = self.model.layout.vector_places[name].start
        return regions.region(name, first - start, last - first + 1)

    def scalar_name(self, location: Location) -> str:
        layout = self.model.layout
        if location.length is not None:
            wanted = slice(location.start, location.start + location.length)
            for name, place in layout.group_places.items():
                if place == wanted:
                    return name
        return layout.scalar_names[location.start]

    def vector_at(self, first: int, last: int) -> str:
        """Return the smallest vector register that has a range of bytes of the block."""
        places = self.model.layout.vector_places
        around = [name for name, at in places.items() if at.start <= first and last < at.stop]
        return min(around, key=lambda name: places[name].stop - places[name].start)

    @cached_property
    def masks(self) -> tuple[str, ...]:
        """The names of the masks, such as `mask[0]`; empty for a machine without masks."""
        for name, kind in self.types.vectors.items():
            if kind == MASK:
                shown, count = self.shown_name(name), self.existing(name).elements
                return tuple(f"{shown}[{number}]" for number in range(count))
        return ()

    def shown_name(self, vector: str) -> str:
        """Return the name by which views show a vector register: masks have their short one."""
        if self.types.vectors[vector] != MASK:
            return vector
        further = self.model.register_aliases.items()
        return next((short for short, name in further if name == vector), vector)


@lru_cache(maxsize=16)
def names_of(model: MachineModel) -> MachineNames:
    return MachineNames(model)


@lru_cache(maxsize=64)
def view_of(model: MachineModel, types: RegisterTypes) -> MachineView:
    return MachineView(model, types)


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
        return f"{self.base}[{self._at(number)}{self.suffix}]"

    def elements(self, start: int, stop: int) -> list[tuple[str, str]]:
        base, suffix = self.base, self.suffix
        indices = map(self._at, range(start, stop))
        return [(f"[{at}]", f"{base}[{at}{suffix}]") for at in indices]

    def part(self, number: int, count: int) -> str:
        return f"{self.base}[{self._from(number, count)}{self.suffix}]"

    def part_name(self, number: int, count: int) -> str:
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
        first = location.start // 8
        register = view.existing(view.vector_at(first, first))
        mask, bit = divmod(location.start - 8 * register.start, MASK.bits)
        return _with_whole(LocationText("", view.masks[mask], bit), location)
    return _text_in_block(location, view)


def _text_of_scalars(location: Location, view: MachineView) -> LocationText:
    name = view.scalar_name(location)
    whole = name if location.kind == TYPES["i32"] else f"{location.kind.name}({name})"
    return LocationText(whole) if location.length is None else LocationText(whole, whole)


def _text_in_block(location: Location, view: MachineView) -> LocationText:
    vector = view.vector_at(location.start, location.start + location.size - 1)
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
