"""What can stop a run: breakpoints at bundles, and data breakpoints on registers and memory."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from enum import Enum
from operator import eq, ge, gt, le, lt
from typing import Callable, Final

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


class AccessType(Enum):
    """What a data breakpoint waits for."""

    READ = "read"
    WRITE = "write"
    BOTH = "readWrite"


class HitFilter:
    """What a breakpoint asks before it stops, and the hits that it has counted.

    A hit is an arrival at which the condition holds. They are counted from the first cycle on,
    wherever the user went meanwhile, so that going back and forth changes nothing: `covered` is
    the last cycle that is accounted for in `hits`.
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

    def passes(self, state: IpuState, cycle: int) -> bool:
        """Whether to stop, or to log, on arrival at a cycle where the rest is fulfilled."""
        if self.condition is not None and not self.condition(state):
            return False
        if self.hit_condition is None:
            return True
        if cycle > self.covered and (not self.hits or self.hits[-1] < cycle):
            self.hits.append(cycle)
        return self.hit_condition(bisect_right(self.hits, cycle))

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

    def touched(self, accesses: Accesses) -> str | None:
        """What the last bundle executed has done to the region, if it was waited for that."""
        if self.access is not AccessType.READ:
            change = accesses.last_change(self.region)
            if change is not None:
                return f"`{self.region}` changed{_values(*change)}"
        if self.access is not AccessType.WRITE:
            code = accesses.has_read(self.region)
            if code is not None:
                return f"`{self.region}` was read by `{code}`"
        return None


def _values(before: bytes, after: bytes) -> str:
    if len(after) > 4:
        return ""
    old, new = (int.from_bytes(content, "little") for content in (before, after))
    return f" from {old:#x} to {new:#x}"
