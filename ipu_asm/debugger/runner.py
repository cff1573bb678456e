"""Forward runs up to the next stop, the options of a debugger, and the stops it creates."""

from __future__ import annotations

from typing import Any, Callable, Collection, Final, Mapping, Sequence, TypeAlias

from ipu_asm.debugger.breakpoints import (
    DEFAULT_TRAPS,
    PAUSED,
    Breakpoint,
    ResumePoint,
    Stop,
    StopCause,
    Trap,
)
from ipu_asm.debugger.expressions import ExpressionError, Location, MachineView
from ipu_asm.debugger.history import MEMORY_LIMIT, SPACING, History, Pause
from ipu_asm.debugger.regions import COUNTER, accesses_of_machine
from ipu_asm.debugger.stop_conditions import BreakpointSet, StopConditions
from ipu_asm.debugger.traps import TrapAddresses
from ipu_asm.emulator.machine import StopTest
from ipu_asm.emulator.run import run_end_of
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import ExecutionFault, Fault, StopReason, describe_stop
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.text import Span

ReadExpected: TypeAlias = Callable[[str, Location, MachineView], bytes]
"""Returns the bytes that a file expects at a location, in its type. Raises ExpressionError."""


def no_files(name: str, location: Location, view: MachineView) -> bytes:
    """Refuse to read: for debuggers without access to files."""
    raise ExpressionError("files cannot be read here", Span(0, len(name)))


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
        return self.caused_by([StopCause(reason, description)])

    def caused_by(self, causes: Sequence[StopCause]) -> Stop:
        """Return the stop of several causes: the most important gives reason and trap."""
        ordered = sorted(causes, key=lambda cause: _WEIGHTS.get(cause.reason, 0))
        description = "; ".join(dict.fromkeys(cause.description for cause in ordered))
        hits = tuple(cause.source for cause in ordered if cause.source is not None)
        cycle, pc = self._history.cycle, self._stop_address()
        return Stop(ordered[0].reason, description, cycle, pc, hits, trap=ordered[0].trap)

    def paused(self, continuation: ResumePoint) -> Stop:
        return self.caused_by([PAUSED])._replace(continuation=continuation)

    def arrived(self) -> Stop:
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


Log = Callable[[str], None]


class HostData(NamedTuple):
    """Bytes that the host loads, expects or dumps: `role` is that word in the past tense."""

    name: str
    address: int
    size: int
    role: str

    @property
    def bytes(self) -> range:
        return range(self.address, self.address + self.size)


class DebugOptions(NamedTuple):
    """Options of a debugger.

    With `stop_on_halt` every halt stops once more before the program ends. `max_cycles` bounds
    runs, not steps. `memory_limit` bounds the bytes that the history takes, `spacing` is the number
    of bundles between its keyframes. `pause` is called every few milliseconds of a run; a true
    result ends the run with PAUSE. `log` receives the texts of log breakpoints. `settings` are host
    options of the machine, by name. With `steps_out_past_breakpoints`, breakpoints at bundles of a
    loop do not stop a step out of it. `data` are the data that the host loads, expects or dumps;
    `read_expected` reads files to compare with.
    """

    stop_on_halt: bool = True
    max_cycles: int | None = None
    settings: Mapping[str, Any] = {}
    memory_limit: int = MEMORY_LIMIT
    spacing: int = SPACING
    pause: Pause = lambda: False
    log: Log = lambda text: None
    steps_out_past_breakpoints: bool = False
    data: Sequence[HostData] = ()
    read_expected: ReadExpected = no_files


class Runner:
    """Runs the machine of a history forwards. `breakpoints` may be changed between two calls."""

    def __init__(self, machine: AnyMachine, lines: LineTable, options: DebugOptions) -> None:
        self.machine = machine
        self.options = options
        self.history = History(machine, options.memory_limit, options.spacing)
        self.breakpoints = BreakpointSet(traps=DEFAULT_TRAPS)
        self.accesses = accesses_of_machine(machine)
        self.trap_addresses = TrapAddresses(machine, self.accesses, lines)
        self.stops = StopBuilder(self.history, lines, self.breakpoints, self.trap_addresses.halts)

    def use_lines(self, lines: LineTable) -> None:
        """Refer to other source lines from the next stop on."""
        self.machine.state.lines = self.trap_addresses.lines = self.stops.lines = lines

    def run(self, point: ResumePoint) -> Stop:
        if self.machine.state.is_halted:
            return self.stops.halted(StopReason.ENDED)
        try:
            causes = self.seek(point.until, point.targets, passing=point.passing)
        except ExecutionFault as error:
            return self.stops.faulted(error.fault)
        if causes == [PAUSED]:
            return self.stops.paused(point)
        if causes:
            return self.stops.caused_by(causes)
        if self.machine.state.is_halted:
            return self.stops.halted(StopReason.ENDED)
        if point.at_end is StopReason.STEP:
            return self.stops.arrived()
        limit = f"stopped at the limit of {self.machine.cycles:,} cycles"
        return self.stops.stop(point.at_end, limit)

    def jump(self, point: ResumePoint) -> Stop:
        try:
            reached = self.history.go_to(point.until, self.options.pause)
        except ExecutionFault as error:
            return self.stops.faulted(error.fault)
        if self.machine.state.is_halted:
            return self.stops.halted(StopReason.HALTED)
        return self.stops.paused(point) if reached < point.until else self.stops.arrived()

    def seek(
        self,
        until: int,
        targets: Collection[int] = (),
        is_logging: bool = True,
        passing: Collection[int] = (),
    ) -> list[StopCause]:
        """Run to the next causes of a stop, which are returned, or to the cycle `until`.

        `targets` are addresses of bundles in front of which to stop, too; breakpoints at those of
        `passing` only count and log. The current bundle is not checked. A pause is returned as the
        only cause. Raises `ExecutionFault` with the machine in front of the faulty bundle.
        """
        if not self._count_missed_hits():
            return [PAUSED]
        conditions, causes = self._conditions(targets, is_logging), list[StopCause]()
        test = conditions.test
        try:
            while not causes and not self._is_at(until):
                self._run_to_mark(until, test)
                try:
                    causes = self._accepted(conditions.causes(), is_logging)
                    if self.machine.state.program_counter in passing:
                        causes = [c for c in causes if not isinstance(c.source, Breakpoint)]
                    if not causes and self._is_paused(until):
                        causes = [PAUSED]
                finally:
                    self.history.apply_edits()
            return causes
        finally:
            self.breakpoints.mark_counted(self.history.cycle)

    def causes_here(self, is_logging: bool = False) -> list[StopCause]:
        if self.machine.state.is_halted:
            return []
        conditions = self._conditions((), is_logging)
        return self._accepted(conditions.causes_in_front(), is_logging)

    def _conditions(self, targets: Collection[int], is_logging: bool) -> StopConditions:
        return StopConditions(
            self.trap_addresses,
            self.breakpoints,
            targets=targets,
            monitor=self.trap_addresses.monitor(self.breakpoints.traps, self._is_type_edited),
            stop_on_halt=self.options.stop_on_halt,
            may_change_type=self.may_change_type,
            is_logging=is_logging,
        )

    @property
    def _is_type_edited(self) -> bool:
        register = self.trap_addresses.model.type_register
        return register is not None and self.history.is_edited(register)

    @property
    def may_change_type(self) -> bool:
        """Whether the element type is not the same in all of the history."""
        return self.trap_addresses.may_change_type(self._is_type_edited)

    def _run_to_mark(self, until: int, test: StopTest) -> None:
        """Run to a possible cause, to a mark of the history, or until a pause is to be asked for.

        The recorded edits of the cycle reached are not applied yet.
        """
        self.history.run_to_mark(self.history.next_pause(until), test)

    def _accepted(self, causes: list[StopCause], is_logging: bool) -> list[StopCause]:
        """Count the hits of breakpoints and log; returns the causes that stop."""
        cycle, stopping = self.history.cycle, []
        for cause in causes:
            if cause.source is not None:
                cause.source.count(cycle)
                if not cause.source.hit_condition_holds(cycle):
                    continue
                if cause.source.log is not None:
                    if is_logging:
                        self.options.log(cause.source.log(self.machine.state))
                    continue
            stopping.append(cause)
        return stopping

    def _is_at(self, until: int) -> bool:
        return self.history.cycle >= until or self.machine.state.is_halted

    def _is_paused(self, until: int) -> bool:
        return not self._is_at(until) and self.options.pause()

    def _count_missed_hits(self) -> bool:
        """Re-execute the cycles that breakpoints with a hit condition missed; False if paused.

        A breakpoint counts from the first cycle on, even one that was set later. The machine
        returns to the current cycle; after a pause the counts so far are kept.
        """
        history, now = self.history, self.history.cycle
        counted = self.breakpoints.with_hit_conditions()
        missed = [each.counted_until for each in counted.filters if each.counted_until < now]
        if not missed:
            return True
        history.keep()
        history.go_to(max(history.first, min(missed)))
        conditions = StopConditions(
            self.trap_addresses, counted, may_change_type=self.may_change_type
        )
        is_paused = False
        test = conditions.test
        try:
            if history.cycle == history.first:
                self._accepted(conditions.causes_in_front(), is_logging=False)
            while not is_paused and not self._is_at(now):
                self._run_to_mark(now, test)
                try:
                    self._accepted(conditions.causes(), is_logging=False)
                    is_paused = self._is_paused(now)
                finally:
                    history.apply_edits()
            return not is_paused
        finally:
            self.breakpoints.mark_counted(history.cycle)
            history.go_to(now)
