"""The state at the previous stop: contents of a location now and then, and what changed."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final, Iterator, Literal

from ipu_asm.debugger.expressions import Context, Location, MachineView, SavedContext, Space
from ipu_asm.debugger.expressions.context import content_at
from ipu_asm.debugger.expressions.machine_view import MAX_ELEMENTS
from ipu_asm.emulator.element_types import MASK, TYPES, ElementType
from ipu_asm.emulator.state import ROW, AnyState, Image, SavedState, changed_rows
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import counted

Content = bytes | bytearray


class StateAtCycle(NamedTuple):
    """A saved state of the machine, after `cycle` bundles."""

    saved: SavedState
    cycle: int


class ByteRange(NamedTuple):
    """Bytes of xmem from `start` up to, not including, `end`."""

    start: int
    end: int


class Comparison:
    """The current state of a machine and its state at the previous stop, None if there was none."""

    def __init__(self, state: AnyState, context: Context, before: StateAtCycle | None) -> None:
        self.context = context
        self.past = SavedContext(before.saved, before.cycle) if before is not None else None
        self._image = before.saved.memory if before is not None else None
        self._xmem = state.xmem
        self._rows: tuple[Image | None, list[int]] = None, []

    @property
    def view(self) -> MachineView:
        return self.context.view

    def current_and_previous(self, location: Location) -> tuple[Content, Content | None]:
        """Return the bytes of a location, and the previous bytes or None if they are equal.

        A bit of a mask takes one byte.
        """
        now = content(self.context, location)
        if self.past is None or not self._may_differ(location):
            return now, None
        old = content(self.past, location)
        return now, old if old != now else None

    def changes(self, location: Location) -> int:
        if not self._may_differ(location):
            return 0
        if location.space is Space.MEMORY and location.kind.size == 1:
            within = ByteRange(location.start, location.start + location.size)
            parts = [
                Location(Space.MEMORY, start, location.kind, end - start)
                for start, end in self.changed_memory(within)
            ]
        else:
            parts = [location]
        return sum(count_changed(location.kind, *self.current_and_previous(part)) for part in parts)

    def changed_memory(self, within: ByteRange) -> Iterator[ByteRange]:
        """Yield the ranges of consecutive changed rows (128 bytes each), clipped to `within`."""
        rows = self._changed_rows()
        number = bisect_left(rows, within.start - ROW + 1)
        while number < len(rows) and rows[number] < within.end:
            start = end = rows[number]
            while number < len(rows) and rows[number] == end:
                number, end = number + 1, end + ROW
            yield ByteRange(max(start, within.start), min(end, within.end))

    def _may_differ(self, location: Location) -> bool:
        if self.past is None:
            return False
        if location.space is not Space.MEMORY:
            return True
        rows = self._changed_rows()
        next_row = bisect_left(rows, location.start - ROW + 1)
        return next_row < len(rows) and rows[next_row] < location.start + location.size

    def _changed_rows(self) -> list[int]:
        """The addresses of changed rows; unwritten memory has the same image object."""
        if self._image is None:
            return []
        image = self._xmem.image()
        if image is not self._rows[0]:
            self._rows = image, changed_rows(self._image, image)
        return self._rows[1]


def content(context: Context, location: Location) -> Content:
    """Return the bytes of a register or memory location; a byte, 0 or 1, for each bit of a mask."""
    if location.space is Space.BITS:
        return _bits(context.block, location.start, location.elements)
    return content_at(context, location)


def count_changed(kind: ElementType, now: Content, old: Content | None) -> int:
    """Return the number of elements that differ; `old` is None if none does."""
    if old is None:
        return 0
    if kind.size not in _WORDS:
        starts = range(0, len(now), kind.size)
        return sum(now[i : i + kind.size] != old[i : i + kind.size] for i in starts)
    differing = int.from_bytes(now, "little") ^ int.from_bytes(old, "little")
    bits = differing.to_bytes(len(now), "little")
    if kind.size == 1:
        return len(bits) - bits.count(0)
    words = memoryview(bits).cast(_WORDS[kind.size]).tolist()
    return len(words) - words.count(0)


# Format characters of `memoryview` for unsigned numbers, by size in bytes.
_WORDS: Final[dict[int, Literal["B", "H", "I"]]] = {1: "B", 2: "H", 4: "I"}


def _bits(block: Content, start: int, count: int) -> bytes:
    first, last = start // 8, (start + count - 1) // 8 + 1
    number = int.from_bytes(block[first:last], "little") >> start % 8
    digits = f"{number & (1 << count) - 1:0{count}b}".encode()
    return bytes(digit & 1 for digit in reversed(digits))


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


def _parts(location: Location) -> list[Location]:
    if location.kind != MASK:
        return [location]
    return [location.part(number, None) for number in range(location.elements)]
