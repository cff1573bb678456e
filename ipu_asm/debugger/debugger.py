"""A program under observation: it runs forwards and backwards, stops, and can be changed."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from ipu_asm.debugger.backwards import Find, search_back
from ipu_asm.debugger.breakpoint_resolver import BreakpointResolver
from ipu_asm.debugger.breakpoints import Breakpoint, Condition, DataBreakpoint
from ipu_asm.debugger.history import MEMORY_LIMIT, SPACING, History, Pause
from ipu_asm.debugger.lines import ends_of_line, last_line_start
from ipu_asm.debugger.lookout import Log
from ipu_asm.debugger.queries import Interrupted, LastWrite, last_write, when_true
from ipu_asm.debugger.regions import COUNTER, Region
from ipu_asm.debugger.runner import Runner
from ipu_asm.debugger.stop import Direction, ResumePoint, Stop, StopCause, Trap, stop_by
from ipu_asm.emulator.faults import ExecutionFault
from ipu_asm.emulator.ipu import Ipu
from ipu_asm.emulator.state import INST_MEM_SIZE, IpuState
from ipu_asm.emulator.stops import StopReason, describe_stop, stop_of
from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.program.program import Program

__all__ = ["DebugOptions", "Debugger", "Interrupted"]

_FOREVER = 1 << 62
_BEYOND = (StopReason.FAULT, StopReason.ENDED, StopReason.CYCLE_LIMIT)
"""Where going on ends that may have begun at a hit of the same cycle."""


class DebugOptions(NamedTuple):
    """How a program is observed.

    With `stop_on_halt` a machine that halts stops once more before the session ends. `pause` is
    asked again and again while the machine is on its way, `log` gets what log breakpoints say.
    `max_cycles` bounds runs, not single steps. `memory_limit` bounds the bytes that the past takes;
    `spacing` is the distance of its keyframes.
    """

    stop_on_halt: bool = True
    max_cycles: int | None = None
    aaq_shift: int = 0
    memory_limit: int = MEMORY_LIMIT
    spacing: int = SPACING
    pause: Pause = lambda: False
    log: Log = lambda text: None


class Debugger:
    """One program on one machine. `state` is where it begins, with the program's words loaded.

    Raises `ProgramError` for a program that the machine cannot take.

    Whatever moves the machine returns the `Stop` at which it stands then. After each one can go
    on, go back, ask, and change the machine:

    - ENTRY, START: at the first cycle; nothing of the program has happened.
    - PAUSE: somewhere on the way; `resume` with `continuation` goes on as if nobody had paused.
    - BKPT, HALTED: behind the bundle that halted the machine; going on gives ENDED.
    - ENDED: there is no next bundle, so every way forward gives ENDED again and nothing happens.
      An edit of the program counter brings the machine back to life.
    - FAULT: in front of a bundle that cannot be executed; going on gives the same FAULT, unless an
      edit has removed its cause.
    - LIMIT: `max_cycles` bundles have been executed. Runs give LIMIT again without doing anything;
      `step` and `step_line` still move.

    Breakpoints, data breakpoints and traps may be set whenever the machine stands, between a pause
    and `resume` too; they count from the next bundle on. Conditions and log texts must not raise.
    """

    def __init__(
        self, program: Program, state: IpuState, options: DebugOptions | None = None
    ) -> None:
        options = options or DebugOptions()
        self.program = program
        self.state = state
        self.options = options
        self.ipu = Ipu(state, options.aaq_shift)
        # Looking at a bundle binds the program, so that what is wrong with it is told now.
        self.ipu.stops_at(0)
        self.resolver = BreakpointResolver(program)
        self.history = History(self.ipu, options.memory_limit, options.spacing)
        lines, pause, log = self.resolver.table, options.pause, options.log
        self.runner = Runner(self.history, lines, pause, log, options.stop_on_halt)
        self._beyond: int | None = None

    @property
    def cycle(self) -> int:
        """How many bundles have been executed."""
        return self.history.cycle

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Stop at these bundles, and at no others."""
        self.runner.set_breakpoints(breakpoints)

    def set_data_breakpoints(self, breakpoints: Sequence[DataBreakpoint]) -> None:
        """Stop at these changes and accesses, and at no others."""
        self.runner.set_data_breakpoints(breakpoints)

    def set_traps(self, traps: Mapping[Trap, Condition | None]) -> None:
        """Stop at these incidents, where their condition holds, and at no others.

        In the beginning BREAK and FAULT are on. A fault stops in any case, as nothing can go on;
        whether its trap was set off is told by `Stop.trap`.
        """
        self.runner.traps.traps = dict(traps)

    def edit(self, where: Region, data: bytes) -> None:
        """Change a register or memory; the future as it was is forgotten.

        Raises ValueError unless `data` has the size of the region.
        """
        self.history.edit(where, data)
        # Of the first cycle, which nothing leads to, the hits are those from after its edits.
        self.runner.forget_hits(self.cycle - (self.cycle == self.history.first))

    def restart(self) -> Stop:
        """Back to the beginning, without any edit. Breakpoints and traps stay, hits count anew.

        The stop is an ENTRY, from which `start` goes on.
        """
        self.history.reset()
        self.runner.forget_hits(self.cycle - 1)
        return self._stop(StopReason.ENTRY, "at the beginning")

    def start(self) -> Stop:
        """Continue, but stop right here if there is a breakpoint at the very first bundle."""
        hits = self.runner.hits_here(logs=True)
        return self._stop_by(hits) if hits else self.continue_()

    def continue_(self) -> Stop:
        """Run to the next hit, to the cycle limit, or until the machine halts."""
        return self._run(ResumePoint(self._limit()))

    def resume(self, rest: ResumePoint | None) -> Stop:
        """Do what a pause has left to do: `Stop.continuation`. Without one, continue.

        What was set meanwhile counts; what lies behind the way that was gone is not looked at.
        """
        ways = {
            Direction.RUN: self._run,
            Direction.BACK: self._run_back,
            Direction.LINE_BACK: self._line_back,
            Direction.JUMP: self._jump,
        }
        return self.continue_() if rest is None else ways[rest.direction](rest)

    def step(self) -> Stop:
        """Execute one bundle."""
        return self._run(ResumePoint(self.cycle + 1, (), StopReason.STEP))

    def step_line(self) -> Stop:
        """Continue to another line of the source, or to the beginning of this line once more."""
        limit = self._limit()
        ends = ends_of_line(self.resolver, self.state.program_counter)
        return self._run(ResumePoint(limit if self.cycle < limit else _FOREVER, ends))

    def step_out(self) -> Stop:
        """Continue, but stop behind the innermost loop too; outside of loops it just continues."""
        loops = enclosing_loops(self.program, self.state.program_counter)
        outside = frozenset(range(INST_MEM_SIZE)).difference(loops[0]) if loops else ()
        return self._run(ResumePoint(self._limit(), outside))

    def step_back(self) -> Stop:
        """Undo the last bundle, and the edits made behind it."""
        if self.cycle == self.history.first:
            return self._at_start()
        return self.go_to(self.cycle - 1)

    def step_back_line(self) -> Stop:
        """Back to where the line was begun; from there, to where the one before it was.

        So a step over a line leads back here. Nothing else stops on the way.
        """
        now = self.cycle
        # This leaves a keyframe not far from here, so that there is little to look at.
        self.history.go_to(now - 1)
        self.history.go_to(now)
        return self._line_back(ResumePoint(now, direction=Direction.LINE_BACK))

    def go_to(self, cycle: int) -> Stop:
        """Stand at a cycle, in the past or the future; stops on the way do not count.

        A machine that halts before stays there, and a fault stops it.
        """
        return self._jump(ResumePoint(cycle, (), StopReason.STEP, Direction.JUMP))

    def reverse_continue(self) -> Stop:
        """Back to the last hit before now: what continuing would have stopped at on the way here.

        After FAULT, LIMIT and ENDED that may be one of the same cycle. A pause leaves the machine
        where it was.
        """
        return self._run_back(
            ResumePoint(self.cycle + (self._beyond == self.cycle), direction=Direction.BACK)
        )

    def last_write(self, where: Region) -> LastWrite | None:
        """Who wrote to a region last, up to now; None if nobody has since the beginning.

        Raises `Interrupted` if `options.pause` says so; the machine stays where it is.
        """
        return last_write(self.history, self.runner.accesses, where, self.options.pause)

    def when_true(self, condition: Condition) -> int | None:
        """The last cycle up to now at which a condition became true; None if there is none.

        Raises `Interrupted` if `options.pause` says so; the machine stays where it is.
        """
        return when_true(self.history, condition, self.options.pause)

    def _limit(self) -> int:
        most = self.options.max_cycles
        return _FOREVER if most is None else self.history.first + most

    def _run(self, goal: ResumePoint) -> Stop:
        if self.state.is_halted:
            return self._halted(StopReason.ENDED)
        try:
            hits = self.runner.seek(goal.until, goal.targets)
        except ExecutionFault as error:
            return self._fault(error)
        if hits:
            return self._stop_by(hits, goal)
        if self.state.is_halted:
            return self._halted(StopReason.ENDED)
        if goal.at_end is StopReason.STEP:
            return self._stop(StopReason.STEP, f"cycle {self.cycle}")
        return self._stop(goal.at_end, f"stopped at the limit of {self.options.max_cycles} cycles")

    def _run_back(self, goal: ResumePoint) -> Stop:
        stop = self._search_back(goal, self._find_hits)
        if stop is not None:
            return stop
        hits = self.runner.hits_here() if goal.until > self.history.first else []
        return self._stop_by(hits) if hits else self._at_start()

    def _line_back(self, goal: ResumePoint) -> Stop:
        stop = self._search_back(goal, self._find_line)
        if stop is not None:
            return stop
        is_moved = goal.until > self.history.first
        return self._stop(StopReason.STEP, f"cycle {self.cycle}") if is_moved else self._at_start()

    def _search_back(self, goal: ResumePoint, find: Find) -> Stop | None:
        """Go to what was searched for; if there is nothing, to the first cycle."""
        now = self.cycle
        self.history.keep()
        found = search_back(self.history, goal, find, self.options.pause)
        if isinstance(found, ResumePoint):
            self.history.go_to(now)
            return self._paused(found)
        self.history.go_to(self.history.first if found is None else found.cycle)
        return None if found is None else self._arrive(found)

    def _find_hits(self, end: int, found: Stop | None) -> tuple[Stop | None, bool]:
        while hits := self.runner.seek(end, logs=False):
            if hits[0].reason is StopReason.PAUSE:
                return found, True
            found = stop_by(hits, self.cycle, self._place())
        return found, False

    def _find_line(self, end: int, found: Stop | None) -> tuple[Stop | None, bool]:
        start, is_paused = last_line_start(self.history, self.resolver, end, self.options.pause)
        if start is not None:
            found = Stop(StopReason.STEP, f"cycle {start[0]}", *start)
        return found, is_paused

    def _jump(self, goal: ResumePoint) -> Stop:
        try:
            reached = self.history.go_to(goal.until, self.options.pause)
        except ExecutionFault as error:
            return self._fault(error)
        if self.state.is_halted:
            return self._halted(StopReason.HALTED)
        if reached < goal.until:
            return self._paused(goal)
        return self._stop(goal.at_end, f"cycle {reached}")

    def _stop(self, reason: StopReason, description: str) -> Stop:
        return self._stop_by([StopCause(reason, description)])

    def _stop_by(self, hits: Sequence[StopCause], goal: ResumePoint | None = None) -> Stop:
        stop = stop_by(hits, self.cycle, self._place())
        return (
            stop._replace(continuation=goal)
            if stop.reason is StopReason.PAUSE
            else self._arrive(stop)
        )

    def _arrive(self, stop: Stop) -> Stop:
        self._beyond = stop.cycle if stop.reason in _BEYOND else None
        return stop

    def _paused(self, rest: ResumePoint) -> Stop:
        return self._stop_by([StopCause(StopReason.PAUSE, "paused")], rest)

    def _at_start(self) -> Stop:
        return self._stop(StopReason.START, "at the beginning of the history")

    def _fault(self, error: ExecutionFault) -> Stop:
        stop = stop_of(self.ipu, StopReason.FAULT, self.resolver.table, error.fault)
        trap = Trap.FAULT if self.runner.traps.is_set_off(Trap.FAULT) else None
        return self._stop(StopReason.FAULT, describe_stop(stop))._replace(
            fault=error.fault, trap=trap
        )

    def _halted(self, reason: StopReason) -> Stop:
        """The stop of a machine that has halted: HALTED, which may be a BKPT, or ENDED."""
        if not self._has_halted_itself():
            found = self.state.program_counter
            return self._stop(reason, f"halted, as the program counter was set to {found}")
        if reason is StopReason.HALTED and self.runner.traps.is_at_bkpt():
            reason = StopReason.BKPT
        return self._stop(
            reason, describe_stop(stop_of(self.ipu, StopReason.HALTED, self.resolver.table))
        )

    def _place(self) -> int:
        """The bundle in front of which the machine stands, or that has halted it."""
        if self.state.is_halted and self._has_halted_itself():
            return self.ipu.snapshot.pc
        return self.state.program_counter

    def _has_halted_itself(self) -> bool:
        """Whether a halt is the last bundle's work, and not the user's."""
        edits = self.history.edits.get(self.cycle, ())
        is_set = any(edit.region.name == COUNTER for edit in edits)
        return self.cycle > self.history.first and not is_set
