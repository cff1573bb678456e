"""What to look for on a way, and where it is worth looking."""

from __future__ import annotations

from typing import Callable, Collection, Sequence

from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.breakpoints import Breakpoint, DataBreakpoint, HitFilter
from ipu_asm.debugger.sentry import Sentry
from ipu_asm.debugger.stop import StopCause
from ipu_asm.debugger.traps import TrapWatch
from ipu_asm.emulator.ipu import Ipu
from ipu_asm.emulator.stops import StopReason

Log = Callable[[str], None]


class Lookout:
    """Finds the hits of a machine that has just arrived somewhere.

    `addresses` are the bundles in front of which to look. `watched` are those behind which to look,
    which must be executed one at a time; the `sentry` is told of each bundle, if there is one.
    """

    def __init__(
        self,
        ipu: Ipu,
        accesses: Accesses,
        breakpoints: Sequence[Breakpoint],
        data_breakpoints: Sequence[DataBreakpoint],
        log: Log | None = None,
    ) -> None:
        self._ipu = ipu
        self._accesses = accesses
        self._breakpoints = breakpoints
        self._data_breakpoints = data_breakpoints
        self._log = log
        self._traps: TrapWatch | None = None
        self._targets: Collection[int] = ()
        self.sentry: Sentry | None = None
        self.addresses = {breakpoint.address for breakpoint in breakpoints}
        self.watched = {pc for data in data_breakpoints for pc in data.bundles(accesses)}

    def add_traps(self, traps: TrapWatch, edited: bool) -> None:
        """Look for what sets traps off; `edited` if users change the element type on the way."""
        self._traps = traps
        self.addresses |= traps.breaks()
        self.sentry = traps.sentry(edited)

    def add_targets(self, targets: Collection[int]) -> None:
        """Stop in front of these bundles too."""
        self._targets = targets
        self.addresses.update(targets)

    def on_arrival(self) -> list[StopCause]:
        """What the last bundle did to numbers, and what stops in front of the next or at a halt."""
        found = []
        if self._traps and self.sentry:
            found += self._traps.after(self.sentry.alarms())
        if not self._ipu.state.is_halted:
            return found + self.in_front()
        return found + self._traps.at_halt() if self._traps else found

    def in_front(self) -> list[StopCause]:
        """What stops in front of the bundle at which the machine stands."""
        pc = self._ipu.state.program_counter
        found = [
            StopCause(StopReason.BREAKPOINT, breakpoint.describe(), breakpoint)
            for breakpoint in self._breakpoints
            if breakpoint.address == pc and self._stops(breakpoint)
        ]
        if self._traps:
            found += self._traps.in_front()
        if pc in self._targets:
            found.append(StopCause(StopReason.STEP, f"reached bundle {pc}"))
        return found

    def behind(self) -> list[StopCause]:
        """What the last bundle has done that data breakpoints stop at."""
        pc = self._ipu.snapshot.pc
        touched = [(data, data.touched(self._accesses)) for data in self._data_breakpoints]
        return [
            StopCause(StopReason.DATA, f"{what} in bundle {pc}", data)
            for data, what in touched
            if what is not None and self._stops(data)
        ]

    def _stops(self, breakpoint: HitFilter) -> bool:
        """Whether a breakpoint whose place is reached stops; one that logs does that instead."""
        state = self._ipu.state
        if not breakpoint.passes(state, self._ipu.cycles):
            return False
        if breakpoint.log is None:
            return True
        if self._log is not None:
            self._log(breakpoint.log(state))
        return False
