"""Breakpoints, targets of data breakpoints, traps, hit conditions; stops, causes and moves."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from enum import Enum, StrEnum, auto
from operator import eq, ge, gt, le, lt
from typing import Callable, Collection, Final, Mapping

from ipu_asm.debugger.expressions import Location, MachineView, Space, element_text
from ipu_asm.debugger.expressions.machine_view import location_text
from ipu_asm.debugger.regions import MEMORY, Accesses, Region
from ipu_asm.emulator.element_types import BIT, MASK, TYPES
from ipu_asm.emulator.machine import READS, WRITES, WatchedRange
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import Fault, StopReason
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import counted

Condition = Callable[[AnyState], bool]
HitCondition = Callable[[int], bool]
LogText = Callable[[AnyState], str]
_HIT: Final = re.compile(r"(==|>=|<=|>|<|%|)\s*([0-9]+)", re.ASCII)
_COMPARE: Final = {"": eq, "==": eq, ">=": ge, "<=": le, ">": gt, "<": lt}
_MAX_LENGTH: Final = 18


def parse_hit_condition(text: str) -> HitCondition:
    """Parse a condition on the number of hits.

    `5`, `==5`, `>=5`, `>5`, `<5`, `<=5` compare the number of the hit; `%10` is every tenth. Raises
    ValueError for other text.
    """
    match = _HIT.fullmatch(text.strip())
    if match is None or len(match[2]) > _MAX_LENGTH or (match[1] == "%" and not int(match[2])):
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise ValueError(f"a hit condition is like `5`, `>=5` or `%10`, found `{shown}`")
    number = int(match[2])
    if match[1] == "%":
        return lambda hits: hits % number == 0
    compare = _COMPARE[match[1]]
    return lambda hits: bool(compare(hits, number))


class Trap(StrEnum):
    """An event that stops a run without a breakpoint; the values are the names in lower case."""

    BREAK = auto()
    BKPT = auto()
    FAULT = auto()
    NAN = auto()
    OVERFLOW = auto()
    ASSERTION = auto()


DEFAULT_TRAPS: Final[Mapping[Trap, Condition | None]] = {
    Trap.BREAK: None,
    Trap.FAULT: None,
    Trap.ASSERTION: None,
}
"""The traps that are on initially."""


class AccessType(Enum):
    """The kind of access at which a data breakpoint stops; the values are the words of DAP."""

    READ = "read"
    WRITE = "write"
    BOTH = "readWrite"


class HitFilter:
    """Conditions of a breakpoint: one on the state, and one on the number of hits.

    A hit is an arrival at which the condition holds. Hits are counted from the first cycle on,
    independent of moves in between, so that time travel does not change them: `hits` are their
    cycles, complete up to the cycle `counted_until`. With `log` the breakpoint logs a text instead
    of stopping.
    """

    def __init__(
        self,
        condition: Condition | None = None,
        hit_condition: HitCondition | None = None,
        log: LogText | None = None,
    ) -> None:
        self.condition = condition
        self.hit_condition = hit_condition
        self.log = log
        self.hits: array[int] = array("q")
        self.counted_until = -1

    @property
    def only_logs(self) -> bool:
        """Whether it only logs: it neither stops nor counts hits."""
        return self.log is not None and self.hit_condition is None

    def holds(self, state: AnyState) -> bool:
        return self.condition is None or self.condition(state)

    def count(self, cycle: int) -> None:
        is_new = cycle > self.counted_until and (not self.hits or self.hits[-1] < cycle)
        if self.hit_condition is not None and is_new:
            self.hits.append(cycle)

    def hit_condition_holds(self, cycle: int) -> bool:
        """Return whether the number of hits up to a cycle fulfils the hit condition, if any."""
        return self.hit_condition is None or self.hit_condition(bisect_right(self.hits, cycle))

    def drop_hits_after(self, cycle: int) -> None:
        del self.hits[bisect_right(self.hits, cycle) :]
        self.counted_until = min(self.counted_until, cycle)


class Breakpoint(HitFilter):
    """Stops before the bundles at some addresses, which share one count of hits."""

    def __init__(
        self,
        addresses: int | Collection[int],
        condition: Condition | None = None,
        hit_condition: HitCondition | None = None,
        log: LogText | None = None,
    ) -> None:
        super().__init__(condition, hit_condition, log)
        self.addresses = frozenset([addresses] if isinstance(addresses, int) else addresses)


class DataBreakpoint(HitFilter):
    """Stops after a bundle that changes the content of a region, reads it, or either."""

    def __init__(
        self,
        region: Region,
        access: AccessType = AccessType.WRITE,
        condition: Condition | None = None,
        hit_condition: HitCondition | None = None,
        log: LogText | None = None,
    ) -> None:
        super().__init__(condition, hit_condition, log)
        self.region = region
        self.access = access

    def bundles(self, accesses: Accesses) -> frozenset[int]:
        reads, writes = self.access is not AccessType.WRITE, self.access is not AccessType.READ
        return accesses.bundles(self.region.name, reads, writes)

    @property
    def may_read(self) -> bool:
        return self.access is not AccessType.WRITE

    @property
    def watched_range(self) -> WatchedRange:
        kinds = {AccessType.READ: READS, AccessType.WRITE: WRITES, AccessType.BOTH: READS | WRITES}
        start, size = self.region.start, self.region.size
        return WatchedRange(start, start + size, kinds[self.access])

    def access_by_last(self, accesses: Accesses) -> str | None:
        """Describe the access of the last bundle executed; None if there is none of this type."""
        if self.access is not AccessType.READ:
            change = accesses.last_change(self.region)
            if change is not None:
                return f"`{accesses.text(self.region)}` changed{_values(*change)}"
        if self.access is not AccessType.WRITE:
            instruction = accesses.has_read(self.region)
            if instruction is not None:
                return f"`{accesses.text(self.region)}` was read by `{instruction}`"
        return None


def _values(before: bytes, after: bytes) -> str:
    if len(after) > 4:
        return ""
    old, new = (int.from_bytes(content, "little") for content in (before, after))
    return f" from {old:#x} to {new:#x}"


class Direction(Enum):
    """The way in which a move passes through the history.

    RUN goes forwards to the next stop, BACK backwards to the last one, LINE_BACK to the start of
    the source line; JUMP goes to a cycle and ignores breakpoints and traps.
    """

    RUN = "run"
    BACK = "back"
    LINE_BACK = "line back"
    JUMP = "jump"


class ScannedSegment(NamedTuple):
    """A segment of the past that a move backwards has partly re-executed.

    It begins at the cycle `start` and is executed up to the cycle `at`; `found` is the last stop so
    far.
    """

    start: int
    at: int
    found: Stop | None


class ResumePoint(NamedTuple):
    """The rest of a move, to be passed to `Debugger.resume`; it remains valid across pauses.

    RUN and JUMP end at the cycle `until`, with the reason `at_end`; RUN also in front of the
    bundles at `targets`, and it passes breakpoints at the bundles of `passing`. BACK and LINE_BACK
    search the cycles before `until`, beginning with `segment` if a pause has interrupted its
    search.
    """

    until: int
    targets: Collection[int] = ()
    at_end: StopReason = StopReason.CYCLE_LIMIT
    direction: Direction = Direction.RUN
    segment: ScannedSegment | None = None
    passing: Collection[int] = ()


class Stop(NamedTuple):
    """Where and why the debugger stopped: before the bundle at `pc`, at a cycle.

    `cycle` counts the bundles executed. If the machine has halted, `pc` is the bundle that halted
    it. `hits` are the breakpoints that stopped it, `trap` is the trap that gave the reason. A PAUSE
    has the rest of its move as `continuation`. After ENDED only moves backwards have an effect.
    """

    reason: StopReason
    description: str
    cycle: int
    pc: int
    hits: tuple[HitFilter, ...] = ()
    fault: Fault | None = None
    trap: Trap | None = None
    continuation: ResumePoint | None = None


class StopCause(NamedTuple):
    """One of the causes of a stop; `source` is the breakpoint, `trap` the trap, if it is one."""

    reason: StopReason
    description: str
    source: HitFilter | None = None
    trap: Trap | None = None


PAUSED = StopCause(StopReason.PAUSE, "paused")
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
