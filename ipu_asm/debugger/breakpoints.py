"""Breakpoints, data breakpoints, traps and hit conditions; stops, their causes, and moves."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from enum import Enum, StrEnum, auto
from operator import eq, ge, gt, le, lt
from typing import Callable, Collection, Final, Mapping

from ipu_asm.debugger.regions import Accesses, Region
from ipu_asm.emulator.faults import Fault
from ipu_asm.emulator.machine import READS, WRITES, WatchedRange
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import StopReason
from ipu_asm.named_tuple import NamedTuple

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
