"""Registers and memory ranges that differ from the previous stop, as items."""

from __future__ import annotations

from typing import Final, Iterator

from ipu_asm.debugger.expressions import Location, Space
from ipu_asm.debugger.expressions.location import MAX_ELEMENTS
from ipu_asm.debugger.inspection.comparison import ByteRange, Comparison
from ipu_asm.debugger.inspection.items import ItemFactory
from ipu_asm.debugger.inspection.location_text import location_text
from ipu_asm.debugger.inspection.model import Item
from ipu_asm.emulator.element_types import MASK, TYPES
from ipu_asm.text import counted

MAX_RANGES: Final = 256
"""Limit on the changed memory ranges that are listed."""


def changed_registers(comparison: Comparison) -> list[Location]:
    """Return the registers that changed, masks one by one, without `pc` and `cycle`."""
    if comparison.past is None:
        return []
    view, now, old = comparison.view, comparison.context, comparison.past
    scalars = zip(view.model.layout.scalar_names, now.scalars, old.scalars)
    names = [name for name, word, before in scalars if word != before]
    if now.block != old.block:
        names += view.model.vectors_shown
    locations = [view.existing(name) for name in names]
    return [
        part
        for location in locations
        for part in _parts(location)
        if comparison.current_and_previous(part)[1] is not None
    ]


def changed_ranges(comparison: Comparison) -> Iterator[Location]:
    """Yield the memory ranges that changed, trimmed to the first and last changed byte."""
    element = comparison.view.element
    kind = element if element.size == 1 else TYPES["u8"]
    for start, end in comparison.changed_memory(ByteRange(0, comparison.view.model.memory_size)):
        for first in range(start, end, MAX_ELEMENTS):
            location = Location(Space.MEMORY, first, kind, min(end - first, MAX_ELEMENTS))
            now, old = comparison.current_and_previous(location)
            if old is not None:
                differing = int.from_bytes(now, "big") ^ int.from_bytes(old, "big")
                bits = differing.to_bytes(len(now), "big")
                skipped = len(bits) - len(bits.lstrip(b"\0"))
                yield location.part(skipped, len(bits.strip(b"\0")))


def changes_text(comparison: Comparison) -> tuple[str, int]:
    """Return a summary of the changes, and the number of items in `change_items`."""
    if comparison.past is None:
        return "no stop before this one", 0
    registers, ranges = len(changed_registers(comparison)), len(list(changed_ranges(comparison)))
    parts = []
    if registers:
        parts.append(counted(registers, "register"))
    if ranges:
        parts.append(f"{counted(ranges, 'range')} of xmem")
    return ", ".join(parts) or "nothing", registers + min(ranges, MAX_RANGES + 1)


def change_items(items: ItemFactory, notation: str | None) -> list[Item]:
    """Return an item for each register and each memory range that changed."""
    comparison = items.comparison
    found = []
    for location in changed_registers(comparison):
        name = location_text(location, comparison.view).whole
        found.append(items.at(location, name, name, notation))
    ranges = list(changed_ranges(comparison))
    for location in ranges[:MAX_RANGES]:
        name = location_text(location, comparison.view).whole
        found.append(items.at(location, name, name, notation))
    if len(ranges) > MAX_RANGES:
        more = len(ranges) - MAX_RANGES
        found.append(Item("…", f"{more} more ranges of xmem", kind="virtual"))
    return found


def _parts(location: Location) -> list[Location]:
    """The register itself, or each mask of the mask register."""
    if location.kind != MASK:
        return [location]
    return [location.part(number, None) for number in range(location.elements)]
