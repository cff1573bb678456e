"""From one hit to the next: the fast loop of the machine, and a look only where one can be."""

from __future__ import annotations

from functools import partial
from typing import Collection, Final, Sequence

from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.breakpoints import Breakpoint, DataBreakpoint, HitFilter
from ipu_asm.debugger.history import PATIENCE, History, Pause
from ipu_asm.debugger.lookout import Log, Lookout
from ipu_asm.debugger.stop import StopCause
from ipu_asm.debugger.traps import ELEMENT_TYPE, TrapWatch
from ipu_asm.emulator.stops import StopReason
from ipu_asm.program.line_table import LineTable

_PAUSED: Final = StopCause(StopReason.PAUSE, "paused")


class Runner:
    """Runs a history up to what can stop it. Without breakpoints it costs what the machine costs.

    `pause` is asked where nothing else stops. Breakpoints and traps may be changed between two
    calls at any time.
    """

    def __init__(
        self, history: History, lines: LineTable, pause: Pause, log: Log, stop_on_halt: bool
    ) -> None:
        self.history = history
        self.ipu = history.ipu
        self.accesses = Accesses(history.ipu)
        self.traps = TrapWatch(history.ipu, self.accesses, lines, stop_on_halt)
        self._breakpoints: Sequence[Breakpoint] = ()
        self._data_breakpoints: Sequence[DataBreakpoint] = ()
        self._pause = pause
        self._log = log

    @property
    def filters(self) -> list[HitFilter]:
        """All breakpoints of either sort."""
        return [*self._breakpoints, *self._data_breakpoints]

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Look for these, and no others, from now on."""
        self._forget_hits_of_new(breakpoints)
        self._breakpoints = tuple(breakpoints)

    def set_data_breakpoints(self, breakpoints: Sequence[DataBreakpoint]) -> None:
        """Look for these, and no others, from now on."""
        self._forget_hits_of_new(breakpoints)
        self._data_breakpoints = tuple(breakpoints)

    def seek(self, until: int, targets: Collection[int] = (), logs: bool = True) -> list[StopCause]:
        """Go on to the next hit, or to a cycle; what was hit there, the place itself excepted.

        `targets` are addresses that are hits too. Without `logs` nothing is logged. A pause is the
        only hit then. Raises `ExecutionFault` with the machine in front of the faulty bundle.
        """
        if not self._count_hits():
            return [_PAUSED]
        lookout = self._lookout(logs)
        lookout.add_targets(targets)
        try:
            return self._seek(until, lookout)
        finally:
            self._cover(self.history.cycle)

    def hits_here(self, logs: bool = False) -> list[StopCause]:
        """What stops in front of the bundle at which the machine stands."""
        return [] if self.ipu.state.is_halted else self._lookout(logs).in_front()

    def forget_hits(self, cycle: int) -> None:
        """Forget which breakpoints were hit behind a cycle."""
        for breakpoint in self.filters:
            breakpoint.forget(cycle)

    def _lookout(self, logs: bool) -> Lookout:
        """A lookout for all that is set."""
        breakpoints, data = self._breakpoints, self._data_breakpoints
        lookout = Lookout(self.ipu, self.accesses, breakpoints, data, self._log if logs else None)
        lookout.add_traps(self.traps, self.history.is_edited(ELEMENT_TYPE))
        return lookout

    def _seek(self, until: int, lookout: Lookout, counting: bool = False) -> list[StopCause]:
        """Go on to the next hit; `counting` goes past all of them, but for a pause."""
        history, found = self.history, list[StopCause]()
        state, watched, sentry = self.ipu.state, lookout.watched, lookout.sentry
        addresses = lookout.addresses | watched

        def look() -> bool:
            found.extend(lookout.on_arrival())
            if counting:
                found.clear()
            if not found and not self._is_there(until) and self._pause():
                found.append(_PAUSED)
            return True

        def look_back() -> bool:
            found.extend(lookout.behind())
            return look()

        stops_at = addresses.__contains__
        if sentry is not None:
            stops_at = partial(sentry.stops_at, addresses)
        while not found and not self._is_there(until):
            if sentry is not None:
                sentry.expect(state.program_counter)
            if state.program_counter in watched:
                history.advance(history.cycle + 1, None, look_back)
            else:
                history.advance(min(until, history.cycle + PATIENCE), stops_at, look)
        return found

    def _is_there(self, until: int) -> bool:
        return self.history.cycle >= until or self.ipu.state.is_halted

    def _count_hits(self) -> bool:
        """Make up for arrivals that nobody looked at: a breakpoint counts from the beginning.

        The machine is where it was then. False if a pause came between; what was counted stays.
        """
        history, now = self.history, self.history.cycle
        behind = [f.covered for f in self.filters if f.hit_condition and f.covered < now]
        if not behind:
            return True
        history.keep()
        history.go_to(max(history.first, min(behind)))
        lookout = self._counting_lookout()
        try:
            if history.cycle == history.first:
                lookout.in_front()
            return not self._seek(now, lookout, counting=True)
        finally:
            self._cover(history.cycle)
            history.go_to(now)

    def _counting_lookout(self) -> Lookout:
        """A lookout for the breakpoints whose hits are counted."""
        breakpoints = [b for b in self._breakpoints if b.hit_condition]
        data = [d for d in self._data_breakpoints if d.hit_condition]
        return Lookout(self.ipu, self.accesses, breakpoints, data)

    def _cover(self, cycle: int) -> None:
        for breakpoint in self.filters:
            breakpoint.covered = max(breakpoint.covered, cycle)

    def _forget_hits_of_new(self, breakpoints: Sequence[HitFilter]) -> None:
        """One that was not set may have missed that the past was changed."""
        known = set(map(id, self.filters))
        for breakpoint in breakpoints:
            if id(breakpoint) not in known:
                breakpoint.forget(-1)
