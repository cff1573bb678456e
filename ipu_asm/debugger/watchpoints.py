"""Targets of data breakpoints: IDs, names, and descriptions of hits."""

from __future__ import annotations

from typing import Callable, Final

from ipu_asm.debugger.breakpoints import AccessType, Condition, DataBreakpoint, HitCondition
from ipu_asm.debugger.expressions import Location, MachineView, Space, element_text
from ipu_asm.debugger.expressions.machine_view import location_text
from ipu_asm.debugger.regions import MEMORY, Accesses, Region
from ipu_asm.emulator.element_types import BIT, MASK, TYPES
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import counted

_SEPARATOR: Final = ":"


class WatchTarget(NamedTuple):
    """A range of bytes of the machine, or the bits of a mask in `bits`; None for all bits."""

    region: Region
    bits: int | None = None

    @property
    def id(self) -> str:
        """An ID for clients, valid in any session: `target_from_id` is the inverse."""
        parts = [self.region.name, f"{self.region.start:#x}", f"{self.region.size}"]
        return _SEPARATOR.join(parts if self.bits is None else [*parts, f"{self.bits:#x}"])

    def name(self, view: MachineView) -> str:
        location = self.location(view)
        if location is None:
            return view.regions.text(self.region)
        return location_text(location, view).whole

    def location(self, view: MachineView) -> Location | None:
        """Return the location for expressions; None for a part of a scalar register."""
        name, start, size = self.region
        if name == MEMORY:
            kind = view.element if size % view.element.size == 0 else TYPES["u8"]
            return Location(Space.MEMORY, start, kind, _length(size // kind.size))
        register = view.existing(name)
        if register.space is not Space.BLOCK:
            return register if self.region == view.regions.whole(name) else None
        if self.bits is not None:
            first = (self.bits & -self.bits).bit_length() - 1
            bit = 8 * (register.start + start) + first
            return Location(Space.BITS, bit, BIT, _length(self.bits.bit_count()))
        kind = register.kind
        if start % kind.size or size % kind.size:
            kind = TYPES["u8"]
        return Location(Space.BLOCK, register.start + start, kind, _length(size // kind.size))


def target_at(view: MachineView, location: Location) -> WatchTarget:
    """Return the target at a location. Raises `ValueError` for a computed value."""
    where = view.region_of(location)
    if location.space is not Space.BITS:
        return WatchTarget(where)
    return WatchTarget(where, (1 << location.elements) - 1 << location.start % 8)


def target_from_id(view: MachineView, id_: str) -> WatchTarget:
    """Return the target of an ID. Raises `ValueError` if it is invalid."""
    name, start, size, *rest = id_.split(_SEPARATOR)
    where = view.regions.region(name, int(start, 0), int(size))
    if not rest:
        return WatchTarget(where)
    (bits,) = (int(each, 0) for each in rest)
    if view.types.vectors.get(name) != MASK or not 0 < bits < 1 << 8 * where.size:
        raise ValueError("only a mask has bits")
    return WatchTarget(where, bits)


class Watchpoint(DataBreakpoint):
    """A data breakpoint whose message names the changed element, the values, and the instruction.

    `view` returns the machine in its present mode.
    """

    def __init__(
        self,
        watched: WatchTarget,
        access: AccessType,
        view: Callable[[], MachineView],
        condition: Condition | None = None,
        hit_condition: HitCondition | None = None,
    ) -> None:
        super().__init__(watched.region, access, condition, hit_condition)
        self._watched = watched
        self._view = view

    def access_by_last(self, accesses: Accesses) -> str | None:
        """Return a message if the last executed bundle hit the breakpoint, else None."""
        if self.access is not AccessType.READ:
            change = accesses.last_change(self.region)
            message = None if change is None else self._describe_change(*change)
            if message is not None:
                code = accesses.has_written(self.region)
                return message if code is None else f"{message} by `{code}`"
        if self.access is not AccessType.WRITE:
            code = accesses.has_read(self.region)
            if code is not None:
                return f"`{self._watched.name(self._view())}` was read by `{code}`"
        return None

    def _describe_change(self, before: bytes, after: bytes) -> str | None:
        """Describe the change; None if only bits outside of the target changed."""
        view, bits = self._view(), self._watched.bits
        location, name = self._watched.location(view), self._watched.name(view)
        if bits is not None or (location is not None and location.kind == MASK):
            return _changed_bits(name, _number(before), _number(after), bits)
        if location is None:
            return f"`{name}` changed"
        return _changed_elements(location, name, before, after, view)


def _changed_bits(name: str, before: int, after: int, wanted: int | None) -> str | None:
    differing = before ^ after
    if wanted is not None:
        differing &= wanted
    if not differing:
        return None
    if wanted is not None and wanted.bit_count() == 1:
        new = int(bool(after & wanted))
        return f"`{name}` changed from {1 - new} to {new}"
    return f"{counted(differing.bit_count(), 'bit')} of `{name}` changed"


def _changed_elements(
    location: Location, name: str, before: bytes, after: bytes, view: MachineView
) -> str:
    kind, size = location.kind, location.kind.size
    differing = (_number(before) ^ _number(after)).to_bytes(len(after), "little")
    skipped = len(differing) - len(differing.lstrip(b"\0"))
    starts = range(skipped - skipped % size, len(differing.rstrip(b"\0")), size)
    changed = [at for at in starts if any(differing[at : at + size])]
    within = slice(changed[0], changed[0] + size)
    old, new = (element_text(kind.decode(data[within])[0], kind) for data in (before, after))
    if location.length is None:
        return f"`{name}` changed from {old} to {new}"
    first = location_text(location.part(changed[0] // size, None), view).whole
    if len(changed) == 1:
        return f"`{first}` changed from {old} to {new}"
    return f"{len(changed)} elements of `{name}` changed, `{first}` from {old} to {new},"


def _number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _length(count: int) -> int | None:
    return None if count == 1 else count
