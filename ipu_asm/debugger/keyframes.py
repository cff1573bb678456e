"""Saved states of a run within a memory limit: dense near the current cycle, sparse elsewhere."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from itertools import pairwise
from typing import Final, Iterable

from ipu_asm.emulator.memory import Image
from ipu_asm.emulator.state import SavedState

KEYFRAME_BYTES: Final = 6_000
"""Size of a keyframe without its pages: registers, and the tables that point to pages."""

_PAGE_BYTES: Final = 4_096 + 33
_GROUP_BYTES: Final = 40 + 8 * 32
_THINNER: Final = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
_FREED: Final = 0.75


class Keyframes:
    """Saved states by cycle. The first is always kept; `limit` bounds the bytes of the others.

    `size` is an upper estimate of those bytes: per keyframe, what it does not share with the
    previous one.
    """

    def __init__(self, cycle: int, first: SavedState, limit: int) -> None:
        self.limit = limit
        self.cycles = [cycle]
        self.size = 0
        self._saved = {cycle: first}
        self._costs = {cycle: 0}

    def __getitem__(self, cycle: int) -> SavedState:
        return self._saved[cycle]

    def before(self, cycle: int) -> int:
        """Return the cycle of the last keyframe at or before a cycle."""
        return self.cycles[bisect_right(self.cycles, cycle) - 1]

    def add(self, cycle: int, saved: SavedState) -> None:
        """Keep a state; above the limit, drop others so that gaps grow with the distance."""
        if cycle in self._saved:
            return
        insort(self.cycles, cycle)
        self._saved[cycle] = saved
        place = bisect_left(self.cycles, cycle)
        self._weigh(self.cycles[place - 1 : place + 2])
        if self.size > self.limit:
            self._thin(cycle)

    def drop_after(self, cycle: int) -> None:
        """Drop the keyframes after a cycle."""
        keep = bisect_right(self.cycles, cycle)
        for late in self.cycles[keep:]:
            self._drop(late)
        del self.cycles[keep:]

    def _thin(self, now: int) -> None:
        for ratio in _THINNER:
            self._keep(list(_thinned(self.cycles, now, ratio)))
            if self.size <= self.limit * _FREED:
                return
        while self.size > self.limit:
            self._keep(self.cycles[:1] + self.cycles[2:])

    def _keep(self, cycles: list[int]) -> None:
        kept = set(cycles)
        for cycle in self.cycles:
            if cycle not in kept:
                self._drop(cycle)
        self.cycles = cycles
        self._weigh(cycles)

    def _drop(self, cycle: int) -> None:
        del self._saved[cycle]
        self.size -= self._costs.pop(cycle)

    def _weigh(self, cycles: Iterable[int]) -> None:
        """Update the costs of adjacent keyframes, except that of the first given."""
        for before, cycle in pairwise(cycles):
            cost = _unshared(self._saved[before].memory, self._saved[cycle].memory)
            self.size += cost - self._costs.get(cycle, 0)
            self._costs[cycle] = cost


def _thinned(cycles: list[int], now: int, ratio: float) -> Iterable[int]:
    """Cycles that keep a gap proportional to their distance from now."""
    last = cycles[0]
    yield last
    for cycle in cycles[1:]:
        if cycle - last >= ratio * abs(now - cycle):
            yield cycle
            last = cycle


def _unshared(before: Image, after: Image) -> int:
    """The bytes of a keyframe that are not shared with the previous one."""
    size = KEYFRAME_BYTES
    for mine, theirs in zip(before, after):
        if mine is not theirs:
            fresh = sum(old is not new for old, new in zip(mine, theirs))
            size += _GROUP_BYTES + fresh * _PAGE_BYTES
    return size
