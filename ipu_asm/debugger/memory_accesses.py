"""Which memory a run has accessed so far: counts, and the last access, by executing it again.

Runs count nothing, so they are as fast as without this. Counts are kept at some cycles, so that
after a step only that step is executed again.
"""

from __future__ import annotations

from array import array
from typing import Final

from ipu_asm.debugger.queries import QueryInterruptedError
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.debugger.runner import Runner
from ipu_asm.emulator.execution_counts import AccessCounts, Recording, Touched, last_accesses
from ipu_asm.named_tuple import NamedTuple

MOST_BUNDLES: Final = 20_000_000
"""Bundles executed again for one answer: more of them take over a second on a core."""

_MOST_KEPT: Final = 16


class CountedAccesses(NamedTuple):
    """The accesses of the bundles from cycle `since` on up to the current one."""

    since: int
    counts: AccessCounts


class LastAccess(NamedTuple):
    """An access that a bundle made at a cycle, which is the one before it."""

    touched: Touched
    pc: int
    cycle: int


class MemoryAccesses:
    """The accesses of the run of one debugger. The machine always returns to its cycle."""

    def __init__(self, runner: Runner, most: int = MOST_BUNDLES) -> None:
        self._runner = runner
        self._most = most
        self._kept: dict[int, CountedAccesses] = {}

    def drop_after(self, cycle: int) -> None:
        """Forget what was counted after a cycle, whose future has changed."""
        self._kept = {when: each for when, each in self._kept.items() if when <= cycle}

    def counted(self) -> CountedAccesses:
        """Return the counts up to the current cycle.

        Of a run that is very long they begin later than it. Raises `QueryInterruptedError`.
        """
        history, now = self._runner.history, self._runner.history.cycle
        if now in self._kept:
            return self._kept[now]
        before = max((when for when in self._kept if when < now), default=None)
        if before is None or now - before > self._most:
            start = max(history.first, now - self._most)
            found = CountedAccesses(start, AccessCounts(self._runner.machine.state.xmem.size))
        else:
            start = before
            found = CountedAccesses(self._kept[before].since, self._kept[before].counts.copy())
        self._count(found.counts, start, now)
        self._keep(now, found)
        return found

    def last(self, is_write: bool) -> LastAccess | None:
        """Return the last access of a kind before the current cycle; None if there was none.

        It is looked for as far back as accesses are counted. Raises `QueryInterruptedError`.
        """
        runner, history = self._runner, self._runner.history
        now, executed = history.cycle, 0
        bundles = runner.accesses.bundles(MEMORY, reads=not is_write, writes=is_write)
        if not bundles:
            return None
        history.keep()
        try:
            for start, end in history.segments(now):
                places = self._addresses(end)
                for index in range(len(places) - 1, -1, -1):
                    if places[index] in bundles:
                        return self._at(start + index, is_write)
                executed += end - start
                if executed > self._most:
                    return None
            return None
        finally:
            history.go_to(now)

    def _count(self, counts: AccessCounts, start: int, now: int) -> None:
        history = self._runner.history
        history.keep()
        try:
            history.go_to(start, self._runner.options.pause)
            self._check_pause()
            while history.cycle < now:
                history.run_to_mark(history.next_pause(now), run=counts.run)
                history.apply_edits()
                self._check_pause()
        finally:
            history.go_to(now)

    def _addresses(self, end: int) -> array[int]:
        """The addresses of the bundles from the current cycle to another one."""
        history, found = self._runner.history, array("H")
        while history.cycle < end:
            recording = Recording(tail_limit=end - history.cycle)
            history.run_to_mark(history.next_pause(end), run=recording.run)
            found.extend(recording.tail)
            history.apply_edits()
            self._check_pause()
        return found

    def _at(self, cycle: int, is_write: bool) -> LastAccess | None:
        """The last access of a kind that the bundle after a cycle makes."""
        history, machine = self._runner.history, self._runner.machine
        history.go_to(cycle)
        machine.run_on_numpy(1)
        of_kind = [each for each in last_accesses(machine) if each.is_write is is_write]
        history.apply_edits()
        return LastAccess(of_kind[-1], machine.snapshot.pc, cycle) if of_kind else None

    def _keep(self, cycle: int, found: CountedAccesses) -> None:
        """Keep counts; of too many, drop those whose neighbours are nearest to each other."""
        self._kept[cycle] = found
        if len(self._kept) > _MOST_KEPT:
            cycles = sorted(self._kept)
            gaps = {b: c - a for a, b, c in zip(cycles, cycles[1:], cycles[2:])}
            del self._kept[min(gaps, key=gaps.__getitem__)]

    def _check_pause(self) -> None:
        if self._runner.options.pause():
            raise QueryInterruptedError("a pause came before the answer")
