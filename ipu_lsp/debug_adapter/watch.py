"""What data breakpoints watch, under a name that clients can keep, and what they say when hit."""

from __future__ import annotations

from typing import Callable, Final, NamedTuple

from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.breakpoints import AccessType, Condition, DataBreakpoint, HitCondition
from ipu_asm.debugger.expressions import Place, Space, element_text, region_of, register_place
from ipu_asm.debugger.expressions.element_types import BIT, MASK, TYPES, element_of
from ipu_asm.debugger.inspection.paths import path_of
from ipu_asm.debugger.regions import COUNTER, MEMORY, Region, region, whole
from ipu_asm.emulator.registers import SCALAR_NAMES

_SEPARATOR: Final = ":"


class WatchTarget(NamedTuple):
    """Bytes of the machine; of a mask perhaps only some of their bits, all for None."""

    where: Region
    bits: int | None = None

    @property
    def id(self) -> str:
        """The name for clients; `target_from_id` finds it again, in any session."""
        parts = [self.where.name, f"{self.where.start:#x}", f"{self.where.size}"]
        return _SEPARATOR.join(parts if self.bits is None else [*parts, f"{self.bits:#x}"])

    def name(self, dtype: int) -> str:
        """What a person calls it while `cr15` is `dtype`; an expression, if one can be written."""
        place = self.place(dtype)
        return str(self.where) if place is None else path_of(place, dtype).whole

    def place(self, dtype: int) -> Place | None:
        """Where it lies for expressions; None for a part of a scalar register."""
        name, start, size = self.where
        if name == MEMORY:
            return Place(Space.MEMORY, start, element_of(dtype), _length(size))
        register = register_place(name, dtype)
        assert register is not None
        if name == COUNTER or name in SCALAR_NAMES:
            return register if self.where == whole(name) else None
        if self.bits is not None:
            first = (self.bits & -self.bits).bit_length() - 1
            bit = 8 * (register.start + start) + first
            return Place(Space.BITS, bit, BIT, _length(self.bits.bit_count()))
        kind = register.kind
        if start % kind.size or size % kind.size:
            kind = TYPES["u8"]
        return Place(Space.BLOCK, register.start + start, kind, _length(size // kind.size))


def target_at(place: Place) -> WatchTarget:
    """What lies at a place. Raises ValueError if that is no part of the machine."""
    where = region_of(place)
    if place.space is not Space.BITS:
        return WatchTarget(where)
    return WatchTarget(where, (1 << place.elements) - 1 << place.start % 8)


def target_from_id(id_: str) -> WatchTarget:
    """What an `id` stands for. Raises ValueError for what is none."""
    name, start, size, *rest = id_.split(_SEPARATOR)
    where = region(name, int(start, 0), int(size))
    if not rest:
        return WatchTarget(where)
    (bits,) = (int(each, 0) for each in rest)
    if name != "r_mask" or not 0 < bits < 1 << 8 * where.size:
        raise ValueError("bits are those of a mask")
    return WatchTarget(where, bits)


class Watchpoint(DataBreakpoint):
    """A data breakpoint that tells which element was changed, from what to what, and by whom.

    `dtype` gives what `cr15` holds.
    """

    def __init__(
        self,
        watched: WatchTarget,
        access: AccessType,
        dtype: Callable[[], int],
        condition: Condition | None = None,
        hit_condition: HitCondition | None = None,
    ) -> None:
        super().__init__(watched.where, access, condition, hit_condition)
        self._watched = watched
        self._dtype = dtype

    def touched(self, accesses: Accesses) -> str | None:
        """What the last bundle executed has done, if it was waited for that."""
        if self.access is not AccessType.READ:
            change = accesses.last_change(self.region)
            told = None if change is None else self._told(*change)
            if told is not None:
                code = accesses.has_written(self.region)
                return told if code is None else f"{told} by `{code}`"
        if self.access is not AccessType.WRITE:
            code = accesses.has_read(self.region)
            if code is not None:
                return f"`{self._watched.name(self._dtype())}` was read by `{code}`"
        return None

    def _told(self, before: bytes, after: bytes) -> str | None:
        """What has changed; None if only bits around have."""
        dtype, bits = self._dtype(), self._watched.bits
        place, name = self._watched.place(dtype), self._watched.name(dtype)
        if bits is not None or (place is not None and place.kind == MASK):
            return _changed_bits(name, _number(before), _number(after), bits)
        if place is None:
            return f"`{name}` changed"
        return _changed_elements(place, name, before, after, dtype)


def _changed_bits(name: str, before: int, after: int, wanted: int | None) -> str | None:
    differing = before ^ after
    if wanted is not None:
        differing &= wanted
    if not differing:
        return None
    if wanted is not None and wanted.bit_count() == 1:
        new = int(bool(after & wanted))
        return f"`{name}` changed from {1 - new} to {new}"
    count = differing.bit_count()
    return f"{count} bit{'s' if count > 1 else ''} of `{name}` changed"


def _changed_elements(place: Place, name: str, before: bytes, after: bytes, dtype: int) -> str:
    kind, size = place.kind, place.kind.size
    differing = (_number(before) ^ _number(after)).to_bytes(len(after), "little")
    skipped = len(differing) - len(differing.lstrip(b"\0"))
    starts = range(skipped - skipped % size, len(differing.rstrip(b"\0")), size)
    changed = [at for at in starts if any(differing[at : at + size])]
    within = slice(changed[0], changed[0] + size)
    old, new = (element_text(kind.decode(data[within])[0], kind) for data in (before, after))
    if place.length is None:
        return f"`{name}` changed from {old} to {new}"
    first = path_of(place.part(changed[0] // size, None), dtype).whole
    if len(changed) == 1:
        return f"`{first}` changed from {old} to {new}"
    return f"{len(changed)} elements of `{name}` changed, `{first}` from {old} to {new},"


def _number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _length(count: int) -> int | None:
    return None if count == 1 else count
