"""From one hit to the next: the fast loop of the machine, and a look only where one can be."""

from __future__ import annotations

from typing import Callable, Collection, Sequence

from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.breakpoints import Breakpoint, DataBreakpoint, Filters
from ipu_asm.debugger.history import History
from ipu_asm.debugger.stop import Hit, Reason
from ipu_asm.emulator.state import IpuState
from ipu_asm.emulator.stops import StopReason, describe_stop, stop_of
from ipu_asm.line_table import LineTable

Pause = Callable[[], bool]
Log = Callable[[str], None]


class Runner:
    """Runs a history up to what can stop it. Without breakpoints it costs what the machine costs.

    `break_addresses` are the bundles whose break slot is looked at.
    """

    def __init__(self, history: History, lines: LineTable | None, pause: Pause, log: Log) -> None:
        self.history = history
        self.ipu = history.ipu
        self.lines = lines
        self.accesses = Accesses(history.ipu)
        self.breakpoints: Sequence[Breakpoint] = ()
        self.data_breakpoints: Sequence[DataBreakpoint] = ()
        self.breaks = frozenset(
            pc
            for pc, codes in self.accesses.codes.items()
            if any(code.slot.name == "break" and not code.is_idle for code in codes)
        )
        self.stops_at_breaks = True
        self._pause = pause
        self._log = log

    @property
    def filters(self) -> list[Filters]:
        """All breakpoints of either sort."""
        return [*self.breakpoints, *self.data_breakpoints]

    def seek(self, until: int, targets: Collection[int] = (), logs: bool = True) -> list[Hit]:
        """Go on to the next hit, or to a cycle; what was hit there, the place itself excepted.

        `targets` are addresses that are hits too. Without `logs` nothing is logged. Raises
        `ExecutionFault` with the machine in front of the faulty bundle.
        """
        self._count_hits()
        try:
            return self._seek(until, targets, logs)
        finally:
            self._cover(self.history.cycle)

    def hits_here(self, logs: bool = False) -> list[Hit]:
        """What stops in front of the bundle at which the machine stands."""
        return self._hits_at_place((), logs)

    def forget_hits(self, cycle: int) -> None:
        """Forget which breakpoints were hit behind a cycle."""
        for breakpoint in self.filters:
            breakpoint.forget(cycle)

    def _seek(
        self, until: int, targets: Collection[int], logs: bool, quiet: bool = False
    ) -> list[Hit]:
        history, hits = self.history, list[Hit]()
        state = self.ipu.state
        watched = self._watched_bundles()
        addresses = self._stop_addresses(targets) | watched

        def look() -> bool:
            hits.extend(self._hits_at_place(targets, logs))
            if not quiet and self._pause():
                hits.append(Hit(Reason.PAUSE, "paused"))
            return bool(hits)

        def look_back() -> bool:
            hits.extend(self._data_hits(logs))
            return look()

        while not hits and history.cycle < until and not state.is_halted:
            if state.program_counter in watched:
                history.advance(history.cycle + 1, None, look_back)
            else:
                history.advance(until, addresses.__contains__, _leaving_at(watched, state, look))
        return hits

    def _count_hits(self) -> None:
        """Make up for arrivals that nobody looked at: a breakpoint counts from the beginning."""
        now, first = self.history.cycle, self.history.first
        behind = [f.covered for f in self.filters if f.hit_condition and f.covered < now]
        if not behind:
            return
        start = max(first, min(behind))
        self.history.go_to(start)
        if start == first:
            self.hits_here()
        while self.history.cycle < now:
            self._seek(now, (), logs=False, quiet=True)
        self._cover(now)

    def _cover(self, cycle: int) -> None:
        for breakpoint in self.filters:
            breakpoint.covered = max(breakpoint.covered, cycle)

    def _watched_bundles(self) -> set[int]:
        return {pc for data in self.data_breakpoints for pc in data.bundles(self.accesses)}

    def _stop_addresses(self, targets: Collection[int]) -> set[int]:
        addresses = {breakpoint.address for breakpoint in self.breakpoints}
        return addresses.union(targets, self.breaks if self.stops_at_breaks else ())

    def _hits_at_place(self, targets: Collection[int], logs: bool) -> list[Hit]:
        pc = self.ipu.state.program_counter
        found = [
            Hit(Reason.BREAKPOINT, breakpoint.describe(), breakpoint)
            for breakpoint in self.breakpoints
            if breakpoint.address == pc and self._stops(breakpoint, logs)
        ]
        if self.stops_at_breaks and pc in self.breaks and self.ipu.stops_at(pc):
            stop = stop_of(self.ipu, StopReason.BREAK, self.lines)
            found.append(Hit(Reason.BREAK, describe_stop(stop)))
        if pc in targets:
            found.append(Hit(Reason.STEP, f"reached bundle {pc}"))
        return found

    def _data_hits(self, logs: bool) -> list[Hit]:
        pc = self.ipu.snapshot.pc
        touched = [(data, data.touched(self.accesses)) for data in self.data_breakpoints]
        return [
            Hit(Reason.DATA, f"{what} in bundle {pc}", data)
            for data, what in touched
            if what is not None and self._stops(data, logs)
        ]

    def _stops(self, breakpoint: Filters, logs: bool) -> bool:
        """Whether a breakpoint whose place is reached stops; one that logs does that instead."""
        state = self.ipu.state
        if not breakpoint.passes(state, self.history.cycle):
            return False
        if breakpoint.log is None:
            return True
        if logs:
            self._log(breakpoint.log(state))
        return False


def _leaving_at(
    watched: Collection[int], state: IpuState, look: Callable[[], bool]
) -> Callable[[], bool]:
    """A look that also ends the way in front of bundles that are executed one at a time."""
    if not watched:
        return look
    return lambda: look() or state.program_counter in watched
