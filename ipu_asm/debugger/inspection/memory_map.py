"""The memory map: ranges of xmem that were loaded, are dumped, or that base registers point to."""

from __future__ import annotations

from itertools import count
from typing import Final, Iterator, Sequence

from ipu_asm.debugger.expressions import Location, Space
from ipu_asm.debugger.expressions.location import MAX_ELEMENTS
from ipu_asm.debugger.inspection.items import ItemFactory
from ipu_asm.debugger.inspection.model import Item
from ipu_asm.debugger.inspection.texts import counter_text
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.emulator.element_types import TYPES
from ipu_asm.emulator.model import MachineModel
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

_BASE: Final = "base"


class MemoryRange(NamedTuple):
    """A named range of xmem, such as the file that was loaded there."""

    name: str
    address: int
    size: int

    @property
    def end(self) -> int:
        """The first address after the range."""
        return self.address + self.size


def base_registers(program: Program, model: MachineModel) -> list[str]:
    """Return the registers used as base addresses by the memory instructions, in order."""
    found = {
        operand.type.format(value)
        for bundle in program.bundles
        for instruction in bundle.instructions
        if instruction.spec is not None
        and MEMORY in (*instruction.spec.reads, *instruction.spec.writes)
        for operand, value in zip(instruction.operands, instruction.values)
        if operand is not None and operand.name == _BASE and isinstance(value, int)
    }
    return sorted(found, key=model.layout.scalar_names.index)


def shown_ranges(
    ranges: Sequence[MemoryRange], taken: Sequence[str], size: int
) -> list[MemoryRange]:
    """Return the ranges clipped to `size` bytes of xmem; a name already in use gets a suffix."""
    names, shown = {MEMORY, *taken}, []
    for range_ in ranges:
        first, end = max(range_.address, 0), min(range_.end, size)
        if first < end:
            name = next(name for name in _names(range_) if name not in names)
            names.add(name)
            shown.append(MemoryRange(name, first, end - first))
    return shown


def memory_items(
    items: ItemFactory, ranges: Sequence[MemoryRange], bases: Sequence[str], notation: str | None
) -> list[Item]:
    """Return the items of all ranges, of the range at each base register, and of all xmem."""
    scalars, model = items.comparison.context.scalars, items.comparison.view.model
    size, names = model.memory_size, model.layout.scalar_names
    unit = items.comparison.view.types.address_unit
    addresses = [unit * scalars[names.index(name)] for name in bases]
    starts = sorted({*addresses, *(range_.address for range_ in ranges), size})
    found = [_range_item(items, range_, notation) for range_ in ranges]
    for name, address in zip(bases, addresses):
        if address < size:
            around = [range_.end for range_ in ranges if range_.address <= address < range_.end]
            end = min(around) if around else starts[starts.index(address) + 1]
            pointed = MemoryRange(name, address, min(end - address, MAX_ELEMENTS))
            start = name if unit == 1 else f"{unit} * {name}"
            item = _range_item(items, pointed, notation, start)
        else:
            shown = counter_text(address, notation)
            item = Item(name, f"{shown} lies outside xmem", kind="virtual")
        found.append(item._replace(value=item.value + items.note(name)))
    return [*found, _range_item(items, MemoryRange(MEMORY, 0, size), notation)]


def _names(range_: MemoryRange) -> Iterator[str]:
    yield range_.name
    yield f"{range_.name} at {range_.address:#x}"
    yield from (f"{range_.name} ({number})" for number in count(2))


def _range_item(
    items: ItemFactory, range_: MemoryRange, notation: str | None, start: str | None = None
) -> Item:
    kind, suffix = items.comparison.view.element, ""
    if range_.size % kind.size:
        kind = TYPES["u8"]
        suffix = f" : {kind.name}"
    count = range_.size // kind.size
    location = Location(Space.MEMORY, range_.address, kind, count)
    if count > MAX_ELEMENTS:
        return items.at(location, range_.name, "", notation)._replace(is_writable=False)
    expression = f"{MEMORY}[{start or hex(range_.address)} .. +{count}{suffix}]"
    return items.at(location, range_.name, expression, notation)
