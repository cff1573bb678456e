"""Breakpoints at bundles, data breakpoints on registers and memory, traps, and the set of all."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from enum import Enum, StrEnum, auto
from operator import eq, ge, gt, le, lt
from typing import Callable, Final, Mapping, Sequence

from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.regions import Region
from ipu_asm.emulator.state import IpuState

Condition = Callable[[IpuState], bool]
HitCondition = Callable[[int], bool]
LogText = Callable[[IpuState], str]

_HIT: Final = re.compile(r"(==|>=|<=|>|<|%|)\s*([0-9]+)", re.ASCII)
_COMPARE: Final = {"": eq, "==": eq, ">=": ge, "<=": le, ">": gt, "<": lt}
_LONGEST: Final = 18


def parse_hit_condition(text: str) -> HitCondition:
    """`5`, `==5`, `>=5`, `>5`, `<5`, `<=5` compare the number of the hit; `%10` is every tenth.

    Raises ValueError for anything else.
    """
    match = _HIT.fullmatch(text.strip())
    if match is None or len(match[2]) > _LONGEST or (match[1] == "%" and not int(match[2])):
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


DEFAULT_TRAPS: Final[Mapping[Trap, Condition | None]] = {Trap.BREAK: None, Trap.FAULT: None}
"""The traps that are on in the beginning."""


class AccessType(Enum):
    """The accesses at which a data breakpoint stops; the values are those of the protocol."""

    READ = "read"
    WRITE = "write"
    BOTH = "readWrite"


class HitFilter:
    """What a breakpoint asks before it stops: a condition, and a condition on its count of hits.

    A hit is an arrival at which the condition holds. Hits are counted from the first cycle on,
    wherever the user has gone meanwhile, so that time travel does not change them: `hits` are their
    cycles, complete up to the cycle `covered`. With `log` the breakpoint logs a text instead of
    stopping.
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
        self.covered = -1

    def holds(self, state: IpuState) -> bool:
        """Whether the condition holds, if there is one."""
        return self.condition is None or self.condition(state)

    def count(self, cycle: int) -> None:
        """Count a hit at a cycle; not once more where it is counted already."""
        is_new = cycle > self.covered and (not self.hits or self.hits[-1] < cycle)
        if self.hit_condition is not None and is_new:
            self.hits.append(cycle)

    def passes(self, cycle: int) -> bool:
        """Whether the number of hits up to a cycle fulfils the hit condition, if there is one."""
        return self.hit_condition is None or self.hit_condition(bisect_right(self.hits, cycle))

    def forget(self, cycle: int) -> None:
        """Forget the hits behind a cycle."""
        del self.hits[bisect_right(self.hits, cycle) :]
        self.covered = min(self.covered, cycle)


class Breakpoint(HitFilter):
    """Stops in front of the bundle at an address."""

    def __init__(
        self,
        address: int,
        condition: Condition | None = None,
        hit_condition: HitCondition | None = None,
        log: LogText | None = None,
    ) -> None:
        super().__init__(condition, hit_condition, log)
        self.address = address

    def describe(self) -> str:
        """The breakpoint in a few words."""
        return f"breakpoint at bundle {self.address}"


class DataBreakpoint(HitFilter):
    """Stops behind a bundle that changes the content of a region, or reads it, or either."""

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
        """The addresses of bundles behind which it may stop."""
        reads, writes = self.access is not AccessType.WRITE, self.access is not AccessType.READ
        return accesses.bundles(self.region.name, reads, writes)

    def access_by_last(self, accesses: Accesses) -> str | None:
        """What the last bundle executed has done to the region; None if it is not of this type."""
        if self.access is not AccessType.READ:
            change = accesses.last_change(self.region)
            if change is not None:
                return f"`{self.region}` changed{_values(*change)}"
        if self.access is not AccessType.WRITE:
            code = accesses.has_read(self.region)
            if code is not None:
                return f"`{self.region}` was read by `{code}`"
        return None


class BreakpointSet:
    """All that the user has set to stop a run; `traps` maps those that are on to conditions.

    It may be changed whenever the machine stands still, and counts from the next bundle on.
    """

    def __init__(
        self,
        at_bundles: Sequence[Breakpoint] = (),
        at_data: Sequence[DataBreakpoint] = (),
        traps: Mapping[Trap, Condition | None] | None = None,
    ) -> None:
        self.at_bundles = at_bundles
        self.at_data = at_data
        self.traps = {} if traps is None else traps

    @property
    def filters(self) -> list[HitFilter]:
        """All breakpoints of either sort."""
        return [*self.at_bundles, *self.at_data]

    def is_trapped(self, trap: Trap, state: IpuState) -> bool:
        """Whether a trap is on and its condition, if it has one, holds."""
        condition = self.traps.get(trap)
        return trap in self.traps and (condition is None or condition(state))

    def set_at_bundles(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Stop in front of these bundles, and of no others."""
        self._forget_hits_of_new(breakpoints)
        self.at_bundles = tuple(breakpoints)

    def set_at_data(self, breakpoints: Sequence[DataBreakpoint]) -> None:
        """Stop behind these accesses, and no others."""
        self._forget_hits_of_new(breakpoints)
        self.at_data = tuple(breakpoints)

    def counted(self) -> BreakpointSet:
        """The breakpoints with a condition on their number of hits, and no traps."""
        return BreakpointSet(
            [breakpoint for breakpoint in self.at_bundles if breakpoint.hit_condition],
            [breakpoint for breakpoint in self.at_data if breakpoint.hit_condition],
        )

    def cover(self, cycle: int) -> None:
        """Record that all hits up to a cycle are counted."""
        for breakpoint in self.filters:
            breakpoint.covered = max(breakpoint.covered, cycle)

    def forget_hits(self, cycle: int) -> None:
        """Forget the hits behind a cycle."""
        for breakpoint in self.filters:
            breakpoint.forget(cycle)

    def _forget_hits_of_new(self, breakpoints: Sequence[HitFilter]) -> None:
        """A breakpoint that was not set meanwhile may have missed an edit of the past."""
        known = set(map(id, self.filters))
        for breakpoint in breakpoints:
            if id(breakpoint) not in known:
                breakpoint.forget(-1)


def _values(before: bytes, after: bytes) -> str:
    if len(after) > 4:
        return ""
    old, new = (int.from_bytes(content, "little") for content in (before, after))
    return f" from {old:#x} to {new:#x}"
