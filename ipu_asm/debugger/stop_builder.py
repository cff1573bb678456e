"""Creation of `Stop` values from the causes of a stop and the state of the machine."""

from __future__ import annotations

from typing import Final, Mapping, Sequence

from ipu_asm.debugger.breakpoints import Trap
from ipu_asm.debugger.history import History
from ipu_asm.debugger.regions import COUNTER
from ipu_asm.debugger.stop import PAUSED, ResumePoint, Stop, StopCause
from ipu_asm.debugger.stop_conditions import BreakpointSet
from ipu_asm.emulator.faults import Fault
from ipu_asm.emulator.run import run_end_of
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import StopReason, describe_stop
from ipu_asm.program.line_table import LineTable

_BY_WEIGHT: Final = (
    StopReason.BKPT,
    StopReason.HALTED,
    StopReason.ASSERTION,
    StopReason.NAN,
    StopReason.OVERFLOW,
    StopReason.BREAKPOINT,
    StopReason.DATA,
    StopReason.BREAK,
    StopReason.STEP,
)
"""The reasons that can coincide, the most important first."""
_WEIGHTS: Final[Mapping[StopReason, int]] = {reason: i for i, reason in enumerate(_BY_WEIGHT)}


class StopBuilder:
    """Creates stops of a history's machine. `halts` are the bundles with a halt instruction."""

    def __init__(
        self, history: History, lines: LineTable, breakpoints: BreakpointSet, halts: frozenset[int]
    ) -> None:
        self._history = history
        self._machine = history.machine
        self.lines = lines
        self._breakpoints = breakpoints
        self._halts = halts

    def stop(self, reason: StopReason, description: str) -> Stop:
        """Return a stop with one cause, which is neither a breakpoint nor a trap."""
        return self.caused_by([StopCause(reason, description)])

    def caused_by(self, causes: Sequence[StopCause]) -> Stop:
        """Return the stop of several causes: the most important gives reason and trap."""
        ordered = sorted(causes, key=lambda cause: _WEIGHTS.get(cause.reason, 0))
        description = "; ".join(dict.fromkeys(cause.description for cause in ordered))
        hits = tuple(cause.source for cause in ordered if cause.source is not None)
        cycle, pc = self._history.cycle, self._stop_address()
        return Stop(ordered[0].reason, description, cycle, pc, hits, trap=ordered[0].trap)

    def paused(self, continuation: ResumePoint) -> Stop:
        """Return a pause, with the rest of the move."""
        return self.caused_by([PAUSED])._replace(continuation=continuation)

    def arrived(self) -> Stop:
        """Return the end of a step or of a jump."""
        return self.stop(StopReason.STEP, f"cycle {self._history.cycle}")

    def at_start(self) -> Stop:
        """Return the end of a move backwards that has found nothing."""
        return self.stop(StopReason.START, "at the beginning of the history")

    def faulted(self, fault: Fault) -> Stop:
        """Return a fault; with its trap if that is on and its condition holds."""
        state = self._machine.state
        trap = Trap.FAULT if self._breakpoints.is_trapped(Trap.FAULT, state) else None
        description = describe_stop(run_end_of(self._machine, StopReason.FAULT, self.lines, fault))
        return self.stop(StopReason.FAULT, description)._replace(fault=fault, trap=trap)

    def halted(self, reason: StopReason) -> Stop:
        """Return the stop of a halted machine: ENDED, HALTED, or BKPT after a halt instruction."""
        if not self._has_halted_itself():
            counter = self._machine.state.program_counter
            return self.stop(reason, f"halted, as the program counter was set to {counter}")
        if reason is StopReason.HALTED and self._machine.snapshot.pc in self._halts:
            reason = StopReason.BKPT
        stop = run_end_of(self._machine, StopReason.HALTED, self.lines)
        return self.stop(reason, describe_stop(stop))

    def _stop_address(self) -> int:
        """The next bundle, or the one that halted the machine."""
        state: AnyState = self._machine.state
        if state.is_halted and self._has_halted_itself():
            return self._machine.snapshot.pc
        return state.program_counter

    def _has_halted_itself(self) -> bool:
        """Whether the last bundle executed halted the machine, not an edit."""
        edits = self._history.edits.get(self._history.cycle, ())
        is_edited = any(edit.region.name == COUNTER for edit in edits)
        return self._history.cycle > self._history.first and not is_edited
