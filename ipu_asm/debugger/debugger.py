"""A program under observation: it runs forwards and backwards, stops, and can be changed."""

from __future__ import annotations

from typing import Collection, NamedTuple, Sequence

from ipu_asm.debugger.breakpoints import Breakpoint, Condition, DataBreakpoint, Filters
from ipu_asm.debugger.history import MEMORY_LIMIT, SPACING, History
from ipu_asm.debugger.loops import innermost_loop
from ipu_asm.debugger.placement import Placer
from ipu_asm.debugger.queries import Change, last_write, when_true
from ipu_asm.debugger.regions import Region
from ipu_asm.debugger.runner import Log, Pause, Runner
from ipu_asm.debugger.stop import Hit, Reason, Stop, stop_by
from ipu_asm.emulator.decode import decode_word
from ipu_asm.emulator.faults import ExecutionFault
from ipu_asm.emulator.ipu import Ipu
from ipu_asm.emulator.state import INST_MEM_SIZE, IpuState
from ipu_asm.emulator.stops import StopReason, describe_stop, stop_of
from ipu_asm.isa import load_isa
from ipu_asm.program import Program

_FOREVER = 1 << 62


class DebugOptions(NamedTuple):
    """How a program is observed.

    With `stop_on_halt` a machine that halts stops once more before the session ends. `pause` is
    asked again and again while the machine runs, `log` gets what log breakpoints say.
    `memory_limit` bounds the bytes that the past takes; `spacing` is the distance of its keyframes.
    """

    stop_at_breaks: bool = True
    stop_on_halt: bool = True
    max_cycles: int | None = None
    aaq_shift: int = 0
    memory_limit: int = MEMORY_LIMIT
    spacing: int = SPACING
    pause: Pause = lambda: False
    log: Log = lambda text: None


class Debugger:
    """One program on one machine. `state` is where it begins, with the program's words loaded.

    Whatever moves the machine returns the `Stop` at which it stands then.
    """

    def __init__(
        self, program: Program, state: IpuState, options: DebugOptions | None = None
    ) -> None:
        options = options or DebugOptions()
        self.program = program
        self.state = state
        self.options = options
        self.ipu = Ipu(state, options.aaq_shift)
        self.placer = Placer(program)
        self.history = History(self.ipu, options.memory_limit, options.spacing)
        self.runner = Runner(self.history, self.placer.table, options.pause, options.log)
        self.runner.stops_at_breaks = options.stop_at_breaks

    @property
    def cycle(self) -> int:
        """How many bundles have been executed."""
        return self.history.cycle

    @property
    def stop_at_breaks(self) -> bool:
        """Whether `break` and a matching `break.ifeq` stop."""
        return self.runner.stops_at_breaks

    @stop_at_breaks.setter
    def stop_at_breaks(self, wanted: bool) -> None:
        self.runner.stops_at_breaks = wanted

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Stop at these bundles, and at no others."""
        self.runner.breakpoints = tuple(breakpoints)

    def set_data_breakpoints(self, breakpoints: Sequence[DataBreakpoint]) -> None:
        """Stop at these changes and accesses, and at no others."""
        self.runner.data_breakpoints = tuple(breakpoints)

    def edit(self, where: Region, data: bytes) -> None:
        """Change a register or memory; the future as it was is forgotten.

        Raises ValueError unless `data` has the size of the region.
        """
        self.history.edit(where, data)
        # Of the first cycle, which nothing leads to, the hits are those from after its edits.
        self.runner.forget_hits(self.cycle - (self.cycle == self.history.first))

    def restart(self) -> Stop:
        """Back to the beginning, without any edit."""
        self.history.reset()
        self.runner.forget_hits(self.cycle - 1)
        return self._stop(Reason.ENTRY, "at the beginning")

    def start(self) -> Stop:
        """Continue, but stop right here if there is a breakpoint at the very first bundle."""
        hits = self.runner.hits_here(logs=True)
        return self._stop_by(hits) if hits else self.continue_()

    def continue_(self) -> Stop:
        """Run to the next hit, to the cycle limit, or until the machine halts."""
        return self._run(self._limit())

    def step(self) -> Stop:
        """Execute one bundle."""
        return self._run(self.cycle + 1, (), Reason.STEP)

    def run_to(self, address: int) -> Stop:
        """Continue, but stop in front of a bundle too."""
        return self._run(self._limit(), (address,))

    def step_out(self) -> Stop:
        """Continue, but stop behind the innermost loop too; outside of loops it just continues."""
        loop = innermost_loop(self.program, self.state.program_counter)
        outside = set(range(INST_MEM_SIZE)).difference(loop) if loop else ()
        return self._run(self._limit(), outside)

    def step_back(self) -> Stop:
        """Undo the last bundle, and the edits made behind it."""
        if self.cycle == self.history.first:
            return self._at_start()
        return self.go_to(self.cycle - 1)

    def go_to(self, cycle: int) -> Stop:
        """Stand at a cycle, in the past or the future; stops on the way do not count."""
        try:
            reached = self.history.go_to(cycle)
        except ExecutionFault as error:
            return self._fault(error)
        if self.state.is_halted:
            return self._halted(Reason.HALTED)
        return self._stop(Reason.STEP, f"cycle {reached}")

    def reverse_continue(self) -> Stop:
        """Back to the last hit before now: what continuing would have stopped at on the way here.

        A pause leaves the machine where it was.
        """
        now, last = self.cycle, None
        for _, end in self.history.segments(now - 1):
            while hits := self.runner.seek(end, logs=False):
                if hits[-1].reason is Reason.PAUSE:
                    self.history.go_to(now)
                    return self._stop(Reason.PAUSE, "paused; the way back was given up")
                last = self.cycle, hits
            if last is not None:
                self.history.go_to(last[0])
                return self._stop_by(last[1])
        self.history.go_to(self.history.first)
        hits = self.runner.hits_here() if now > self.history.first else []
        return self._stop_by(hits) if hits else self._at_start()

    def last_write(self, where: Region) -> Change | None:
        """Who wrote to a region last, up to now; None if nobody has since the beginning."""
        return last_write(self.history, self.runner.accesses, where)

    def when_true(self, condition: Condition) -> int | None:
        """The last cycle up to now at which a condition became true; None if there is none."""
        return when_true(self.history, condition)

    def _limit(self) -> int:
        most = self.options.max_cycles
        return _FOREVER if most is None else self.history.first + most

    def _run(
        self, until: int, targets: Collection[int] = (), at_end: Reason = Reason.LIMIT
    ) -> Stop:
        if self.state.is_halted:
            return self._halted(Reason.ENDED)
        try:
            hits = self.runner.seek(until, targets)
        except ExecutionFault as error:
            return self._fault(error)
        if self.state.is_halted:
            halted = self._halted(Reason.HALTED if self.options.stop_on_halt else Reason.ENDED)
            return halted._replace(hits=_sources(hits))
        if hits:
            return self._stop_by(hits)
        if at_end is Reason.STEP:
            return self._stop(Reason.STEP, f"cycle {self.cycle}")
        return self._stop(at_end, f"stopped at the limit of {self.options.max_cycles} cycles")

    def _stop(self, reason: Reason, description: str) -> Stop:
        return Stop(reason, description, self.cycle, self.state.program_counter)

    def _stop_by(self, hits: Sequence[Hit]) -> Stop:
        return stop_by(hits, self.cycle, self.state.program_counter)

    def _at_start(self) -> Stop:
        return self._stop(Reason.START, "at the beginning of the history")

    def _fault(self, error: ExecutionFault) -> Stop:
        stop = stop_of(self.ipu, StopReason.FAULT, self.placer.table, error.fault)
        return Stop(Reason.FAULT, describe_stop(stop), self.cycle, stop.pc, (), error.fault)

    def _halted(self, reason: Reason) -> Stop:
        stop = stop_of(self.ipu, StopReason.HALTED, self.placer.table)
        if reason is Reason.HALTED and self._is_bkpt(stop.pc):
            reason = Reason.BKPT
        return Stop(reason, describe_stop(stop), self.cycle, stop.pc)

    def _is_bkpt(self, pc: int) -> bool:
        word = self.state.inst_mem[pc] if pc >= 0 else None
        codes = [] if word is None else decode_word(load_isa("ipu"), word)
        return any(code.spec is not None and code.spec.flow == "halt" for code in codes)


def _sources(hits: Sequence[Hit]) -> tuple[Filters, ...]:
    return tuple(hit.source for hit in hits if hit.source is not None)
