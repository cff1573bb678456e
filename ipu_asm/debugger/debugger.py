"""The debugger of one program: runs forwards and backwards, stops, and edits of the state."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, Callable, Collection, Iterator, Mapping

from ipu_asm.debugger.breakpoint_resolver import BreakpointResolver
from ipu_asm.debugger.breakpoints import PAUSED, Direction, ResumePoint, ScannedSegment, Stop
from ipu_asm.debugger.history import History, Pause
from ipu_asm.debugger.queries import MemoryAccesses
from ipu_asm.debugger.regions import Region
from ipu_asm.debugger.runner import DebugOptions, Runner
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.run_length import PlannedAccesses, RunLength
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import StopReason
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.flow.control_run.summary import LoopSummary, LoopTrip
from ipu_asm.flow.counted_loops.loops import counted_loops
from ipu_asm.flow.loop_numbers import loop_numbers, trips_text
from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.program.line_table import LineTable
from ipu_asm.text import SourceFile

SegmentSearch = Callable[[int, Stop | None], tuple[Stop | None, bool]]
"""Executes up to a cycle; returns the last stop found or given, and whether it was paused."""
__all__ = ["DebugOptions", "Debugger"]
_FOREVER = 1 << 62
_LAST = (StopReason.FAULT, StopReason.ENDED, StopReason.CYCLE_LIMIT)
"""Reasons of a stop that follows other stops of the same cycle."""


class Debugger:
    """One program on one machine. `state` is the initial state, with the program loaded.

    `lines` are the source lines of the program. Those of an expanded one can be shown in what the
    author wrote, or in its expansion; stops, faults and steps by lines are about the shown one.

    Raises `ProgramError` for a program that the machine cannot execute.

    Every method that moves the machine returns a `Stop`. All methods may be called after each of
    them:

    - ENTRY, START: at the first cycle, before any bundle was executed.
    - PAUSE: during a move; `resume` with its `continuation` completes that move.
    - BKPT, HALTED: after the bundle that halted the machine; continuing gives ENDED.
    - ENDED: there is no next bundle; every move forwards gives ENDED again and has no effect. An
      edit of the program counter makes the machine run again.
    - FAULT: in front of a bundle that cannot be executed; continuing gives the same FAULT, unless
      an edit has removed its cause.
    - CYCLE_LIMIT: `max_cycles` bundles have been executed. Runs give CYCLE_LIMIT again and have no
      effect; `step` and `step_line` still move.

    `breakpoints` may be changed whenever the machine is stopped, also between a pause and `resume`.
    Conditions and log texts must not raise.
    """

    def __init__(
        self, lines: LineTable, state: AnyState, options: DebugOptions | None = None
    ) -> None:
        self.options = options or DebugOptions()
        self.program = lines.program
        self.state: Any = state
        self.model = machine_for(state.isa_name)
        self.machine: AnyMachine = self.model.make_machine(state, self.options.settings)
        # The query binds the program and raises `ProgramError` here.
        self.machine.stops_at(0)
        self.written = self.resolver = BreakpointResolver(lines)
        self.runner = Runner(self.machine, lines, self.options)
        self.history = self.runner.history
        self.breakpoints = self.runner.breakpoints
        self._last_stop: int | None = None
        self._length = RunLength(self.program, state)
        self.memory = MemoryAccesses(self.runner)

    @property
    def cycle(self) -> int:
        return self.machine.cycles

    @property
    def last_cycle(self) -> int | None:
        """The cycle in which the machine halts; None if unknown, or after an edit of its state."""
        return None if self.history.edits else self._length.cycles

    @property
    def planned_accesses(self) -> PlannedAccesses | None:
        """The bytes that the whole run accesses; None if unknown, or after an edit of its state."""
        return None if self.history.edits else self._length.accesses

    @property
    def trips(self) -> list[LoopTrip]:
        """The trips of the loops that the machine is in, outermost first.

        Empty where data decides about loops, and after an edit of the state.
        """
        known = None if self.history.edits else self._length.trips
        return [] if known is None else known.at(self.cycle)

    def trip_text(self, first: int) -> str:
        """Return which trip of the loop at an address it is, else its trips, "" if not known.

        `trip 2 of 128`, as loop lenses have it: `128 trips`, `r0 trips`.
        """
        for trip in self.trips:
            if trip.loop.head == first:
                return f"trip {trip.number:,} of {trip.trips:,}"
        if self.history.edits:
            return ""
        known, counter = counted_loops(self.program), self.program.isa.counting.hardware_loop
        loop = known.loops.get(first)
        if loop is not None and counter is not None and first in known.ranges:
            left = self.state.regfile.scalar_values()[counter.register]
            if 0 < left <= loop.trips:
                return f"trip {loop.trips - left + 1:,} of {loop.trips:,}"
        if loop is not None:
            return trips_text(loop_numbers(self.program, None)[first])
        argument = known.counts.get(first)
        return f"{argument} trips" if argument else ""

    @property
    def loops(self) -> Mapping[int, LoopSummary] | None:
        """The numbers of the loops in the whole run by their first address; None as for cycles."""
        return None if self.history.edits else self._length.loops

    def start_of_trip(self, trip: LoopTrip, number: int) -> int:
        """Return the cycle at which a trip begins, of the same entry as one of `trips`."""
        known = self._length.trips
        assert known is not None
        return known.start_of(trip, number)

    @property
    def lines(self) -> LineTable:
        """The source lines of the program in the shown source."""
        return self.resolver.table

    @cached_property
    def expansion(self) -> BreakpointResolver | None:
        """The lines of the expansion; None for a program that is not expanded."""
        table = self.written.table
        if table.expansion is None:
            return None
        source = SourceFile(self.program.text, f"{table.source.path} (expansion)")
        return BreakpointResolver(LineTable(self.program, source=source))

    def show(self, source: BreakpointResolver) -> None:
        """Show one of the sources `written` and `expansion`."""
        self.resolver = source
        self.runner.use_lines(self.lines)

    def edit(self, where: Region, data: bytes) -> None:
        """Overwrite a register or memory at the current cycle; the recorded future is dropped.

        Raises ValueError unless `data` has the size of the region.
        """
        self.history.edit(where, data)
        self.memory.drop_after(self.cycle)
        # No bundle leads to the first cycle; its hits are counted again after the edit.
        self.breakpoints.drop_hits_after(self.cycle - (self.cycle == self.history.first))

    def restart(self) -> Stop:
        """Go to the first cycle and drop all edits; hits are counted anew. The stop is an ENTRY."""
        self.history.reset()
        self.memory.drop_after(self.cycle)
        self.breakpoints.drop_hits_after(self.cycle - 1)
        return self._arrived(self.stopped(StopReason.ENTRY, "at the beginning"))

    def stopped(self, reason: StopReason, description: str) -> Stop:
        """Return a stop where the machine is now, for a cause that the debugger does not know."""
        return self.runner.stops.stop(reason, description)

    def start(self) -> Stop:
        """Continue, but stop at once if there is a breakpoint at the first bundle."""
        causes = self.runner.causes_here(is_logging=True)
        if not causes:
            return self.continue_()
        return self._arrived(self.runner.stops.caused_by(causes))

    def continue_(self) -> Stop:
        """Run to the next cause of a stop, to the cycle limit, or until the machine halts."""
        return self.resume(ResumePoint(self._limit()))

    def resume(self, point: ResumePoint | None) -> Stop:
        """Complete a move after a pause, with the current breakpoints; without one, continue."""
        point = point or ResumePoint(self._limit())
        if point.direction is Direction.RUN:
            return self._arrived(self.runner.run(point))
        if point.direction is Direction.JUMP:
            return self._arrived(self.runner.jump(point))
        if point.direction is Direction.BACK:
            return self._arrived(run_back(self.runner, point))
        return self._arrived(run_line_back(self.runner, self.resolver, point))

    def step(self) -> Stop:
        return self.resume(ResumePoint(self.cycle + 1, (), StopReason.STEP))

    def step_line(self) -> Stop:
        """Continue to another source line, or to the next start of this line."""
        limit = self._limit()
        ends = ends_of_line(self.resolver, self.state)
        return self.resume(ResumePoint(limit if self.cycle < limit else _FOREVER, ends))

    def step_out(self) -> Stop:
        """Continue, but stop after the innermost loop, too; outside of loops it only continues.

        Breakpoints in the loop stop it, unless the option `steps_out_past_breakpoints` is set.
        """
        loops = enclosing_loops(self.program, self.state.program_counter)
        inside = loops[0] if loops else range(0)
        outside = frozenset(range(self.state.program_limit)).difference(inside) if loops else ()
        passing = inside if self.options.steps_out_past_breakpoints else ()
        return self.resume(ResumePoint(self._limit(), outside, passing=passing))

    def run_to(self, addresses: Collection[int]) -> Stop:
        """Continue, but stop before the bundles at some addresses, too."""
        return self.resume(ResumePoint(self._limit(), addresses))

    def step_back(self) -> Stop:
        """Undo the last bundle, and the edits made after it."""
        if self.cycle == self.history.first:
            return self._arrived(self.runner.stops.at_start())
        return self.go_to(self.cycle - 1)

    def step_back_line(self) -> Stop:
        """Go back to the start of the current line; from there, to the start of the line before.

        Nothing else stops on the way, so this undoes a step over a line.
        """
        now = self.cycle
        # This creates a keyframe close by, so that few bundles are executed again.
        self.history.go_to(now - 1)
        self.history.go_to(now)
        return self.resume(ResumePoint(now, direction=Direction.LINE_BACK))

    def go_to(self, cycle: int) -> Stop:
        """Go to a cycle, in the past or the future; only a fault or a halt stops earlier."""
        return self.resume(ResumePoint(cycle, (), StopReason.STEP, Direction.JUMP))

    def reverse_continue(self) -> Stop:
        """Go back to the last stop that continuing would have made on the way to the current cycle.

        After FAULT, CYCLE_LIMIT and ENDED that may be one of the same cycle. A pause leaves the
        machine where it was.
        """
        until = self.cycle + (self._last_stop == self.cycle)
        return self.resume(ResumePoint(until, direction=Direction.BACK))

    def _limit(self) -> int:
        most = self.options.max_cycles
        return _FOREVER if most is None else self.history.first + most

    def _arrived(self, stop: Stop) -> Stop:
        if stop.reason is not StopReason.PAUSE:
            self._last_stop = stop.cycle if stop.reason in _LAST else None
        return stop


def run_back(runner: Runner, point: ResumePoint) -> Stop:
    def find(end: int, found: Stop | None) -> tuple[Stop | None, bool]:
        while causes := runner.seek(end, is_logging=False):
            if causes == [PAUSED]:
                return found, True
            found = runner.stops.caused_by(causes)
        return found, False

    stop = _search(runner, point, find)
    if stop is not None:
        return stop
    causes = runner.causes_here() if point.until > runner.history.first else []
    return runner.stops.caused_by(causes) if causes else runner.stops.at_start()


def run_line_back(runner: Runner, resolver: BreakpointResolver, point: ResumePoint) -> Stop:
    def find(end: int, found: Stop | None) -> tuple[Stop | None, bool]:
        start, is_paused = last_line_start(runner.history, resolver, end, runner.options.pause)
        if start is not None:
            found = Stop(StopReason.STEP, f"cycle {start[0]}", *start)
        return found, is_paused

    stop = _search(runner, point, find)
    if stop is not None:
        return stop
    is_moved = point.until > runner.history.first
    return runner.stops.arrived() if is_moved else runner.stops.at_start()


def _search(runner: Runner, point: ResumePoint, find: SegmentSearch) -> Stop | None:
    """Move to the last stop that `find` finds, or else to the first cycle."""
    history, now = runner.history, runner.history.cycle
    history.keep()
    found = _last(runner, point, find)
    if isinstance(found, ResumePoint):
        history.go_to(now)
        return runner.stops.paused(found)
    history.go_to(history.first if found is None else found.cycle)
    return found


def _last(runner: Runner, point: ResumePoint, find: SegmentSearch) -> Stop | ResumePoint | None:
    """The last stop before the end of a resume point, or the rest of the search after a pause.

    The first cycle is not searched. The machine remains at the cycle where the search ended.
    """
    history = runner.history
    for start, end, before in _segments(history, point):
        found, is_paused = find(end, before)
        if is_paused:
            history.keep()
            segment = ScannedSegment(start, history.cycle, found)
            return point._replace(until=end + 1, segment=segment)
        if found is not None:
            return found
        if runner.options.pause():
            return point._replace(until=start + 1, segment=None)
    return None


def _segments(history: History, point: ResumePoint) -> Iterator[tuple[int, int, Stop | None]]:
    """First and last cycle of each segment, and the stop found in it before a pause.

    The machine is at the cycle from which the segment must be executed.
    """
    until = point.until - 1
    if point.segment is not None:
        start, at, found = point.segment
        history.go_to(at)
        yield start, until, found
        until = start
    for start, end in history.segments(until):
        yield start, end, None


def ends_of_line(resolver: BreakpointResolver, state: AnyState) -> frozenset[int]:
    """Return the addresses where a step from a state ends: other lines, or its line's start."""
    line = resolver.bundles_on_same_line(state.program_counter)
    return frozenset(range(state.program_limit)).difference(line[1:])


def last_line_start(
    history: History, resolver: BreakpointResolver, until: int, pause: Pause
) -> tuple[tuple[int, int] | None, bool]:
    """Return cycle and bundle of the last line start on the way, and whether it was paused.

    A line starts before its first bundle, and wherever control enters it from another line.
    """
    state, found = history.machine.state, None
    while history.cycle < until:
        inside = resolver.bundles_on_same_line(state.program_counter)[1:]
        history.run_to_mark(until, partial(_is_outside, inside))
        pc = state.program_counter
        if pc not in inside:
            found = history.cycle, pc
        history.apply_edits()
        if pause():
            return found, True
    return found, False


def _is_outside(inside: range, pc: int) -> bool:
    return pc not in inside
