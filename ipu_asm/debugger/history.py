"""Time travel: keyframes, and re-execution from the nearest one, with the user's edits.

A cycle is a number of bundles executed. Edits made at a cycle belong to its state; a keyframe of
that cycle has the state from before them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from itertools import pairwise
from time import perf_counter
from typing import Callable, Final, Iterable, Iterator

from ipu_asm.debugger.regions import Region, write_region
from ipu_asm.emulator.machine import StopTest
from ipu_asm.emulator.state import Image, SavedState
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.named_tuple import NamedTuple

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
        """Update the costs of adjacent keyframes, except the cost of the first one given."""
        for before, cycle in pairwise(cycles):
            cost = _unshared(self._saved[before].memory, self._saved[cycle].memory)
            self.size += cost - self._costs.get(cycle, 0)
            self._costs[cycle] = cost


SPACING: Final = 4_096
"""Bundles from one keyframe to the next: executing them again takes about 20 milliseconds."""
RETURN_KEYFRAME_DISTANCE: Final = 256
"""Bundles from the keyframe that a move back creates, for the next such move, to its target."""
PAUSE_INTERVAL: Final = 512
"""Bundles executed between two calls of `pause`, at first: they take at most about 20 ms."""
_MAX_INTERVAL: Final = 1 << 17
_SHORT_S: Final = 0.005
_LONG_S: Final = 0.015
MEMORY_LIMIT: Final = 256 << 20
Pause = Callable[[], bool]
"""Called regularly during a long operation; returns whether to end it early."""
Run = Callable[[AnyMachine, int], object]
"""Executes up to a number of bundles, and records something."""


class Edit(NamedTuple):
    region: Region
    data: bytes


class History:
    """The recorded past of a machine, which must be run through this class only.

    `first` is the first cycle, `end` the last one that was reached; `edits` are the user's, by
    cycle. `memory_limit` bounds the estimated bytes of the keyframes, `spacing` is the number of
    bundles between them.
    """

    def __init__(
        self, machine: AnyMachine, memory_limit: int = MEMORY_LIMIT, spacing: int = SPACING
    ) -> None:
        self.machine = machine
        self.spacing = spacing
        self.first = machine.cycles
        self.edits: dict[int, list[Edit]] = {}
        self.end = machine.cycles
        self._pause_interval = PAUSE_INTERVAL
        self.keyframes = Keyframes(machine.cycles, machine.state.save(), memory_limit)

    @property
    def cycle(self) -> int:
        return self.machine.cycles

    def edit(self, where: Region, data: bytes) -> None:
        """Overwrite a region at the current cycle; later edits and keyframes are dropped.

        Raises ValueError unless `data` has the size of the region.
        """
        write_region(self.machine.state, where, data)
        cycle = self.cycle
        self.keyframes.drop_after(cycle)
        self.edits = {when: edits for when, edits in self.edits.items() if when <= cycle}
        self.edits.setdefault(cycle, []).append(Edit(where, data))
        self.end = cycle

    def reset(self) -> None:
        self.edits.clear()
        self.keyframes.drop_after(self.first)
        self.end = self.first
        self._restore(self.first)

    def advance(self, until: int) -> None:
        """Execute up to a cycle, applying recorded edits; stop early if the machine halts.

        Raises `ExecutionFault` with the machine in front of the faulty bundle.
        """
        while self.cycle < until and not self.machine.state.is_halted:
            self.run_to_mark(until)
            self.apply_edits()

    def run_to_mark(self, until: int, stop: StopTest | None = None, run: Run | None = None) -> None:
        """Execute at least one bundle: up to a cycle, a mark, or where `stop` returns true.

        Marks are due keyframes and cycles with recorded edits, which the caller must apply with
        `apply_edits` before it continues. `run` runs the machine if there is one. Raises as
        `advance` does.
        """
        due = self._next_keyframe()
        edited = min((cycle for cycle in self.edits if cycle > self.cycle), default=due)
        before, start = self.cycle, perf_counter()
        try:
            limit = min(until, due, edited) - before
            if run is None:
                self.machine.run(limit, stop)
            else:
                run(self.machine, limit)
        finally:
            self.end = max(self.end, self.cycle)
        self._adapt(self.cycle - before, perf_counter() - start)
        if self.cycle == due and due - self.keyframes.before(due) >= self.spacing:
            self._keep()

    def next_pause(self, until: int) -> int:
        """Return the cycle, up to `until`, before which `pause` need not be called."""
        return min(until, self.cycle + self._pause_interval)

    def apply_edits(self) -> None:
        for edit in self.edits.get(self.cycle, ()):
            write_region(self.machine.state, edit.region, edit.data)

    def go_to(self, cycle: int, pause: Pause = lambda: False) -> int:
        """Go to a cycle, or as close to it as possible; returns the cycle reached.

        If `pause` returns true, the machine remains at an earlier cycle. Raises as `advance` does.
        """
        cycle = max(cycle, self.first)
        nearest = self.keyframes.before(cycle)
        if cycle < self.cycle or nearest > self.cycle:
            self._restore(nearest)
        near = cycle - RETURN_KEYFRAME_DISTANCE
        is_far = self.cycle + RETURN_KEYFRAME_DISTANCE < near and cycle <= self.end
        while self.cycle < cycle and not self.machine.state.is_halted:
            mark = near if is_far and self.cycle < near else cycle
            self.run_to_mark(self.next_pause(mark))
            if is_far and self.cycle == near:
                self._keep()
            is_paused = pause()
            self.apply_edits()
            if is_paused:
                break
        return self.cycle

    def keep(self) -> None:
        """Save a keyframe at the current cycle, so that returning to it is fast."""
        if self.cycle not in self.edits:
            self._keep()

    def is_edited(self, name: str) -> bool:
        return any(edit.region.name == name for edits in self.edits.values() for edit in edits)

    def segments(self, until: int) -> Iterator[tuple[int, int]]:
        """Yield first and last cycle of the segments between keyframes, the latest first.

        The machine is at the first cycle of the segment yielded. Each segment ends where the one
        yielded before begins.
        """
        while until > self.first:
            start = self.keyframes.before(until - 1)
            self._restore(start)
            yield start, until
            until = start

    def _adapt(self, executed: int, seconds: float) -> None:
        """Adapt the interval so that `pause` is called about every 10 milliseconds."""
        if seconds > _LONG_S:
            self._pause_interval = max(PAUSE_INTERVAL, self._pause_interval // 2)
        elif executed >= self._pause_interval // 2 and seconds < _SHORT_S:
            self._pause_interval = min(_MAX_INTERVAL, self._pause_interval * 2)

    def _restore(self, cycle: int) -> None:
        self.machine.state.restore(self.keyframes[cycle])
        self.machine.cycles = cycle
        self.apply_edits()

    def _next_keyframe(self) -> int:
        """The next cycle, a multiple of the spacing after a keyframe, at which one is due."""
        cycles = self.keyframes.cycles
        last = cycles[bisect_right(cycles, self.cycle) - 1]
        return self.cycle + self.spacing - (self.cycle - last) % self.spacing

    def _keep(self) -> None:
        """Save a keyframe, unless the machine is halted: the cause would be lost."""
        if not self.machine.state.is_halted:
            self.keyframes.add(self.cycle, self.machine.state.save())


def _thinned(cycles: list[int], now: int, ratio: float) -> Iterable[int]:
    """Cycles that keep a gap proportional to their distance from now."""
    last = cycles[0]
    yield last
    for cycle in cycles[1:]:
        if cycle - last >= ratio * abs(now - cycle):
            yield cycle
            last = cycle


def _unshared(before: Image, after: Image) -> int:
    size = KEYFRAME_BYTES
    for mine, theirs in zip(before, after):
        if mine is not theirs:
            fresh = sum(old is not new for old, new in zip(mine, theirs))
            size += _GROUP_BYTES + fresh * _PAGE_BYTES
    return size
